"""Models: accuracy on rows that were not trained on, beside plain models and peers, at three epsilons.

`python -m benchmarks.learn` prints the tables. Delta is 1/n^2. Adult is used if `DENIABLE_ADULT` names a CSV file of
its codes. Peers run in interpreters of their own: `--peer opacus=path/to/python` (diffprivlib, interpret, opacus).
The settings are those of the product, for all data.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import deniable
from benchmarks.learn_peers import EPSILONS, HALF, Task, area, tasks
from deniable.core.algebra.query import VectorSums
from deniable.core.vectors.gram import Gram
from deniable.curator import Curator
from deniable.learn import PCA, BoostedStumps, KMeans, LinearRegression, LogisticRegression, NaiveBayes
from deniable.learn.learner import Classifier
from deniable.planner.vectors import plan_vectors

_MODELS = (LogisticRegression, BoostedStumps, NaiveBayes)

Scores = tuple[float, float, float]
"""Accuracy, area under the curve, CPU seconds."""


def main() -> None:
    """Classes, then numbers and groups, then the time of one Gram matrix."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--adult", default=os.environ.get("DENIABLE_ADULT"), help="a CSV file of its codes")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the table whose Gram matrix is timed; 0: none")
    options = parser.parse_args()
    print("| data | model | epsilon | accuracy | AUC | CPU s |\n| --- | --- | ---: | ---: | ---: | ---: |")
    for task in tasks(options.adult):
        _print_all(task, options.seeds)
    for peer in options.peer:
        name, _, python = peer.partition("=")
        for line in _peer(python, name, options.seeds, options.adult):
            print(line, flush=True)
    print("\n| what | epsilon | ours | plain |\n| --- | ---: | ---: | ---: |")
    for line in (*_diabetes(options.seeds), *_blobs(options.seeds), *_components(options.seeds)):
        print(line, flush=True)
    if options.rows:
        _gram(options.rows)


def _print_all(task: Task, seeds: int) -> None:
    """Ours through a curator, and plain logistic regression."""
    found: dict[tuple[str, str], list[Scores]] = {}
    for seed in range(seeds):
        train, test = task.split(seed)
        found.setdefault(("plain logistic regression", ""), []).append(_plain(task, train, test))
        with _curator(task, train) as curator:
            for kind in _MODELS:
                for epsilon in EPSILONS:
                    score = _ours(kind(), curator, task, test, epsilon)
                    found.setdefault((kind.__name__, f"{epsilon:g}"), []).append(score)
    for (name, spent), scores in found.items():
        accuracy, auc, seconds = np.mean(scores, axis=0)
        print(f"| {task.name} | {name} | {spent} | {accuracy:.3f} | {auc:.3f} | {seconds:.2f} |", flush=True)


def _curator(task: Task, train: np.ndarray) -> Curator:
    """The rows under a budget that is large enough for all runs."""
    columns: dict[str, Any] = {name: values[train] for name, values in task.columns.items()}
    return deniable.protect(
        pa.table(columns | {"target": task.target[train] == 1}),
        epsilon=60,
        delta=1e-6,
        bounds={name: (0, 1) for name in task.columns if name not in task.sizes},
        values={name: list(range(size)) for name, size in task.sizes.items()},
        limits={"least_spend": 1e-7},
    )


def _ours(model: Classifier, curator: Curator, task: Task, test: np.ndarray, epsilon: float) -> Scores:
    """After a model of the same rows, it is the time without the read."""
    before = time.process_time() + _children(curator)
    model.fit(curator, target="target", epsilon=epsilon, delta=1 / task.trained**2)
    seconds = time.process_time() + _children(curator) - before
    scores = model.predict_proba({name: values[test] for name, values in task.columns.items()})[:, 1]
    return float(np.mean((scores > HALF) == task.target[test])), area(task.target[test], scores), seconds


def _plain(task: Task, train: np.ndarray, test: np.ndarray) -> Scores:
    from sklearn.linear_model import LogisticRegression as Plain

    rows, before = task.matrix(), time.process_time()
    scores = Plain(max_iter=300).fit(rows[train], task.target[train]).predict_proba(rows[test])[:, 1]
    seconds = time.process_time() - before
    return float(np.mean((scores > HALF) == task.target[test])), area(task.target[test], scores), seconds


def _peer(python: str, name: str, seeds: int, adult: str | None) -> Iterator[str]:
    """A peer's lines, as it says them; or why there are none."""
    script = Path(__file__).with_name("learn_peers.py")
    command = [python, str(script), name, str(seeds), *([] if adult is None else [adult])]
    run = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - as named by the caller
    for line in run.stdout.splitlines():
        said = json.loads(line)
        if "missing" in said:
            yield f"| | {name} | | {said['missing']} | | |"
            continue
        numbers = f"{said['accuracy']:.3f} | {said['auc']:.3f} | {said['cpu']:.2f}"
        yield f"| {said['data']} | {name} | {said['epsilon']:g} | {numbers} |"
    if run.returncode:
        yield f"| | {name} | | {run.stderr.strip().splitlines()[-1:]} | | |"


