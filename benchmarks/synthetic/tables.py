"""The tables that are made up again: a census extract, if it is there, and four of other shapes, made here."""
# ruff: noqa: PLR2004 - made-up tables are made of numbers

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.core.grid import IntArray

_ADULT = [*["age", "workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex"]]
_ADULT += ["hours-per-week", "income>50K"]
_ADULT_ORDERED = {"age", "education-num", "hours-per-week"}
_MOST_CELLS = 2_000_000


@dataclass(frozen=True)
class Codes:
    """A table as codes."""

    name: str
    columns: dict[str, IntArray]
    sizes: dict[str, int]
    ordered: frozenset[str]

    @property
    def rows(self) -> int:
        """How many."""
        return next(iter(self.columns.values())).size

    def save(self, path: Path) -> None:
        """For a contender in another process; as Parquet, too, which is what ours reads."""
        header = np.array([[name, str(size), str(name in self.ordered)] for name, size in self.sizes.items()])
        most = np.min_scalar_type(max(self.sizes.values()))  # so that what a contender is given is not what it takes
        narrow = {name: column.astype(most) for name, column in self.columns.items()}
        np.savez(path, header=header, codes=np.stack(list(narrow.values())))
        pq.write_table(pa.table(narrow), path.with_suffix(".parquet"))

    def distances(self, made: Sequence[IntArray], many: int) -> np.ndarray:
        """The total variation of every set of so many columns that has not too many cells."""
        columns, sizes = list(self.columns.values()), list(self.sizes.values())
        found = []
        for places in combinations(range(len(columns)), many):
            cells = prod(sizes[place] for place in places)
            if cells > _MOST_CELLS:
                continue
            shares = []
            for rows in (columns, made):
                code = np.zeros(rows[0].size, dtype=np.int64)
                for place in places:
                    code = code * sizes[place] + rows[place]
                shares.append(np.bincount(code, minlength=cells) / code.size)
            found.append(0.5 * np.abs(shares[0] - shares[1]).sum())
        return np.array(found)


def load(path: Path, *, rows: bool = True) -> Codes:
    """What `Codes.save` wrote; or its header alone, for whoever reads the rows elsewhere."""
    with np.load(path) as file:
        header = file["header"]
        codes = file["codes"] if rows else np.empty((len(header), 0), dtype=np.int64)
    names = [str(line[0]) for line in header]
    sizes = {name: int(line[1]) for name, line in zip(names, header, strict=True)}
    ordered = frozenset(name for name, line in zip(names, header, strict=True) if line[2] == "True")
    return Codes(path.stem, dict(zip(names, codes, strict=True)), sizes, ordered)


def every() -> dict[str, Codes]:
    """All of them, by name."""
    made = {"journeys": journeys(), "orders": orders(), "bookings": bookings(), "meters": meters()}
    path = os.environ.get("DENIABLE_ADULT")
    if path is None:
        print("Adult is left out: DENIABLE_ADULT names no CSV file of its codes.\n")
        return made
    return {"Adult": adult(Path(path)), **made}


