"""A workload's plan, from its cells on: task, strategy, price. Follows from the policy and the workload alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, isinf
from textwrap import shorten

import numpy as np

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.workloads.planner import Values
from deniable.curator.workloads.purchase import ReleasePlan
from deniable.planner import Spend
from deniable.planner.expressions.keys import GroupKey
from deniable.planner.pricing.price import least_paid
from deniable.planner.release_cells import ReleaseCells
from deniable.releases.linear.design import Design
from deniable.releases.linear.domain import Attribute, Domain
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.quote import ReleaseQuote
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.task import ListedQueries, Piece, Task, factors
from deniable.releases.linear.workload import Conditions, Workload

_MOST_LISTED = 1 << 25
"""Conditions times cells that are listed."""
_LONGEST = 2_000
"""What the ledger keeps of a workload's text, in characters."""


def plan_release(work: Workload, cells: ReleaseCells, spend: Spend, strategy: str, values: Values = ()) -> ReleasePlan:
    """The plan for this spend; for a wanted accuracy, with the least spend that reaches it."""
    keys, domain = _domain(cells, values)
    task = Task(domain, tuple(piece for part in work.parts for piece in _pieces(part, cells, keys, domain)))
    noise, cautions = _noise(cells, spend), _cautions(cells)
    if spend.accuracy is not None:
        enough = _least(choose(strategy, task, noise), spend)
        noise = replace(noise, spend=max(enough, spend.least))
        cautions += (least_paid(noise.spend, enough),) if enough < spend.least else ()
    design = choose(strategy, task, noise)
    quote = _quote(design, noise, spend.confidence, cautions)
    return ReleasePlan(shorten(repr(work), _LONGEST), cells, keys, design, quote)


def _quote(design: Design, noise: Noise, confidence: Fraction, cautions: tuple[str, ...]) -> ReleaseQuote:
    """The price; a strategy whose error cannot be worked out is not paid for."""
    try:
        return ReleaseQuote.of(design, noise, confidence, cautions)
    except InvalidArgumentError as error:
        raise Refused("strategy", f"{error}.".capitalize(), "Choose another strategy.") from None


def _domain(cells: ReleaseCells, values: Values) -> tuple[tuple[GroupKey, ...], Domain]:
    """The keys with their values, and the same for people."""
    keys, attributes, selections = [], [], dict(values)
    listed = zip(cells.attributes, cells.bound.keys, cells.domains, cells.ordered, strict=True)
    for name, key, shown, ordered in listed:
        selected = selections.get(name)
        if key.domain is None and selected is None:
            raise Refused(
                "needs-bounds",
                f"It is not known which values {name!r} has.",
                "Declare its bounds or values in the policy, list values in `where`, or release with a delta.",
            )
        domain = key.domain if key.domain is not None else selected
        if not domain:
            raise Refused("no-values", f"No value of {name!r} is common enough to be shown.", "Spend more.")
        keys.append(GroupKey(key.name, key.value, domain))
        attributes.append(Attribute(name, shown if shown is not None else domain, ordered))
    return tuple(keys), Domain(tuple(attributes))


def _pieces(part: object, cells: ReleaseCells, keys: tuple[GroupKey, ...], domain: Domain) -> list[Piece]:
    """A part of the workload on the cells; conditions on the same attributes stay together."""
    if not isinstance(part, Conditions):
        found = factors(part, domain)  # type: ignore[arg-type]
        if not found.rows:  # as it may turn out where only rows without a value are many
            reason = "No value is common enough to be shown, so there are no ranges."
            raise Refused("no-values", reason, "Ask for a histogram: missing values have a cell of their own.")
        return [found]
    by_axes: dict[tuple[int, ...], list[tuple[str, np.ndarray]]] = {}
    for condition in part.conditions:
        axes, satisfied = cells.satisfying(condition, [key.domain or () for key in keys])
        by_axes.setdefault(axes, []).append((condition, satisfied))
        if sum(len(found) * found[0][1].size for found in by_axes.values()) > _MOST_LISTED:
            raise Refused("too-many-cells", "The conditions are about too many cells.", "Use coarser attributes.")
    return [
        ListedQueries(
            axes, np.stack([satisfied for _, satisfied in found]), float(part.weight), tuple(text for text, _ in found)
        )
        for axes, found in by_axes.items()
    ]


def _noise(cells: ReleaseCells, spend: Spend) -> Noise:
    """What a unit may weigh, from the count that the cells are made of."""
    if spend.weights:
        raise Refused("bad-spend", "A release has no columns to weigh.", "Weigh parts of the workload: 2 * part.")
    (count,) = cells.counts
    pure = spend.rho is None
    loss = spend.epsilon or spend.rho or Fraction(1)
    return Noise(loss, pure, count.reach, count.worth, cells.bound.neighbours)


def _least(design: Design, spend: Spend) -> Fraction:
    """The epsilon at which every query is as accurate as wanted: errors go like 1/epsilon. Rounded up a little."""
    widest = max(
        float(design.radius(None, piece, float(spend.confidence)).max(initial=0)) for piece in design.task.pieces
    )
    if isinf(widest):
        raise Refused(
            "strategy", f"How far off {design.name} will be is not known beforehand.", "Give epsilon or rho instead."
        )
    return Fraction(ceil(widest / float(spend.accuracy or 1) * 1.001 * 10**6), 10**6)


def _cautions(cells: ReleaseCells) -> tuple[str, ...]:
    """What the answers leave out besides noise, and no interval covers."""
    source, found = cells.bound.source, []
    if source.unit is not None:
        most = source.contribution
        found.append(f"people with more than {most} rows count as {most}: counts leave out the rest")
    unlisted = [name for name, key in zip(cells.attributes, cells.bound.keys, strict=True) if key.domain is None]
    if unlisted:
        first = f"values of {', '.join(unlisted)} are found first, for a tenth of the price"
        found.append(f"{first}; rows with rare ones are left out")
    return tuple(found)
