"""`python -m benchmarks.synthetic.learning`: models trained on made-up rows, tested on real ones that were held out.

Logistic regression for income in the Adult extract (`DENIABLE_ADULT`): numbers as they are and squared, categories one
by one; a fifth of the real rows is never shown to anybody. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.synthetic.__main__ import run
from benchmarks.synthetic.tables import Codes, adult
from deniable.core.grid import IntArray

_HELD_OUT = 5


def main() -> None:
    """Print the accuracies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--contenders", nargs="+", default=["deniable"])
    options = parser.parse_args()
    data = adult(Path(os.environ["DENIABLE_ADULT"]))
    held = np.random.default_rng(0).permutation(data.rows) % _HELD_OUT == 0
    shown = Codes(data.name, {name: column[~held] for name, column in data.columns.items()}, data.sizes, data.ordered)
    test = [column[held] for column in data.columns.values()]
    print("| trained on | epsilon | accuracy on real rows |")
    print("| --- | ---: | ---: |")
    print(f"| real rows | | {_accuracy(data, list(shown.columns.values()), test):.4f} |", flush=True)
    for epsilon in options.epsilons:
        for contender in options.contenders:
            found = []
            for _ in range(options.runs):
                made = run(contender, shown, epsilon)
                if isinstance(made, str):
                    raise SystemExit(f"{contender}: {made}")
                found.append(_accuracy(data, made[0], test))
            print(f"| {contender} | {epsilon:g} | {np.mean(found):.4f} |", flush=True)


def _accuracy(data: Codes, train: list[IntArray], test: list[IntArray]) -> float:
    """On the last column, from all others."""
    model = LogisticRegression(max_iter=300).fit(_features(data, train), train[-1])
    return float(model.score(_features(data, test), test[-1]))


def _features(data: Codes, rows: list[IntArray]) -> np.ndarray:
    found = []
    for name, column in list(zip(data.sizes, rows, strict=True))[:-1]:
        if name in data.ordered:
            number = column / data.sizes[name]
            found += [number[:, None], number[:, None] ** 2]
        else:
            found.append(np.eye(data.sizes[name])[column])
    return np.hstack(found)


if __name__ == "__main__":
    main()
