"""Data sets for `benchmarks.learn`, and its peers, each alone in an interpreter that has what it needs.

Run:  python benchmarks/learn_peers.py NAME SEEDS [ADULT]

One line of JSON for each data set and epsilon. This file imports nothing of ours, so that a peer with other needs than
ours can run it. Bounds are public round numbers, the same for everybody.
"""

from __future__ import annotations

import csv
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

EPSILONS = (0.1, 1.0, 3.0)
HALF = 0.5
"""From which chance on a row is said to be of the second class."""
_ADULT = ("age", "workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex")
_ADULT += ("hours-per-week", "income>50K")  # type: ignore[assignment]  # one column more, and the target
_SIZES = {"age": 85, "workclass": 9, "education-num": 16, "marital-status": 7, "occupation": 15, "relationship": 6}
_SIZES |= {"race": 5, "sex": 2, "hours-per-week": 99}
_ORDERED = ("age", "education-num", "hours-per-week")
_CANCER = [30, 40, 200, 2600, 0.2, 0.4, 0.5, 0.25, 0.35, 0.1, 3, 5, 25, 550, 0.04, 0.15, 0.4, 0.06, 0.08, 0.03]
_CANCER += [40, 50, 260, 4500, 0.25, 1.2, 1.4, 0.3, 0.7, 0.25]


@dataclass(frozen=True)
class Task:
    """Rows and classes: numbers scaled by their bounds to [0, 1], categories as codes."""

    name: str
    columns: dict[str, np.ndarray]
    sizes: dict[str, int]
    """Of the categories."""
    target: np.ndarray

    @property
    def trained(self) -> int:
        """How many rows are trained on."""
        return int(0.8 * len(self.target))

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Four fifths to train on, one to test on."""
        order = np.random.default_rng(seed).permutation(len(self.target))
        return order[: self.trained], order[self.trained :]

    def matrix(self) -> np.ndarray:
        """Categories as indicators."""
        parts = [
            np.eye(self.sizes[name])[values] if name in self.sizes else values[:, None]
            for name, values in self.columns.items()
        ]
        return np.hstack(parts)


def tasks(adult: str | None) -> Iterator[Task]:
    """Cancer, digits (odd or even), and Adult where its file is named."""
    from sklearn import datasets

    rows, target = datasets.load_breast_cancer(return_X_y=True)
    scaled = np.clip(rows / np.array(_CANCER), 0, 1)
    yield Task("cancer", {f"x{place}": column for place, column in enumerate(scaled.T)}, {}, target)
    rows, target = datasets.load_digits(return_X_y=True)
    yield Task("digits", {f"x{place}": column for place, column in enumerate(rows.T / 16)}, {}, target % 2)
    if adult is None:
        return
    with open(adult, encoding="utf-8") as file:  # noqa: PTH123 - a path as it was given
        read = [[int(row[name]) for name in _ADULT] for row in csv.DictReader(file)]
    table = dict(zip(_ADULT, np.array(read).T, strict=True))
    target = table.pop("income>50K")
    columns = {name: values / (_SIZES[name] - 1) if name in _ORDERED else values for name, values in table.items()}
    yield Task("adult", columns, {name: size for name, size in _SIZES.items() if name not in _ORDERED}, target)


def area(target: np.ndarray, scores: np.ndarray) -> float:
    """Under the curve: how often a row of the second class scores above one of the first."""
    from scipy.stats import rankdata

    ranks, positive = rankdata(scores), int(target.sum())
    return float((ranks[target == 1].sum() - positive * (positive + 1) / 2) / (positive * (len(target) - positive)))


Scores = Callable[[Task, np.ndarray, np.ndarray, float, int], np.ndarray]
"""Trains on some rows and scores others: the larger, the likelier the second class."""


def diffprivlib(task: Task, train: np.ndarray, test: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """Its logistic regression, by the norm that the columns can have."""
    from diffprivlib.models import LogisticRegression

    rows = task.matrix()
    norm = float(np.sqrt(sum(1 for _ in task.columns)))
    model = LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=200, random_state=seed)
    return np.asarray(model.fit(rows[train], task.target[train]).predict_proba(rows[test])[:, 1])


def interpret(task: Task, train: np.ndarray, test: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """DP-EBM."""
    from interpret.privacy import DPExplainableBoostingClassifier

    kinds = ["nominal" if name in task.sizes else "continuous" for name in task.columns]
    rows = np.array(
        [[str(int(one)) if name in task.sizes else one for one in values] for name, values in task.columns.items()],
        dtype=object,
    ).T
    bounds = {place: (0.0, 1.0) for place, kind in enumerate(kinds) if kind == "continuous"}
    delta = 1 / len(train) ** 2
    model = DPExplainableBoostingClassifier(
        epsilon=epsilon, delta=delta, feature_types=kinds, privacy_bounds=bounds, random_state=seed, n_jobs=1
    )
    return np.asarray(model.fit(rows[train], task.target[train]).predict_proba(rows[test])[:, 1])


def opacus(task: Task, train: np.ndarray, test: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """A logistic regression by DP-SGD, with settings that are common for such data."""
    import torch
    from opacus import PrivacyEngine

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rows = torch.tensor(task.matrix() - 0.25, dtype=torch.float32)
    target = torch.tensor(task.target, dtype=torch.float32)
    data = torch.utils.data.TensorDataset(rows[train], target[train])
    size = max(64, len(train) // 20)
    model: Any = torch.nn.Linear(rows.shape[1], 1)
    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=2.0),
        data_loader=torch.utils.data.DataLoader(data, batch_size=size),
        epochs=20,
        target_epsilon=epsilon,
        target_delta=1 / len(train) ** 2,
        max_grad_norm=1.0,
    )
    for _ in range(20):
        for some, aim in loader:
            optimizer.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(model(some)[:, 0], aim).backward()
            optimizer.step()
    with torch.no_grad():
        return np.asarray(torch.sigmoid(model(rows[test])[:, 0]).numpy())


PEERS: dict[str, Scores] = {"diffprivlib": diffprivlib, "interpret": interpret, "opacus": opacus}


def main(name: str, seeds: str, adult: str | None = None) -> None:
    """Every data set at every epsilon."""
    warnings.simplefilter("ignore")
    for task in tasks(adult):
        for epsilon in EPSILONS:
            found, before = [], time.process_time()
            for seed in range(int(seeds)):
                train, test = task.split(seed)
                try:
                    scores = PEERS[name](task, train, test, epsilon, seed)
                except Exception as error:  # noqa: BLE001 - whatever keeps a peer from running is its result
                    print(json.dumps({"missing": f"{type(error).__name__}: {error}"}), flush=True)
                    return
                found.append((float(np.mean((scores > HALF) == task.target[test])), area(task.target[test], scores)))
            seconds = (time.process_time() - before) / int(seeds)
            mean = np.mean(found, axis=0)
            line = {"data": task.name, "epsilon": epsilon, "accuracy": mean[0], "auc": mean[1], "cpu": seconds}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