def _diabetes(seeds: int) -> Iterator[str]:
    """Linear regression: the part of the variance that is explained."""
    from sklearn import datasets
    from sklearn.linear_model import LinearRegression as Plain

    rows, target = datasets.load_diabetes(return_X_y=True)
    names = [f"x{place}" for place in range(rows.shape[1])]
    for epsilon in EPSILONS:
        ours, plain = [], []
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(target))
            train, test = order[:353], order[353:]
            table = pa.table({**dict(zip(names, rows[train].T, strict=True)), "y": target[train]})
            bounds: dict[str, tuple[float, float]] = {**dict.fromkeys(names, (-0.2, 0.2)), "y": (0.0, 350.0)}
            with deniable.protect(table, epsilon=10, delta=1e-4, bounds=bounds) as curator:
                model = LinearRegression().fit(curator, target="y", epsilon=epsilon, delta=1 / len(train) ** 2)
            ours.append(model.score(rows[test], target[test]))
            plain.append(Plain().fit(rows[train], target[train]).score(rows[test], target[test]))
        yield f"| diabetes, R2 of linear regression | {epsilon:g} | {np.mean(ours):.3f} | {np.mean(plain):.3f} |"


def _blobs(seeds: int) -> Iterator[str]:
    """k-means: squared distance from the nearest centre, of 20,000 points around 5 centres."""
    from sklearn.cluster import KMeans as Plain

    for epsilon in EPSILONS:
        ratios = []
        for seed in range(seeds):
            chance = np.random.default_rng(100 + seed)
            centres = chance.uniform(-0.8, 0.8, (5, 2))
            points = np.clip(centres[chance.integers(0, 5, 20_000)] + chance.normal(0, 0.08, (20_000, 2)), -1, 1)
            table = pa.table({"x": points[:, 0], "y": points[:, 1]})
            with deniable.protect(table, epsilon=10, delta=1e-6, bounds={"x": (-1, 1), "y": (-1, 1)}) as curator:
                model = KMeans(5).fit(curator, epsilon=epsilon, delta=1 / 20_000**2)
            plain = Plain(5, n_init=5, random_state=seed).fit(points)
            ratios.append(-model.score(points) * 4 / plain.inertia_)
        yield f"| blobs, inertia of k-means over plain | {epsilon:g} | {np.mean(ratios):.3f} | 1 |"


def _components(seeds: int) -> Iterator[str]:
    """PCA: the part of the variance that ten directions keep, of digits."""
    from sklearn import datasets

    rows = datasets.load_digits(return_X_y=True)[0] / 16
    centred = rows - rows.mean(axis=0)
    whole = float((centred**2).sum())
    best = float((np.linalg.svd(centred, compute_uv=False)[:10] ** 2).sum()) / whole
    names = [f"x{place}" for place in range(64)]
    for epsilon in EPSILONS:
        kept = []
        for _ in range(seeds):
            table = pa.table(dict(zip(names, rows.T, strict=True)))
            with deniable.protect(table, epsilon=10, delta=1e-5, bounds=dict.fromkeys(names, (0, 1))) as curator:
                found = PCA(10).fit(curator, epsilon=epsilon, delta=1 / len(rows) ** 2)
            kept.append(float(((centred @ np.linalg.qr(found.components_.T)[0]) ** 2).sum()) / whole)
        yield f"| digits, variance that 10 components keep | {epsilon:g} | {np.mean(kept):.3f} | {best:.3f} |"


def _gram(rows: int) -> None:
    """The Gram matrix of ten columns through the engine, beside a plain sum of the same products in DuckDB."""
    import duckdb

    chance = np.random.default_rng(0)
    names = [f"x{place}" for place in range(10)]
    table = pa.table({name: chance.random(rows) for name in names})
    pairs = [f"SUM({one} * {other})" for place, one in enumerate(names) for other in names[place:]]
    with deniable.protect(table, epsilon=10, delta=1e-9, bounds=dict.fromkeys(names, (0, 1))) as curator:
        source = curator.policy.tables["data"].source
        connection = duckdb.connect()
        connection.execute("SELECT 1").fetchall()
        plain = time.process_time()
        connection.execute(f"SELECT {', '.join(pairs)} FROM '{source}'").fetchall()
        plain = time.process_time() - plain
        planned = plan_vectors("SELECT * FROM data", None, curator.policy, PCA.encoding)
        few = plan_vectors("SELECT * FROM data WHERE x0 < 0", None, curator.policy, PCA.encoding)
        curator.engine.run(VectorSums(few.source, few.fields, Gram(few.design)))  # so that its process is ready
        before = time.process_time() + _children(curator)
        curator.engine.run(VectorSums(planned.source, planned.fields, Gram(planned.design)))
        ours = time.process_time() + _children(curator) - before
    print(f"\nGram matrix of {rows:,} rows x 10: {ours:.2f} CPU s; plain sums of the same products {plain:.2f}")


def _children(curator: Curator) -> float:
    """CPU seconds of the engine's process."""
    process = getattr(curator.engine, "process", None)
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(int(fields[place]) for place in (11, 12)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
