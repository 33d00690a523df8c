"""Which protocol for this question?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log2

from rich.table import Table

from deniable.core.number import Number, positive
from deniable.local.domain import AnswerDomain, Values
from deniable.local.families.listed import ListedProtocol
from deniable.local.protocols.hadamard_response import HadamardResponse
from deniable.local.protocols.kary_response import KaryResponse
from deniable.local.protocols.projective_geometry import ProjectiveGeometry

_NEAR = 1.02
"""A simpler protocol is preferred to one that is better by less than this factor."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A protocol, why it was chosen, and what it was compared with."""

    protocol: ListedProtocol
    reason: str
    compared: Sequence[tuple[str, float, int, str]]
    """Name, n times a rare share's variance, bits of a report, steps of the collector beyond reading the reports."""

    def __rich__(self) -> Table:
        """A table for the terminal."""
        table = Table(title=self.reason, title_justify="left", header_style="bold")
        for name in ("protocol", "n x variance", "bits", "collector"):
            table.add_column(name, justify="left" if name in {"protocol", "collector"} else "right")
        for name, variance, bits, steps in self.compared:
            mark = "[bold]" if name == type(self.protocol).__name__ else ""
            table.add_row(f"{mark}{name}", f"{variance:.4g}", f"{bits:,}", steps)
        return table


def choose(domain: Values, epsilon: Number) -> Choice:
    """The protocol with the least variance of a rare share, among those whose reports and collector stay small.

    Candidates send a number of about log2(k) bits and are collected in about k log k steps. Unary encodings and subset
    selection, which send k bits, gain at most a few percent on the best of these; they are shown for comparison. Of
    two that are within two percent of each other, the simpler one is taken.

    Example:
        >>> choose(10_000, epsilon=1).reason
        'ProjectiveGeometry: n times the variance of a rare share is 3.77 (the limit for large k is 3.683), 15 bits'
        >>> type(choose(["yes", "no", "unsure"], epsilon=1).protocol).__name__
        'KaryResponse'
    """
    asked, size = positive("epsilon", epsilon), AnswerDomain.of(domain).size
    candidates: list[ListedProtocol] = [
        kind(domain, epsilon) for kind in (KaryResponse, HadamardResponse, ProjectiveGeometry)
    ]
    least = min(protocol.variance(1) for protocol in candidates)
    best = next(protocol for protocol in candidates if protocol.variance(1) <= _NEAR * least)
    odds = exp(min(float(asked), 50.0))
    limit = 4 * odds / (odds - 1) ** 2
    rows = [(type(each).__name__, each.variance(1), _bits(each), _STEPS[type(each)]) for each in candidates]
    rows.append(("OptimizedUnary, SubsetSelection", limit, size, "n k"))
    reason = (
        f"{type(best).__name__}: n times the variance of a rare share is {best.variance(1):.4g} "
        f"(the limit for large k is {limit:.4g}), {_bits(best)} bits"
    )
    return Choice(best, reason, rows)


def _bits(protocol: ListedProtocol) -> int:
    return ceil(log2(protocol.messages))


_STEPS: dict[type[ListedProtocol], str] = {
    KaryResponse: "k",
    HadamardResponse: "k log k",
    ProjectiveGeometry: "k log k, times the prime",
}
