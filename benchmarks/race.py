"""Queries side by side, each in an engine of its own, so that processor time and peak memory are its own."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deniable.core.algebra.query import ExactQuery
from deniable.engines import DuckDB

_TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class _Runner:
    """One query, and the least that it took over its runs."""

    name: str
    query: str | ExactQuery
    engine: DuckDB
    wall: float = float("inf")
    processor: float = float("inf")
    memory: float = 0.0

    def again(self) -> None:
        """One more run."""
        before, started = _processor(self.engine), time.perf_counter()
        if isinstance(self.query, str):
            self.engine.fetch(self.query)
        else:
            self.engine.run(self.query)
        self.wall = min(self.wall, time.perf_counter() - started)
        self.processor = min(self.processor, _processor(self.engine) - before)
        self.memory = _peak(self.engine)


@dataclass(slots=True)
class Race:
    """Ours, called 'ours', against queries that one would write by hand, over the same files."""

    tables: Mapping[str, Path]
    queries: Mapping[str, str | ExactQuery]
    runners: list[_Runner] = field(default_factory=list)

    def run(self, times: int) -> None:
        """All take turns; the best run of each counts."""
        for name, query in self.queries.items():
            engine = DuckDB(self.tables, seconds=600)
            engine.fetch("SELECT 1")
            self.runners.append(_Runner(name, query, engine))
        for _ in range(times):
            for runner in self.runners:
                runner.again()
        for runner in self.runners:
            runner.engine.close()

    def show(self, title: str) -> None:
        """A line for each, with ratios to the best one that is not ours."""
        wall, processor = self._best()
        print(f"{title:52}{'wall s':>10}{'ratio':>8}{'CPU s':>10}{'ratio':>8}{'peak MB':>10}")
        for one in self.runners:
            print(
                f"  {one.name:50}{one.wall:10.3f}{one.wall / wall:8.2f}"
                f"{one.processor:10.3f}{one.processor / processor:8.2f}{one.memory:10.0f}"
            )
        print()

    def within(self, factor: float, seconds: float = 0.0) -> str:
        """Whether ours took at most `factor` times the best other one, and so many seconds more."""
        wall, processor = self._best()
        ours = next(one for one in self.runners if one.name == "ours")
        held = {"wall": ours.wall <= factor * wall + seconds, "CPU": ours.processor <= factor * processor + seconds}
        return ", ".join(f"{name} {'yes' if kept else 'no'}" for name, kept in held.items())

    def _best(self) -> tuple[float, float]:
        others = [one for one in self.runners if one.name != "ours"]
        return min(one.wall for one in others), max(_TICK, min(one.processor for one in others))


def _processor(engine: DuckDB) -> float:
    """Seconds of processor time that the worker has used so far."""
    fields = Path(f"/proc/{engine.process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK


def _peak(engine: DuckDB) -> float:
    """The most memory that the worker has had, in MB."""
    lines = Path(f"/proc/{engine.process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
