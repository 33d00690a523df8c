"""Noise for each statistic, from its share of the spend; and how private keys are chosen, from theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import root_above
from deniable.mechanisms import Gaussian, Laplace, PartitionSelection
from deniable.planner import work
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.price import Chosen, by_epsilon, by_rho
from deniable.planner.choices.running_counts import Counted, counted
from deniable.planner.intervals.columns import taken_apart
from deniable.planner.plan import Bound, Noisy, Parallel, Part
from deniable.planner.pricing.distance import distance_of
from deniable.planner.spend import Spend

_STATISTIC_STEPS = 12
"""What it takes to find the noise of one statistic."""


def noise_for(bound: Bound, spend: Spend) -> tuple[Part, ...]:
    """An even share of the spend for each statistic (and one for private keys), or by weights."""
    work.spend(_STATISTIC_STEPS * len(bound.statistics))
    weights = _weights(bound, spend)
    total = _paid(bound, weights) + (1 if bound.private_keys or bound.listed else 0)
    shares = {name: weight / total for name, weight in weights.items()}
    try:
        together = [
            part for family in _families(bound) if (part := _together(family, shares, bound, spend)) is not None
        ]
        beside = [_parallel(family, shares, bound, spend) for family in bound.shared]
        shared = frozenset[str]().union(*(part.names for part in together), *bound.shared)
        alone = [base for base in bound.statistics if not base.names <= shared]
        return (*(_part(statistic, shares[statistic.name], bound, spend) for statistic in alone), *beside, *together)
    except InvalidArgumentError:
        raise Refused("bad-spend", "So small a spend needs more noise than can be computed.", "Spend more.") from None


def selection_for(bound: Bound, spend: Spend) -> PartitionSelection | None:
    """One even share of the spend chooses the private keys."""
    if not bound.private_keys or spend.delta is None:
        return None
    total = 1 + _paid(bound, _weights(bound, spend))
    if spend.rho is not None:
        # (epsilon, delta) costs epsilon^2 / 2 of rho: the epsilon that costs the share, rounded down
        epsilon = Fraction(floor(root_above(2 * spend.rho / total) * 10**9) - 1, 10**9)
    else:
        epsilon = (spend.epsilon or Fraction(0)) / total
    partitions = bound.most_keys if bound.source.unit is not None else 1
    try:
        return PartitionSelection(epsilon=epsilon, delta=spend.delta, partitions=partitions)
    except InvalidArgumentError:
        raise Refused("bad-spend", "So small a spend would never show a group.", "Spend more.") from None


def _weights(bound: Bound, spend: Spend) -> dict[str, Fraction]:
    """Of each statistic; those of different rows weigh as much as the weightiest of them.

    A count and a sum that follow from both ends of the bounds weigh as one statistic under Laplace noise, where they
    cost no more. Gaussian noise on both ends is that on count and sum, turned: so they weigh as two.
    """
    weights = {statistic.name: _weight(statistic, bound, spend) for statistic in bound.statistics}
    for family in bound.shared:
        times = 2 if family == bound.divided and spend.rho is not None else 1
        weights |= dict.fromkeys(family, times * max(weights[name] for name in family))
    return weights


def _paid(bound: Bound, weights: Mapping[str, Fraction]) -> Fraction:
    """What all of them weigh together: those that share a spend, once."""
    once = {max(family): weights[max(family)] for family in bound.shared}
    shared = frozenset().union(*bound.shared)
    alone = [weight for name, weight in weights.items() if name not in shared]
    return sum((*alone, *once.values()), Fraction(0))


def _weight(statistic: Base, bound: Bound, spend: Spend) -> Fraction:
    """The largest weight of the columns that rest on it."""
    unknown = set(spend.weights) - {output.name for output in bound.outputs}
    if unknown:
        raise Refused("bad-spend", f"There is no column {min(unknown)!r} to weigh.", "Use the answer's column names.")
    using = [output.name for output in bound.outputs if statistic.names & output.rests_on]
    return max((spend.weights.get(name, Fraction(1)) for name in using), default=Fraction(1))


def _part(statistic: Base, share: Fraction, bound: Bound, spend: Spend) -> Noisy | Chosen:
    """One statistic for its share of the spend."""
    grouped = bool(bound.keys)
    if not isinstance(statistic, Statistic):
        if spend.rho is not None:
            return by_rho(
                statistic, spend.rho * share, _doubt(statistic, bound, spend), bound.neighbours, grouped=grouped
            )
        pure = (spend.epsilon or Fraction(0)) * share
        return by_epsilon(statistic, pure, _doubt(statistic, bound, spend), bound.neighbours, grouped=grouped)
    distance = distance_of(statistic, bound.neighbours, grouped=grouped, squared=spend.rho is not None)
    return _noisy(statistic, distance, share, spend)


def _noisy(statistic: Statistic, distance: int, share: Fraction, spend: Spend) -> Noisy:
    if spend.rho is not None:
        return Noisy(statistic, Gaussian(sensitivity=distance, rho=spend.rho * share))
    return Noisy(statistic, Laplace(sensitivity=distance, epsilon=(spend.epsilon or 0) * share))


def _parallel(family: frozenset[str], shares: Mapping[str, Fraction], bound: Bound, spend: Spend) -> Parallel:
    """Statistics of different rows, each noisy as if it were alone. Who is replaced may go from one to another."""
    members = [base for base in bound.statistics if isinstance(base, Statistic) and base.name in family]
    signed = any(member.signed for member in members)
    parts = []
    for member in members:
        distance = distance_of(
            replace(member, signed=signed), bound.neighbours, grouped=True, squared=spend.rho is not None
        )
        parts.append(_noisy(member, distance, shares[member.name], spend))
    return Parallel(tuple(parts))


def _families(bound: Bound) -> list[tuple[Quantile, ...]]:
    """Quantiles of the same values, where there are several."""
    families: dict[str, list[Quantile]] = {}
    for base in bound.statistics:
        if isinstance(base, Quantile) and 0 in base.sides:
            families.setdefault(base.histogram.name, []).append(base)
    return [tuple(family) for family in families.values() if len(family) > 1]


def _together(
    family: tuple[Quantile, ...], shares: Mapping[str, Fraction], bound: Bound, spend: Spend
) -> Counted | None:
    """Running counts for all of them, if that at least halves the ranks by which their intervals are wide."""
    share = sum((shares[quantile.name] for quantile in family), Fraction(0))
    paid = (None if spend.epsilon is None else spend.epsilon * share, None if spend.rho is None else spend.rho * share)
    part = counted(family, paid, max(_doubt(quantile, bound, spend) for quantile in family), bound.neighbours)
    apart = [_part(quantile, shares[quantile.name], bound, spend) for quantile in family]
    better = all(
        isinstance(single, Chosen) and 2 * part.ranks(quantile) <= single.ranks
        for single, quantile in zip(apart, family, strict=True)
    )
    return part if better else None


def _doubt(statistic: Base, bound: Bound, spend: Spend) -> Fraction:
    """The confidence that a choice's interval needs, so that every column that rests on it has the one asked for."""
    whole = {base.name: base.worth.denominator == 1 for base in bound.statistics if isinstance(base, Statistic)}
    choices = frozenset().union(*(base.names for base in bound.statistics if not isinstance(base, Statistic)))
    using = [output.value for output in bound.outputs if statistic.names & output.rests_on]
    doubts = [taken_apart(value, whole, choices).doubt(1 - spend.confidence) for value in using]
    return 1 - min(doubts, default=1 - spend.confidence)
