"""Questions in Python, for those who do not write SQL. They become SQL: bound, priced and recorded alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

from sqlglot import ErrorLevel, exp

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.planner import Payment, Quote

if TYPE_CHECKING:
    from deniable.curator.answers.noisy_answer import NoisyAnswer
    from deniable.curator.curator import Curator
    from deniable.curator.public.answer import PublicAnswer


_UNITS = "units"
"""Counted by a column that only the policy knows."""


@dataclass(frozen=True, slots=True)
class Term:
    """An aggregate of a question: make one with `count`, `total`, `mean` and the like."""

    function: str
    columns: tuple[str, ...] = ()
    conditions: Mapping[str, object] = field(default_factory=dict)
    constants: tuple[object, ...] = ()
    """What stands behind the columns: which quantile, how many values."""

    def where(self, **conditions: object) -> Term:
        """Of those rows only: SQL's FILTER."""
        return replace(self, conditions={**self.conditions, **conditions})

    def expression(self) -> Any:  # noqa: ANN401 - sqlglot's own idea of an expression
        """As SQL."""
        arguments: list[Any] = [_column(column) for column in self.columns] or [exp.Star()]
        arguments += [_constant(self.function, constant) for constant in self.constants]
        if self.function == "COUNT DISTINCT":
            call: Any = exp.Count(this=exp.Distinct(expressions=arguments))
        else:
            call = exp.func(self.function, *arguments, dialect="duckdb")
        if not self.conditions:
            return call
        return exp.Filter(this=call, expression=exp.Where(this=_all(self.conditions)))


def count(column: str | None = None) -> Term:
    """How many rows; with a column, how many rows have it."""
    return Term("COUNT", () if column is None else (column,))


def units() -> Term:
    """How many people; how many rows, where the policy lets each row stand for itself."""
    return Term(_UNITS)


def distinct(column: str) -> Term:
    """How many different values."""
    return Term("COUNT DISTINCT", (column,))


def median(column: str) -> Term:
    """The value in the middle."""
    return Term("MEDIAN", (column,))


def quantile(column: str, *shares: float | Fraction) -> Term:
    """The value that so large a share of the rows do not exceed; several give a column each."""
    return Term("QUANTILE_CONT", (column,), constants=(shares[0] if len(shares) == 1 else shares,))


def minimum(column: str) -> Term:
    """A private least value."""
    return Term("MIN", (column,))


def maximum(column: str) -> Term:
    """A private largest value."""
    return Term("MAX", (column,))


def mode(column: str) -> Term:
    """The most common value."""
    return Term("MODE", (column,))


def most_common(column: str, number: int) -> Term:
    """So many of the most common values, a column each, in order."""
    return Term("APPROX_TOP_K", (column,), constants=(number,))


def total(column: str) -> Term:
    """The sum."""
    return Term("SUM", (column,))


def mean(column: str) -> Term:
    """The average."""
    return Term("AVG", (column,))


def variance(column: str) -> Term:
    """The variance, as of a sample."""
    return Term("VAR_SAMP", (column,))


def deviation(column: str) -> Term:
    """The standard deviation, as of a sample."""
    return Term("STDDEV_SAMP", (column,))


def correlation(one: str, other: str) -> Term:
    """The correlation of two columns, between -1 and 1."""
    return Term("CORR", (one, other))


