"""An aggregate as it is written in SQL: which row of the table it means, of what, with which constants."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.aggregates.table import BY_NODE, COUNT, OF_DIFFERENT, AggregateFunction, instead
from deniable.planner.choices.syntax import place, plain, second, share
from deniable.planner.parse import position
from deniable.planner.wording.own_words import spelled


@dataclass(frozen=True, slots=True)
class Written:
    """A row of the table, and the parts of the question that it is applied to."""

    function: AggregateFunction
    values: tuple[exp.Expression, ...]
    """None of them for COUNT(*)."""
    constants: tuple[Fraction, ...] = ()


def written(node: exp.Expression) -> Written:
    """What an aggregate without its FILTER means; COUNT(DISTINCT ...) means a row of its own."""
    call = plain(node)
    function = BY_NODE.get(type(call))
    if function is None:
        name = spelled(call)
        raise Refused("unknown-aggregate", f"{name} is not supported.", instead(name), position(node))
    value, other = call.this, second(call)
    if isinstance(value, exp.Distinct):
        if type(call) in OF_DIFFERENT or type(call) in (exp.Min, exp.Max):
            return Written(OF_DIFFERENT.get(type(call), function), (_counted(value),), function.always)
        if not function.chosen:
            reason = f"{spelled(call)} of different values is not answered."
            raise Refused("distinct", reason, "Write COUNT, SUM or AVG(DISTINCT column).", position(node))
    known = {"this", *([other] if len(function.takes) > 1 else []), *(["counters"] if "k" in function.takes else [])}
    extra = any(given for name, given in call.args.items() if given and name not in known | _HARMLESS)
    if extra or isinstance(value, exp.Distinct) or (isinstance(value, exp.Star) and function is not COUNT):
        reason = f"This form of {function.sql[0]} is not supported."
        raise Refused("unsupported-form", reason, _example(function), position(node))
    if isinstance(value, exp.Star):
        return Written(function, ())
    match function.takes:
        case "xq":
            return Written(function, (value,), (share(call.args.get(other), node),))
        case "xk":
            return Written(function, (value,), tuple(place(call.args.get(name), node) for name in (other, "counters")))
    given = [call.args.get(name) for name in ("this", other)[: len(function.takes)]]
    values = tuple(part for part in given if isinstance(part, exp.Expression))
    if len(values) < len(given):
        raise Refused("unsupported-form", f"{spelled(call)} takes more arguments.", _example(function), position(node))
    return Written(function, values, function.always)


def _example(function: AggregateFunction) -> str:
    return f"Write {function.sql[0]}({', '.join(function.takes)})."


def _counted(argument: exp.Distinct) -> exp.Expression:
    """Units, or the different values of one column."""
    if len(argument.expressions) != 1:
        raise _several(argument, argument.expressions)
    value: exp.Expression = argument.expressions[0]
    if isinstance(value, exp.Tuple):
        raise _several(argument, value.expressions)
    return value


def _several(argument: exp.Distinct, parts: list[exp.Expression]) -> Refused:
    """Several columns at once: rows of a subquery."""
    rows = exp.Select(expressions=[part.copy() for part in parts], distinct=exp.Distinct()).sql(dialect="duckdb")
    reason = "DISTINCT can only be about units, or the values of one column."
    hint = f"Count the rows of a subquery, if one of its columns names the person: ({rows} FROM ...)."
    return Refused("distinct", reason, hint, position(argument))


_HARMLESS = {"big_int"}
