"""The same definitions, record by record, in plain Python: slow, and written from the papers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import log

import numpy as np
from scipy.optimize import linprog

Record = tuple[object, ...]


def nodes(heights: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return product(*map(range, heights))


def coarse(record: Record, node: Sequence[int], names: Sequence[Mapping[object, Sequence[str]]]) -> tuple[str, ...]:
    """The quasi-identifiers of a record at the node's levels; `names` lists for each value its names, '*' at last."""
    return tuple(above[value][level] for value, level, above in zip(record, node, names, strict=False))


def classes(
    records: Sequence[Record], node: Sequence[int], names: Sequence[Mapping]
) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = {}
    for place, record in enumerate(records):
        found.setdefault(coarse(record, node, names), []).append(place)
    return found


def transport(first: Sequence[float], second: Sequence[float], ground: np.ndarray) -> float:
    """Earth mover's distance as the linear program that defines it."""
    size = len(first)
    sums = np.zeros((2 * size, size * size))
    for place in range(size):
        sums[place, place * size : (place + 1) * size] = 1
        sums[size + place, place::size] = 1
    solved = linprog(np.asarray(ground).ravel(), A_eq=sums[:-1], b_eq=np.r_[first, second][:-1], method="highs")
    return float(solved.fun)


def shares(values: Sequence[object], domain: Sequence[object]) -> list[float]:
    counts = Counter(values)
    return [counts[value] / len(values) for value in domain]


def equal_distance(inside: Sequence[object], everything: Sequence[object]) -> float:
    domain = sorted(set(everything), key=str)
    return sum(abs(a - b) for a, b in zip(shares(inside, domain), shares(everything, domain), strict=True)) / 2


def ordered_distance(inside: Sequence[float], everything: Sequence[float]) -> float:
    domain = sorted(set(everything))
    gaps = np.cumsum(np.subtract(shares(inside, domain), shares(everything, domain)))
    return float(np.abs(gaps).sum() / max(1, len(domain) - 1))


def meets(values: Sequence[object], everything: Sequence[object], demand: tuple) -> bool:
    """Whether the sensitive values of one class meet a demand."""
    counts = sorted(Counter(values).values(), reverse=True)
    kind, *settings = demand
    if kind == "distinct":
        return len(counts) >= settings[0]
    if kind == "entropy":
        return -sum(n / len(values) * log(n / len(values)) for n in counts) >= log(settings[0]) - 1e-9
    if kind == "recursive":
        return counts[0] < settings[1] * sum(counts[settings[0] - 1 :])
    distance = {"equal": equal_distance, "ordered": ordered_distance}[kind]
    return distance(values, everything) <= settings[0] + 1e-9


def suppressed(
    records: Sequence[Record], node: Sequence[int], names: Sequence[Mapping], k: int, demands: Sequence
) -> set[int]:
    """The records of the classes that fail."""
    secrets = [record[-1] for record in records]
    lost: set[int] = set()
    for members in classes(records, node, names).values():
        values = [secrets[place] for place in members]
        if len(members) < k or not all(meets(values, secrets, demand) for demand in demands):
            lost |= set(members)
    return lost


def loss(kind: str, records: Sequence[Record], node: Sequence[int], names: Sequence[Mapping], lost: set[int]) -> float:
    """By its definition, record by record."""
    rows, many = len(records), len(node)
    found = classes(records, node, names)
    if kind == "discernibility":
        return sum(rows if place in lost else len(members) for members in found.values() for place in members)
    if kind == "class size":
        kept = sum(not set(members) <= lost for members in found.values())
        return rows / (kept + bool(lost))
    total = top = 0.0
    for column in range(many):
        values = [record[column] for record in records]
        labels = [names[column][value][node[column]] for value in values]
        domain = sorted(set(values), key=str)
        for place, (value, label) in enumerate(zip(values, labels, strict=True)):
            group = [other for other in domain if names[column][other][node[column]] == label]
            if kind == "ncp":
                total += 1 if place in lost else (len(group) - 1) / max(1, len(domain) - 1)
                top += 1
            else:
                alike = rows if place in lost else labels.count(label)
                total += np.log2(alike / values.count(value))
                top += np.log2(rows / values.count(value))
    return total / (top or 1)