@dataclass(frozen=True, slots=True)
class Question:
    """A question in the making. Each step gives a new one; nothing is read before `ask`.

    Example:
        >>> question = Question(None, "visits").where(age__ge=18).group_by("region").agg(n=count(), cost=mean("cost"))
        >>> print(question.sql)
        SELECT "region", COUNT(*) AS "n", AVG("cost") AS "cost" FROM "visits" WHERE "age" >= 18 GROUP BY "region"
    """

    curator: Curator | None = field(repr=False)
    table: str
    conditions: Mapping[str, object] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    terms: Mapping[str, Term] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    most: int | None = None

    def where(self, **conditions: object) -> Question:
        """Only rows that satisfy all: `age__ge=18`, `region="north"`, `reason__in=["heart"]`, `day__lt=date(...)`.

        Endings: eq (or none), ne, lt, le, gt, ge, in, like, isnull.
        """
        return replace(self, conditions={**self.conditions, **conditions})

    def group_by(self, *columns: str) -> Question:
        """One answer for each value of these columns."""
        return replace(self, keys=(*self.keys, *columns))

    def agg(self, **terms: Term) -> Question:
        """What to answer, each under its name."""
        return replace(self, terms={**self.terms, **terms})

    def order_by(self, *names: str) -> Question:
        """Sort the answer by these columns of it; a minus before a name turns it around."""
        return replace(self, order=(*self.order, *names))

    def limit(self, most: int) -> Question:
        """Only the first rows of the answer."""
        return replace(self, most=most)

    @property
    def sql(self) -> str:
        """The question as it is asked."""
        terms = {name: self._with_unit(term) for name, term in self.terms.items()}
        answered = [exp.alias_(term.expression(), name, quoted=True) for name, term in terms.items()]
        select = exp.select(*(_column(key) for key in self.keys), *answered).from_(
            exp.to_identifier(self.table, quoted=True)
        )
        if self.conditions:
            select = select.where(_all(self.conditions))
        if self.keys:
            select = select.group_by(*(_column(key) for key in self.keys))
        for name in self.order:
            select = select.order_by(exp.Ordered(this=_column(name.removeprefix("-")), desc=name.startswith("-")))
        if self.most is not None:
            select = select.limit(self.most)
        return select.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE)

    def explain(self, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Quote:
        """The price, like `Curator.explain`."""
        return self._curator.explain(self.sql, analyst=analyst, **payment)

    def ask(self, *, analyst: str | None = None, **payment: Unpack[Payment]) -> NoisyAnswer | PublicAnswer:
        """The answer, like `Curator.ask`."""
        return self._curator.ask(self.sql, analyst=analyst, **payment)

    def _with_unit(self, term: Term) -> Term:
        """A count of units names the column that the policy names them by."""
        if term.function != _UNITS:
            return term
        table = self._curator.policy.tables.get(self.table)
        if table is not None and table.path:
            reason = f"Rows of {self.table} do not name the unit."
            raise Refused("unsupported-form", reason, f"Count it in {table.path[-1].table}, or in a join with it.")
        if table is None or table.unit is None:
            return replace(term, function="COUNT")
        return replace(term, function="COUNT DISTINCT", columns=(table.unit,))

    @property
    def _curator(self) -> Curator:
        if self.curator is None:
            raise InvalidArgumentError("curator", "is missing: start with curator.table(...)")
        return self.curator


_COMPARISONS: Mapping[str, type[exp.Expression]] = {
    "eq": exp.EQ,
    "ne": exp.NEQ,
    "lt": exp.LT,
    "le": exp.LTE,
    "gt": exp.GT,
    "ge": exp.GTE,
    "like": exp.Like,
}


def _all(conditions: Mapping[str, object]) -> Any:  # noqa: ANN401 - sqlglot's own idea of a condition
    return exp.and_(*(_condition(name, value) for name, value in conditions.items()))


def _condition(name: str, value: object) -> exp.Expression:
    """A condition by its ending."""
    known = {*_COMPARISONS, "in", "isnull"}
    column, mark, ending = name.rpartition("__")
    if not mark or ending not in known:
        column, ending = name, "eq"
    if ending == "isnull":
        missing: exp.Expression = exp.Is(this=_column(column), expression=exp.Null())
        return missing if value else exp.Not(this=missing)
    if ending == "in":
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            raise InvalidArgumentError(name, "must be a list of values")
        return exp.In(this=_column(column), expressions=[_literal(name, one) for one in value])
    return _COMPARISONS[ending](this=_column(column), expression=_literal(name, value))


def _literal(name: str, value: object) -> exp.Expression:
    """A constant, quoted as SQL wants it."""
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()), "date")
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int | float | Fraction):
        return exp.Literal.number(str(value)) if value >= 0 else exp.Neg(this=exp.Literal.number(str(-value)))
    if isinstance(value, str):
        return exp.Literal.string(value)
    raise InvalidArgumentError(name, f"must be a number, a text, a date or a truth value, not {type(value).__name__}")


def _constant(name: str, value: object) -> exp.Expression:
    """A constant, or a list of them; fractions as decimals."""
    if isinstance(value, tuple):
        return exp.Array(expressions=[_constant(name, one) for one in value])
    return _literal(name, float(value) if isinstance(value, Fraction) else value)


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))
