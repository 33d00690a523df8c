"""What an answer leaves out besides noise, and no interval covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from deniable.core.algebra.expression import Call, Expression, Kind, Literal
from deniable.core.algebra.relation import lookups
from deniable.core.calendar import SECOND
from deniable.core.shown import at_most
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.bernstein import LABEL
from deniable.planner.choices.histogram import Mode, Quantile
from deniable.planner.choices.price import Chosen
from deniable.planner.expressions.evaluate import ROUNDED
from deniable.planner.listing import LISTED
from deniable.planner.plan import Bound, Noisy, Part, Single, singly


def cautions(bound: Bound, noise: Sequence[Part]) -> tuple[str, ...]:
    """A sentence for each thing that no interval covers."""
    if bound.listed:
        return (LISTED,)
    return (
        *bound.clock,
        *_weighing(bound),
        *_owning(bound),
        *_alone(bound),
        *_clamping(bound),
        *bound.usual,
        *_rounding(bound),
        *(text for part in singly(noise) for text in _choosing(part)),
    )


def _weighing(bound: Bound) -> list[str]:
    """What a unit with many rows loses."""
    if bound.source.unit is None:
        return []
    most = bound.source.contribution
    many = f"people with more than {most} row{'s' * (most != 1)} count as {most}"
    plain = [statistic for statistic in bound.statistics if isinstance(statistic, Statistic)]
    texts = []
    if any(statistic.total is not None for statistic in plain):
        texts.append(f"{many}: counts and sums leave out the rest")
    if len(plain) < len(bound.statistics):
        texts.append(f"{many} in quantiles and most common values")
    if any(statistic.distinct is not None for statistic in plain):
        texts.append(f"each person adds at most {most} different values: a fixed sample, if they have more")
    if bound.private_keys:
        texts.append(f"each person counts in at most {bound.most_keys} groups")
    return texts


def _owning(bound: Bound) -> list[str]:
    """Rows that name their unit through a key which nobody has."""
    found = dict.fromkeys((one.table, one.column, one.through) for one in lookups(bound.source.table))
    return [
        f"rows of {table} whose {column} has no owner in {through if isinstance(through, str) else through.table} "
        "belong to nobody, and are left out"
        for table, column, through in found
    ]


def _alone(bound: Bound) -> list[str]:
    """Values that nobody has cannot be found among people's rows."""
    if not (bound.alone and bound.private_keys):
        return []
    return ["groups are found in private rows: values of the public table that no private row matches are left out"]


def _clamping(bound: Bound) -> list[str]:
    """What lies outside its bounds."""
    clamped = any(
        isinstance(base, Quantile)
        or (isinstance(base, Statistic) and (base.signed or base.name in bound.divided or base.label == LABEL))
        for base in bound.statistics
    )
    return ["values outside their bounds count as the nearest bound"] if clamped else []


def _rounding(bound: Bound) -> list[str]:
    """What sums of values without a step lose, if the question does not count their rows."""
    most = max((most for output in bound.outputs for most in _uncounted(output.value)), default=None)
    if most is None:
        return []
    wish = "ask for COUNT(*) too, or have a step declared"
    return [f"values without a step are rounded by at most {at_most(most)} each, which a sum alone leaves out: {wish}"]


def _uncounted(expression: Expression) -> Iterator[Fraction]:
    """By how much rows may be rounded that nobody counts."""
    match expression:
        case Call(function=function, arguments=(_, Literal(value=Fraction() as most), Literal(value=None))):
            yield from [most] * (function == ROUNDED)
        case Call(arguments=arguments):
            for argument in arguments:
                yield from _uncounted(argument)


def _choosing(part: Single) -> list[str]:
    """What a choice is not."""
    if isinstance(part, Noisy):
        return []
    if not isinstance(part, Chosen):
        return [text for quantile in part.quantiles for text in _coarse(quantile)]
    if isinstance(part.choice, Mode):
        about = f"by about {part.scale:.3g} rows or a few times that"
        return [f"another value may be more common than the {part.label}, {about}"]
    if 0 in part.choice.sides:
        return _coarse(part.choice)
    place = f"the value about {part.ranks:.3g} rows from that end"
    extreme = f"the {part.label} is {place}; with fewer rows than that, it is the bound"
    return [*_coarse(part.choice), extreme]


def _coarse(quantile: Quantile) -> list[str]:
    """What cells cut off."""
    if not quantile.cells.coarse:
        return []
    step = float(quantile.cells.step)
    words = {
        Kind.DATE: f"{step:g} days",
        Kind.TIMESTAMP: f"{step / SECOND:,g} seconds",
        Kind.TIME: f"{step / SECOND:,g} seconds",
    }
    return [f"the {quantile.label} is only known to steps of {words.get(quantile.kind, f'{step:g}')}"]
