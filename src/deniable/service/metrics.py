"""What the custodian sees of a server: how much of each kind there was. Labels are our words, never a question's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

_HELP = {
    "requests": "Requests, by population, kind and how they ended.",
    "late": "Answers that were not there at their first deadline, by population.",
    "logins_failed": "Attempts to come in that were turned away, by door.",
    "connections": "Connections that were opened, by door.",
    "catalogue_unknown": "Catalogue statements that were refused because they are not understood.",
}


_LAST = {"entry": "The ledger's entry of the last charge, by population."}


class Metrics:
    """Counters that only grow, and the last of what is numbered.

    Example:
        >>> metrics = Metrics()
        >>> metrics.count("late", population="clinic")
        >>> print(metrics.prometheus("clinic"))
        # HELP deniable_late_total Answers that were not there at their first deadline, by population.
        # TYPE deniable_late_total counter
        deniable_late_total{population="clinic"} 1
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._last: dict[tuple[str, str], int] = {}

    def count(self, what: str, **labels: str) -> None:
        """One more."""
        self._counts[what, tuple(sorted(labels.items()))] += 1

    def last(self, what: str, number: int, population: str) -> None:
        """The number that the last one has."""
        self._last[what, population] = number

    def value(self, what: str, **labels: str) -> int:
        """How many there were with these labels, whatever the others are."""
        wanted = set(labels.items())
        return sum(number for (name, has), number in self._counts.items() if name == what and wanted <= set(has))

    def prometheus(self, population: str | None = None) -> str:
        """In the text format of Prometheus; of one population, and of what belongs to none."""
        return "\n".join(self._lines(population))

    def _lines(self, population: str | None) -> Iterator[str]:
        for name, says in _HELP.items():
            found = [
                (labels, number)
                for (what, labels), number in sorted(self._counts.items())
                if what == name and dict(labels).get("population", population) == population
            ]
            if found:
                yield f"# HELP deniable_{name}_total {says}"
                yield f"# TYPE deniable_{name}_total counter"
                for labels, number in found:
                    yield f"deniable_{name}_total{{{','.join(_label(*label) for label in labels)}}} {number}"
        for name, says in _LAST.items():
            if population is not None and (name, population) in self._last:
                yield f"# HELP deniable_last_{name} {says}"
                yield f"# TYPE deniable_last_{name} gauge"
                yield f"deniable_last_{name}{{{_label('population', population)}}} {self._last[name, population]}"


def _label(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{name}="{escaped}"'
