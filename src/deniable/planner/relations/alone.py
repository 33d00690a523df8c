"""`products LEFT JOIN orders`: rows of a public table that stay alone belong to nobody, and nothing may depend on them.

Such a row has NULL for every column of the private side. An aggregate that skips it comes out the same without it, so
the rows that match are all that is needed: COUNT(orders.id) of a product without orders is 0 either way. An aggregate
that would count it is refused. (Conditions do not matter: they can only leave out what is skipped anyway.)
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.errors import Refused

_PICK = frozenset({"case", "coalesce", "least", "greatest", "is_null", "same", "and", "or", "concat", "concat_with"})
"""Functions that can give something although an argument is NULL; all others then give NULL."""


def check_skipped(
    values: Sequence[Expression], where: Expression | None, alone: AbstractSet[str], *, zeros: bool
) -> None:
    """Refuses an aggregate that does not skip rows in which these columns are NULL; sums skip zeros as well."""
    if not alone or (where is not None and rejects(where, alone)):
        return
    if any(is_null(value, alone) or (zeros and _is_nothing(value, alone)) for value in values):
        return
    reason = "This would count rows of a public table that no private row matches."
    hint = "Count a column of the private table instead of *, or put the private table first: private LEFT JOIN public."
    raise Refused("unit-join", reason, hint)


def is_null(value: Expression, missing: AbstractSet[str]) -> bool:
    """Whether a value is surely NULL where these columns are."""
    match value:
        case Column(name=name):
            return name in missing
        case Literal(value=found):
            return found is None
        case Call(function="case"):
            return all(rejects(when, missing) or is_null(then, missing) for when, then in _branches(value))
        case Call(function="coalesce" | "least" | "greatest", arguments=arguments):
            return all(is_null(argument, missing) for argument in arguments)
        case Call(function="nullif" | "in", arguments=(first, *_)):
            return is_null(first, missing)
        case Call(function=function, arguments=arguments):
            return function not in _PICK and any(is_null(argument, missing) for argument in arguments)


def rejects(condition: Expression, missing: AbstractSet[str]) -> bool:
    """Whether a condition surely does not hold where these columns are NULL."""
    match condition:
        case Literal(value=False):
            return True
        case Call(function="and", arguments=arguments):
            return any(rejects(argument, missing) for argument in arguments)
        case Call(function="or" | "coalesce", arguments=arguments):
            return all(rejects(argument, missing) for argument in arguments)
        case Call(function="not", arguments=(Call(function="is_null", arguments=(value,)),)):
            return is_null(value, missing)
        case _:
            return is_null(condition, missing)


def _is_nothing(value: Expression, missing: AbstractSet[str]) -> bool:
    """Whether a value adds nothing to a sum where these columns are NULL."""
    match value:
        case Literal(value=found):
            return found is None or found == 0
        case Call(function="case"):
            return all(rejects(when, missing) or _is_nothing(then, missing) for when, then in _branches(value))
        case Call(function="coalesce", arguments=arguments):
            return all(_is_nothing(argument, missing) for argument in arguments)
        case _:
            return is_null(value, missing)


def _branches(case: Call) -> list[tuple[Expression, Expression]]:
    """Conditions and values; ELSE holds always."""
    pairs = list(zip(case.arguments[::2], case.arguments[1::2], strict=False))
    return [*pairs, (_ALWAYS, case.arguments[-1])] if len(case.arguments) % 2 else pairs


_ALWAYS = Literal(value=True, kind=Kind.BOOLEAN)