def adult(path: Path) -> Codes:
    """The census extract, as codes."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([int(row[name]) for row in rows]) for name in _ADULT}
    sizes = {name: int(column.max()) + 1 for name, column in columns.items()}
    return Codes("Adult", columns, sizes, frozenset(_ADULT_ORDERED))


def journeys(rows: int = 60_000) -> Codes:
    """Made up: place, distance and duration nearly determine each other."""
    chance = np.random.default_rng(11)
    weight = 1 / np.arange(1, 121) ** 0.9
    start = chance.choice(120, rows, p=weight / weight.sum())
    far = 5 + (np.arange(120) * 37) % 90
    distance = np.clip(far[start] + chance.integers(-2, 3, rows), 0, 99)
    duration = np.clip(distance * 2 + chance.integers(-3, 4, rows), 0, 199)
    fare = np.clip(3 + distance // 2 + chance.integers(0, 2, rows), 0, 59)
    hour = np.clip(chance.normal(13 + 4 * (start % 3 - 1), 4, rows), 0, 23).astype(np.int64)
    kind = np.where(chance.random(rows) < 0.85, (hour > 17) * 1 + (distance > 60) * 2, chance.integers(0, 4, rows))
    columns = {"place": start, "distance": distance, "duration": duration, "fare": fare, "hour": hour, "kind": kind}
    sizes = {"place": 120, "distance": 100, "duration": 200, "fare": 60, "hour": 24, "kind": 4}
    return Codes("journeys", columns, sizes, frozenset({"distance", "duration", "fare", "hour"}))


def orders(rows: int = 80_000) -> Codes:
    """Made up: wide categories, skewed numbers, weak and strong dependence in one table."""
    chance = np.random.default_rng(12)
    popular = 1 / np.arange(1, 301) ** 1.1
    article = chance.choice(300, rows, p=popular / popular.sum())
    group = article % 14
    price = np.minimum(np.exp(chance.normal(2 + (article % 7) * 0.35, 0.7, rows)), 399).astype(np.int64)
    number = np.minimum(chance.geometric(0.35 + 0.4 * (price > 20), rows), 20) - 1
    country = np.where(chance.random(rows) < 0.6, group % 6, chance.integers(0, 150, rows) ** 2 // 150)
    paid = (chance.random(rows) < 0.3 + 0.5 * (country < 4)).astype(np.int64) + (price > 100)
    returned = (chance.random(rows) < 0.05 + 0.25 * (group == 3) + 0.1 * (number > 4)).astype(np.int64)
    month = np.clip(chance.normal(6 + 3 * (group % 2), 3, rows), 0, 11).astype(np.int64)
    columns = {"article": article, "group": group, "price": price, "number": number, "country": country}
    columns |= {"paid": paid, "returned": returned, "month": month}
    sizes = {"article": 300, "group": 14, "price": 400, "number": 20, "country": 150, "paid": 3, "returned": 2}
    sizes |= {"month": 12}
    return Codes("orders", columns, sizes, frozenset({"price", "number", "month"}))


def bookings(rows: int = 70_000) -> Codes:
    """Made up: a wide category, evenly used, that says which town and nearly which class; skewed numbers."""
    chance = np.random.default_rng(21)
    hotel = chance.integers(0, 180, rows)
    town = (np.arange(180) * 7 % 30)[hotel]
    stars = np.clip((np.arange(180) * 11 % 5)[hotel] + (chance.random(rows) < 0.05), 0, 4)
    nights = np.minimum(chance.geometric(0.2 + 0.1 * (stars < 2), rows), 30) - 1
    price = np.clip(np.exp(chance.normal(3.2 + 0.35 * stars, 0.5, rows)), 0, 499).astype(np.int64)
    weekday = np.where(chance.random(rows) < 0.5, chance.integers(4, 6, rows), chance.integers(0, 7, rows))
    channel = (stars + chance.choice(4, rows, p=[0.6, 0.2, 0.1, 0.1])) % 4
    cancelled = (chance.random(rows) < 0.05 + 0.02 * nights * (channel == 1)).astype(np.int64)
    columns = {"hotel": hotel, "town": town, "stars": stars, "nights": nights, "price": price}
    columns |= {"weekday": weekday, "channel": channel, "cancelled": cancelled}
    sizes = {"hotel": 180, "town": 30, "stars": 5, "nights": 30, "price": 500, "weekday": 7, "channel": 4}
    sizes |= {"cancelled": 2}
    return Codes("bookings", columns, sizes, frozenset({"stars", "nights", "price", "weekday"}))


def meters(rows: int = 50_000) -> Codes:
    """Made up: readings whose day, temperature, use and tariff follow from each other; a wide, uneven category."""
    chance = np.random.default_rng(22)
    popular = 1 / np.arange(1, 131) ** 0.6
    meter = chance.choice(130, rows, p=popular / popular.sum())
    day = chance.integers(0, 365, rows)
    warm = 15 - 12 * np.cos(2 * np.pi * day / 365)
    temperature = np.clip(np.rint(warm + chance.normal(0, 3, rows)) + 10, 0, 54).astype(np.int64)
    use = np.exp(chance.normal(2.5 + (meter % 9) * 0.2 + np.maximum(28 - temperature, 0) * 0.05, 0.5, rows))
    used = np.minimum(use, 299).astype(np.int64)
    tariff = np.searchsorted([10, 20, 35, 60, 110], used, side="right")
    hour = np.clip(chance.normal(8 + 11 * (chance.random(rows) < 0.6), 2.5, rows), 0, 23).astype(np.int64)
    alarm = (chance.random(rows) < 0.01 + 0.1 * (used > 110)).astype(np.int64)
    columns = {"meter": meter, "day": day, "temperature": temperature, "used": used, "tariff": tariff}
    columns |= {"hour": hour, "alarm": alarm}
    sizes = {"meter": 130, "day": 365, "temperature": 55, "used": 300, "tariff": 6, "hour": 24, "alarm": 2}
    return Codes("meters", columns, sizes, frozenset({"day", "temperature", "used", "tariff", "hour"}))
