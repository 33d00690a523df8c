"""What a question costs: noise for each statistic, from the spend and public facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from deniable.core.algebra.expression import Call, Expression, Kind, Literal
from deniable.core.algebra.query import DistinctSum, DistinctValues, GroupQuery, Kept, Key, Sums, Units
from deniable.core.calendar import SECOND
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.core.number import least_decimal, root_above
from deniable.core.sensitivity import Neighbours
from deniable.core.shown import at_most, percent
from deniable.mechanisms import Gaussian, Laplace, PartitionSelection
from deniable.planner import work
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.cautions import cautions
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.price import Chosen, by_epsilon, by_rho
from deniable.planner.choices.running_counts import Counted, counted
from deniable.planner.effort import check_effort
from deniable.planner.expressions.evaluate import Band, Result, unrounded
from deniable.planner.expressions.keys import groups
from deniable.planner.intervals.columns import taken_apart, with_intervals
from deniable.planner.intervals.forms import Affine, Ratio, finite
from deniable.planner.plan import Bound, Noisy, Output, Parallel, Part, Plan, Priced, Quote, each, material, singly
from deniable.planner.spend import Spend
from deniable.planner.steps import notes

_SIZES = (100, 1_000, 10_000, 100_000)
_SIZED_COLUMNS = 3
"""So many columns have their error said for groups of these sizes."""
_SAMPLE_GROUP = 1000
"""The size of the group for which the error of a ratio is quoted."""
_STATISTIC_STEPS = 12
"""What it takes to find the noise of one statistic."""
_FRACTIONS = np.linspace(0, 1, 8, endpoint=False)

Parts = tuple[Part, ...]


def price(bound: Bound, spend: Spend) -> Plan:
    """The plan for this spend; for a wanted accuracy, the plan with the least spend that reaches it."""
    with work.counted():
        plan = _noted(_priced(bound, _each(bound, spend)), bound, spend)
    check_effort(plan.noise, 1 if bound.private_keys else groups(bound.keys))
    return plan


def _each(bound: Bound, spend: Spend) -> Spend:
    """For each interval by itself: with all groups that are known, and each column that has noise."""
    if not spend.simultaneous:
        return spend
    if bound.private_keys and spend.accuracy is not None:
        reason = "How many groups there are is not known, so no spend can promise an accuracy for all of them at once."
        raise Refused("accuracy", reason, "Give epsilon, or leave out simultaneous.")
    statistics = frozenset().union(*(base.names for base in bound.statistics))
    columns = sum(bool(statistics & output.rests_on) for output in bound.outputs)
    number = 1 if bound.private_keys else groups(bound.keys)
    return replace(spend, confidence=each(spend.confidence, number * columns))


def _noted(plan: Plan, bound: Bound, spend: Spend) -> Plan:
    """With what was asked for beside the numbers, in the quote and in its notes."""
    if not spend.simultaneous and not spend.after:
        return plan
    said = [f"all intervals of this answer hold at once with {percent(spend.confidence)} confidence"]
    if bound.private_keys:
        said.append("the errors above are those of one group: with every group that is shown, intervals are wider")
    texts = (*plan.quote.notes, *(said if spend.simultaneous else ()), *notes(spend.after))
    told = replace(plan.quote, confidence=spend.confidence, simultaneous=spend.simultaneous, after=spend.after)
    return replace(plan, quote=replace(told, notes=texts))


def restated(plan: Plan, bound: Bound) -> Plan:
    """The same queries with the same noise, for a question that makes other columns of the same statistics."""
    quote = plan.quote
    told = _quote(bound, Spend(confidence=quote.confidence), plan.noise, plan.selection, quote.loss)
    return replace(plan, bound=bound, quote=told)


def _priced(bound: Bound, spend: Spend) -> Plan:
    if bound.private_keys:
        _check_private_keys(bound, spend)
    else:
        groups(bound.keys)
    if spend.accuracy is None or bound.listed:
        return _plan(bound, spend, _noise(bound, spend))
    wanted, steady, rows = spend.accuracy, _steady(bound, spend), spend.rows or _SAMPLE_GROUP

    def enough(epsilon: Fraction) -> bool:
        noise = _noise(bound, replace(spend, accuracy=None, epsilon=epsilon))
        found = (_expected(output, noise, spend.confidence, rows) for output in steady)
        return all(error <= (wanted * abs(Fraction(value)) if spend.relative else wanted) for value, error in found)

    epsilon = least_decimal(enough)
    paid = max(epsilon, spend.least)
    reached = replace(spend, accuracy=None, epsilon=paid)
    plan = _plan(bound, reached, _noise(bound, reached))
    return plan if paid == epsilon else replace(plan, quote=plan.quote.with_notes([least_paid(paid, epsilon)]))


def least_paid(paid: Fraction, enough: Fraction) -> str:
    """Why an accuracy costs more than it needs."""
    return f"costs ε {at_most(paid)}, the least that may be spent; ε {at_most(enough)} would be accurate enough"


def _check_private_keys(bound: Bound, spend: Spend) -> None:
    """What private keys need."""
    if bound.crowd and (bound.neighbours is Neighbours.REPLACE or spend.delta is None):
        hint = "Group by fewer or coarser keys, or give delta: then only the groups of enough people are shown."
        raise Refused("too-many-groups", f"There would be {bound.crowd:,} groups.", hint)
    if bound.neighbours is Neighbours.REPLACE:
        raise Refused(
            "private-keys", "Private keys need neighbours = 'add-remove' in the policy.", "Group by declared values."
        )
    if spend.delta is None:
        raise Refused(
            "private-keys",
            "The policy does not list these group keys, and revealing them costs a delta.",
            "Give delta, or group by a column with declared values, or list the keys: WHERE key IN (...).",
        )


def _noise(bound: Bound, spend: Spend) -> Parts:
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


def _parallel(family: frozenset[str], shares: Mapping[str, Fraction], bound: Bound, spend: Spend) -> Parallel:
    """Statistics of different rows, each noisy as if it were alone. Who is replaced may go from one to another."""
    members = [base for base in bound.statistics if isinstance(base, Statistic) and base.name in family]
    signed = any(member.signed for member in members)
    parts = []
    for member in members:
        distance = _distance(
            replace(member, signed=signed), bound.neighbours, grouped=True, squared=spend.rho is not None
        )
        parts.append(_noisy(member, distance, shares[member.name], spend))
    return Parallel(tuple(parts))


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
    distance = _distance(statistic, bound.neighbours, grouped=grouped, squared=spend.rho is not None)
    return _noisy(statistic, distance, share, spend)


def _noisy(statistic: Statistic, distance: int, share: Fraction, spend: Spend) -> Noisy:
    if spend.rho is not None:
        return Noisy(statistic, Gaussian(sensitivity=distance, rho=spend.rho * share))
    return Noisy(statistic, Laplace(sensitivity=distance, epsilon=(spend.epsilon or 0) * share))


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


def _weight(statistic: Base, bound: Bound, spend: Spend) -> Fraction:
    """The largest weight of the columns that rest on it."""
    unknown = set(spend.weights) - {output.name for output in bound.outputs}
    if unknown:
        raise Refused("bad-spend", f"There is no column {min(unknown)!r} to weigh.", "Use the answer's column names.")
    using = [output.name for output in bound.outputs if statistic.names & output.rests_on]
    return max((spend.weights.get(name, Fraction(1)) for name in using), default=Fraction(1))


def _distance(statistic: Statistic, neighbours: Neighbours, *, grouped: bool, squared: bool) -> int:
    """How far neighbours' exact answers can lie apart, in l1, or in l2 if `squared`.

    One unit's rows add up to a vector (one entry per group) of l1 norm at most `reach`. Adding or removing the unit
    moves the answer by that vector. Replacing it moves the answer by the difference of two such vectors: at most
    2 reach in l1; in l2 too, but only sqrt(2) reach if no entry is negative; and at most reach if there is only one
    group besides.
    """
    if neighbours is Neighbours.ADD_REMOVE or (not statistic.signed and not grouped):
        return statistic.reach
    if squared and not statistic.signed:
        return -floor(-root_above(Fraction(2)) * statistic.reach)
    return 2 * statistic.reach


def _plan(bound: Bound, spend: Spend, noise: Parts) -> Plan:
    """Queries, noise, selection and quote."""
    selection = _selection(bound, spend)
    parts = [part.loss for part in noise] + ([] if selection is None else [selection.loss])
    loss = sum(parts, start=Loss.zero())
    return Plan(bound, _queries(bound), noise, selection, _quote(bound, spend, noise, selection, loss))


def _selection(bound: Bound, spend: Spend) -> PartitionSelection | None:
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


def _queries(bound: Bound) -> tuple[GroupQuery, ...]:
    """One for all sums, one for each count of units or values, and one for each histogram that is chosen from."""
    keys = tuple(Key(key.name, key.value) for key in bound.keys)
    plain = [statistic for statistic in bound.statistics if isinstance(statistic, Statistic)]
    choices = [choice for choice in bound.statistics if not isinstance(choice, Statistic)]
    totals = tuple(statistic.total for statistic in plain if statistic.total is not None)
    counts = [statistic for statistic in plain if statistic.total is None]
    if bound.private_keys:
        if any(count.distinct is not None or count.filter is not None for count in counts):
            reason = f"With private keys, DISTINCT can only count all {'people' if bound.person else 'rows'}."
            raise Refused("distinct", reason, "Use COUNT(DISTINCT unit) without FILTER, or COUNT(*).")
        if choices:
            raise Refused(
                "private-keys",
                "Quantiles and most common values need known group keys.",
                "Group by a column with declared values, or list the keys: WHERE key IN (...).",
            )
        return (Kept(bound.source, keys, totals, bound.most_keys, next((count.name for count in counts), "units")),)
    sums = (Sums(bound.source, keys, totals),) if totals else ()
    histograms = dict.fromkeys(choice.histogram.query(bound.source, keys) for choice in choices)
    return (*sums, *(_counted(count, bound, keys) for count in counts), *histograms)


def _counted(count: Statistic, bound: Bound, keys: tuple[Key, ...]) -> GroupQuery:
    if count.distinct is None:
        return Units(bound.source, keys, count.name, count.filter)
    taken = DistinctSum if count.summed else DistinctValues
    return taken(bound.source, keys, count.name, count.distinct, count.filter)


def _quote(bound: Bound, spend: Spend, noise: Parts, selection: PartitionSelection | None, loss: Loss) -> Quote:
    """A line for each noisy column."""
    lines = tuple(
        _line(output, noise, _in_terms(output, bound), spend.confidence, spend.rows or _SAMPLE_GROUP)
        for output in bound.outputs
        if any(part.names & output.rests_on for part in noise)
    )
    told = spend.sizes or (() if spend.rows is not None else _SIZES)
    sizes = _by_size(bound, noise, spend.confidence, told)
    number = None if bound.private_keys else groups(bound.keys)
    shown = None if selection is None else selection.even_odds
    return Quote(
        loss, lines, number, shown, spend.confidence, cautions(bound, noise), bound.person, rows=spend.rows, sizes=sizes
    )


def _by_size(bound: Bound, noise: Parts, confidence: Fraction, sizes: Sequence[int]) -> tuple[str, ...]:
    """The error of a few columns whose error depends on the rows of a group, for groups of these sizes."""
    names = frozenset().union(*(part.names for part in noise))
    varying = [output for output in bound.outputs if names & output.rests_on and not _linear(unrounded(output.value))]
    found = []
    for output in varying[:_SIZED_COLUMNS] if sizes else ():
        if output.value.kind in (Kind.INTEGER, Kind.NUMBER):
            errors = ", ".join(f"± {_expected(output, noise, confidence, rows)[1]:.3g}" for rows in sizes)
            found.append(
                f"error of {output.name} in groups of {', '.join(f'{rows:,}' for rows in sizes)} rows: {errors}"
            )
    return tuple(found)


def _in_terms(output: Output, bound: Bound) -> dict[str, float]:
    """How often a column holds each end of the bounds that its count or sum follows from; above the line, if any.

    Example: a sum of values between 0 and 500 is 500 times what counts at the upper end.
    """
    if not bound.divided & output.rests_on:
        return {}
    whole = {base.name: base.worth.denominator == 1 for base in bound.statistics if isinstance(base, Statistic)}
    found = dict.fromkeys(bound.divided, 0.0)
    for _, piece in taken_apart(output.value, whole, frozenset()).pieces.values():
        above = piece.top if isinstance(piece, Ratio) else piece
        if isinstance(above, Affine):
            found |= {name: max(found[name], abs(finite(above.multiples.get(name, Fraction(0))))) for name in found}
    return found if any(found.values()) else {}


def _line(output: Output, noise: Parts, times: Mapping[str, float], confidence: Fraction, rows: int) -> Priced:
    """What stands behind one column: its widest statistic's noise, and the column's own error."""
    used = [part for part in singly(noise) if part.names & output.rests_on]
    often = {part.names: max((times.get(name, 1.0) for name in part.names), default=1.0) for part in used}
    widest = max(used, key=lambda part: part.error(confidence, rows) * often[part.names])
    name = f"{type(widest.mechanism).__name__} on {' and '.join(sorted({part.label for part in used}))}"
    unit, worth = _ERRORS.get(output.value.kind, ("", 1))
    return Priced(
        output.name,
        name + unit,
        widest.sensitivity * often[widest.names],
        widest.scale * often[widest.names],
        _expected(output, noise, confidence, rows)[1] / worth,
    )


_ERRORS = {
    Kind.DATE: (", error in days", 1),
    Kind.TIMESTAMP: (", error in seconds", SECOND),
    Kind.TIME: (", error in seconds", SECOND),
}
"""In what the error of a date, a timestamp or a time of day is told."""


def _expected(output: Output, noise: Parts, confidence: Fraction, size: int) -> tuple[float, float]:
    """A column's value in a group of so many rows, and half the width of its interval: the worst of a few fractions.

    Its values lie in the middle, for sums; for quantiles they are spread evenly between the bounds.
    """
    keys: dict[str, Result] = {name: Band.exactly(np.zeros(_FRACTIONS.size)) for name in output.rests_on}
    used = [part for part in singly(noise) if part.names & output.rests_on]
    typical = material(used, lambda part, at: part.expected(at, size, _FRACTIONS), keys, _FRACTIONS.size)
    band = with_intervals(output.value, typical, confidence)
    if not isinstance(band, Band) or not band.value.size:
        return 0.0, 0.0
    return float(np.nan_to_num(band.value[0])), float((band.high - band.low).max() / 2)


def _steady(bound: Bound, spend: Spend) -> list[Output]:
    """The noisy columns, less their rounding: if an accuracy is asked for, their error must not depend on the data."""
    statistics = frozenset().union(*(statistic.names for statistic in bound.statistics))
    choices = frozenset().union(*(base.names for base in bound.statistics if not isinstance(base, Statistic)))
    noisy = [replace(output, value=unrounded(output.value)) for output in bound.outputs if statistics & output.rests_on]
    for output in noisy:
        varies = not _linear(output.value) or bool(choices & output.rests_on)
        if spend.rows is None and (varies or spend.relative):
            raise Refused(
                "accuracy",
                f"The error of {output.name!r} depends on the data, so no spend can promise an accuracy.",
                "Say how many rows a group has: rows=10000; or ask for counts and sums; or give epsilon.",
            )
    return noisy


def _linear(expression: Expression) -> bool:
    """Sums of statistics, and multiples of them by constants."""
    if not isinstance(expression, Call):
        return True
    one, *others = expression.arguments
    match expression.function:
        case "add" | "subtract" | "negate" | "round":
            return all(_linear(argument) for argument in expression.arguments)
        case "multiply":
            return sum(not isinstance(argument, Literal) for argument in (one, *others)) <= 1 and _linear(one)
        case _:
            return False
