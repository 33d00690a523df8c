"""A SELECT as rows of vectors: its columns become whole numbers, by what the policy says about them.

Any relation that a question can range over will do; who owns its rows, and how much they weigh, is decided as for any
question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.algebra.expression import Expression, Kind, Literal
from deniable.core.algebra.query import Source
from deniable.core.errors import Refused, asking
from deniable.core.vectors.design import (
    GRID,
    BinnedFeature,
    CategoryFeature,
    Classes,
    Encoding,
    Entry,
    Feature,
    NumberFeature,
    Target,
    VectorDesign,
)
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.keys import Domain, domain
from deniable.planner.expressions.ranges import nominal
from deniable.planner.parse import QUESTION, parse
from deniable.planner.relations.from_clause import Relations
from deniable.planner.relations.rows import ALONE, Origin, both
from deniable.planner.wording.spellings import clocked
from deniable.planner.work import counted
from deniable.policy import Policy

MOST_COORDINATES = 1024
"""Products grow with the square."""
_MOST_VALUES = 100
"""Of one category."""
_COUNTED = {Kind.DATE: "days", Kind.TIMESTAMP: "microseconds", Kind.TIME: "microseconds", Kind.BOOLEAN: "to_integer"}


@dataclass(frozen=True, slots=True)
class PlannedVectors:
    """Private rows, what is read of each, and how that becomes a vector. Follows from public facts alone."""

    sql: str
    design: VectorDesign
    source: Source
    fields: tuple[Expression, ...]
    person: bool
    """Whether the protected unit is a person, and not a row."""


def plan_vectors(sql: str, target: str | None, policy: Policy, encoding: Encoding) -> PlannedVectors:
    """The rows that a SELECT lists, as vectors; or a refusal that says which column cannot be one."""
    select = parse(sql)
    with asking(select.meta.get(QUESTION, "")), counted():
        plain, _ = clocked(select, policy, None)
        origin = Relations(policy, {}).query(plain, "")
    if origin.alone:
        raise Refused("unit-join", ALONE, "Put the private table first.")
    if not origin.private:
        hint = "Any library will do: public rows have no price."
        raise Refused("public-table", "All of these rows are public.", hint)
    columns = dict(origin.columns)
    aim = None if target is None else _taken(columns, target, origin)
    bins = encoding.bins_of(sum(value.kind is not Kind.TEXT for value in columns.values()))
    features = tuple(_feature(name, value, origin, encoding.centre, bins) for name, value in columns.items())
    if not features:
        raise Refused("needs-features", "There is no column to learn from.", "SELECT at least one besides the target.")
    aimed = None if target is None or aim is None else _target(target, aim, origin, encoding)
    design = _design(features, aimed, origin, policy, encoding)
    if design.size > MOST_COORDINATES:
        reason = f"These columns have {design.size} coordinates together: a category has one for each of its values."
        raise Refused("too-many-features", reason, f"Choose columns that have at most {MOST_COORDINATES} together.")
    fields = [_field(value, one) for value, one in zip(columns.values(), features, strict=True)]
    source = origin.source
    if aim is not None and aimed is not None:
        fields.append(_field(aim, aimed))
        there = both(source.where, call("not", call("is_null", fields[-1])))
        source = Source(source.table, source.unit, source.contribution, there, source.work)
    return PlannedVectors(sql, design, source, tuple(fields), origin.person)


def _design(
    features: tuple[Feature, ...], target: Target | None, origin: Origin, policy: Policy, encoding: Encoding
) -> VectorDesign:
    source, constant = origin.source, int(encoding.constant * GRID)
    return VectorDesign(
        features,
        target,
        constant,
        encoding.square(features) + constant**2,
        source.contribution,
        source.unit is not None,
        policy.neighbours,
    )


def _taken(columns: dict[str, Expression], target: str, origin: Origin) -> Expression:
    """The target, which is no feature any more."""
    for name in list(columns):
        if name.lower() == target.lower():
            _check_unit(name, columns[name], origin)
            return columns.pop(name)
    raise Refused("unknown-column", f"The SELECT has no column {target!r}.", f"There is {', '.join(columns)}.")


def _check_unit(name: str, value: Expression, origin: Origin) -> None:
    if value == origin.unit:
        hint = f"Leave {name!r} out of the SELECT."
        raise Refused("unit-column", f"{name!r} names people; nothing can be learned from it.", hint)


def _feature(name: str, value: Expression, origin: Origin, centre: Fraction, bins: int | None) -> Feature:
    _check_unit(name, value, origin)
    if (values := _listed(value, origin.where, origin.values)) is not None:
        return CategoryFeature(name, values)
    low, high = _bounds(name, value)
    return NumberFeature(name, low, high, centre) if bins is None else BinnedFeature(name, low, high, bins)


def _target(name: str, value: Expression, origin: Origin, encoding: Encoding) -> Target:
    if not encoding.classes:
        low, high = (Fraction(0), Fraction(1)) if value.kind is Kind.BOOLEAN else _bounds(name, value)
        return NumberFeature(name, low, high, Fraction(1, 2))
    values = _listed(value, origin.where, origin.values) or _few(value, origin)
    if values is None or len(values) < 2:  # noqa: PLR2004 - a class and another
        hint = "Declare its values in the policy, or select a condition: (cost > 100) AS dear."
        raise Refused("needs-classes", f"It is not known which classes {name!r} has.", hint)
    return Classes(name, values)


def _listed(value: Expression, where: Expression | None, declared: Mapping[str, Domain]) -> tuple[Entry, ...] | None:
    """The values of a category: declared, or true and false; None: it is a number, or nobody knows."""
    if value.kind is Kind.BOOLEAN:
        return (False, True)
    if value.kind is not Kind.TEXT and getattr(value, "name", None) not in declared:
        return None
    found = domain(value, where, declared)
    if found is None:
        return None
    values = tuple(one for one in found if isinstance(one, str | int))
    if len(values) > _MOST_VALUES:
        reason = f"A column has {len(values)} values, and may have {_MOST_VALUES} to be learned from."
        raise Refused("too-many-features", reason, "Put its values together by CASE, or leave it out.")
    return values


def _few(value: Expression, origin: Origin) -> tuple[int, ...] | None:
    """A few whole numbers between bounds can be classes."""
    low, high = value.range.low, value.range.high
    if value.kind is not Kind.INTEGER or low is None or high is None or high - low >= _MOST_VALUES:
        return None
    found = domain(value, origin.where, origin.values) or ()
    return tuple(one for one in found if isinstance(one, int)) or None


def _bounds(name: str, value: Expression) -> tuple[Fraction, Fraction]:
    """Of what can be counted; a text without values is nothing that can be learned from."""
    if value.kind is Kind.TEXT:
        hint = "Have its values declared in the policy, or select a condition on it."
        raise Refused("needs-values", f"It is not known which values {name!r} has.", hint)
    within = nominal(value.range) if value.kind is Kind.NUMBER else value.range
    if within.low is None or within.high is None:
        hint = "Have its bounds declared, or write LEAST(GREATEST(expression, lower), upper)."
        raise Refused("needs-bounds", f"{name!r} has no known bounds.", hint)
    return within.low, within.high if within.high > within.low else within.low + 1


def _field(value: Expression, part: Feature | Target) -> Expression:
    """A number's place on its grid, the bin that it is in, or which value it is; NULL where it is missing, or none."""
    if isinstance(part, NumberFeature):
        return call("grid", _number(value), number(part.origin), number(part.width / GRID), number(part.reach))
    if isinstance(part, BinnedFeature):
        width = (part.high - part.low) / part.bins
        return call("grid", _number(value), number(part.low + width / 2), number(width), number(part.bins))
    places: list[Expression] = []
    for place, entry in enumerate(part.values):
        places += [call("equal", value, _constant(entry)), number(place)]
    return call("case", *places)


def _number(value: Expression) -> Expression:
    """Dates and times are counted; false and true are 0 and 1."""
    return call(_COUNTED[value.kind], value) if value.kind in _COUNTED else value


def _constant(entry: Entry) -> Literal:
    if isinstance(entry, bool):
        return Literal(entry, Kind.BOOLEAN)
    return Literal(entry, Kind.TEXT) if isinstance(entry, str) else number(entry)
