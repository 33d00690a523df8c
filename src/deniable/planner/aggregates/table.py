"""Every aggregate that is answered, a row each. A new one is a row here, its maker (makers.py) and a test.

What SQL means, what hints propose and what `SUM` may share follow from this table. The functions in Python
(curator/builder.py), their exports and the page docs/sql.md are compared with it by tests/unit/planner/aggregates.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from sqlglot import exp

from deniable.planner.aggregates import makers
from deniable.planner.aggregates.makers import Maker

Nodes = tuple[type[exp.Expression], ...]


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """One row of the table."""

    sql: tuple[str, ...]
    """Its names in SQL, the usual one first."""
    nodes: Nodes
    """What the parser makes of these names; nothing if it is a form of another aggregate, as COUNT(DISTINCT ...) is."""
    takes: str
    """Its arguments: values `x` and `y` of a row, then a constant: `q` a share between 0 and 1, `k` a whole number."""
    make: Maker
    counts: bool
    """Whether it pays for a count of its rows; a sum of the same rows can then share it."""
    python: str | None = None
    """Its name in `deniable`, where it has one."""
    always: tuple[Fraction, ...] = ()
    """The constants that its name alone gives: MIN is quantile 0."""

    @property
    def adds(self) -> bool:
        """Whether it adds numbers up, and truths as 0 and 1."""
        return not self.chosen and self.make not in (makers.count, makers.units, makers.distinct)

    @property
    def chosen(self) -> bool:
        """Whether it is chosen among cells, and not computed from sums."""
        return bool(self.always) or self.takes[-1] in "qk"


_LEAST, _MIDDLE, _LARGEST, _ONE = Fraction(0), Fraction(1, 2), Fraction(1), Fraction(1)

COUNT = AggregateFunction(("COUNT",), (exp.Count,), "x", makers.count, counts=True, python="count")
UNITS = AggregateFunction(("COUNT(DISTINCT unit)",), (), "x", makers.units, counts=False, python="units")
DISTINCT = AggregateFunction(
    ("COUNT(DISTINCT x)", "APPROX_COUNT_DISTINCT"),
    (exp.ApproxDistinct,),
    "x",
    makers.distinct,
    counts=False,
    python="distinct",
)
SUM = AggregateFunction(("SUM",), (exp.Sum,), "x", makers.total, counts=False, python="total")
DISTINCT_SUM = AggregateFunction(("SUM(DISTINCT x)",), (), "x", makers.distinct_sum, counts=False)
DISTINCT_AVERAGE = AggregateFunction(("AVG(DISTINCT x)",), (), "x", makers.distinct_average, counts=False)

TABLE = (
    COUNT,
    UNITS,
    DISTINCT,
    DISTINCT_SUM,
    DISTINCT_AVERAGE,
    SUM,
    AggregateFunction(("AVG",), (exp.Avg,), "x", makers.average, counts=True, python="mean"),
    AggregateFunction(
        ("VAR_SAMP", "VARIANCE", "VAR"),
        (exp.Variance,),
        "x",
        makers.variance(sample=True, root=False),
        counts=True,
        python="variance",
    ),
    AggregateFunction(("VAR_POP",), (exp.VariancePop,), "x", makers.variance(sample=False, root=False), counts=True),
    AggregateFunction(
        ("STDDEV_SAMP", "STDDEV", "STD"),
        (exp.StddevSamp, exp.Stddev),
        "x",
        makers.variance(sample=True, root=True),
        counts=True,
        python="deviation",
    ),
    AggregateFunction(("STDDEV_POP",), (exp.StddevPop,), "x", makers.variance(sample=False, root=True), counts=True),
    AggregateFunction(("COVAR_SAMP",), (exp.CovarSamp,), "xy", makers.covariance(sample=True), counts=True),
    AggregateFunction(("COVAR_POP",), (exp.CovarPop,), "xy", makers.covariance(sample=False), counts=True),
    AggregateFunction(("CORR",), (exp.Corr,), "xy", makers.correlation, counts=True, python="correlation"),
    AggregateFunction(("REGR_SLOPE",), (exp.RegrSlope,), "xy", makers.slope, counts=True),
    AggregateFunction(("REGR_INTERCEPT",), (exp.RegrIntercept,), "xy", makers.intercept, counts=True),
    AggregateFunction(
        ("MEDIAN",), (exp.Median,), "x", makers.quantile, counts=False, python="median", always=(_MIDDLE,)
    ),
    AggregateFunction(
        ("QUANTILE_CONT", "PERCENTILE_CONT", "QUANTILE", "QUANTILE_DISC", "PERCENTILE_DISC", "APPROX_QUANTILE"),
        (exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.ApproxQuantile),
        "xq",
        makers.quantile,
        counts=False,
        python="quantile",
    ),
    AggregateFunction(("MIN",), (exp.Min,), "x", makers.quantile, counts=False, python="minimum", always=(_LEAST,)),
    AggregateFunction(("MAX",), (exp.Max,), "x", makers.quantile, counts=False, python="maximum", always=(_LARGEST,)),
    AggregateFunction(("MODE",), (exp.Mode,), "x", makers.mode, counts=False, python="mode", always=(_ONE, _ONE)),
    AggregateFunction(("APPROX_TOP_K",), (exp.ApproxTopK,), "xk", makers.mode, counts=False, python="most_common"),
)

OF_DIFFERENT: dict[type[exp.Expression], AggregateFunction] = {
    exp.Count: DISTINCT,
    exp.Sum: DISTINCT_SUM,
    exp.Avg: DISTINCT_AVERAGE,
}
"""What aggregates mean with DISTINCT; the least and the largest of different values are those of all."""
BY_NODE = {node: function for function in TABLE for node in function.nodes}

_MEANT = {name: name for function in TABLE for name in function.sql if "(" not in name} | {
    function.python.upper(): function.sql[0] for function in TABLE if function.python is not None
}
"""What people may have meant: names in SQL, and those in Python."""


def proposal(name: str) -> str | None:
    """The aggregate in SQL that was probably meant by another name.

    Example:
        >>> proposal("MEAN"), proposal("medain"), proposal("KURTOSIS")
        ('AVG', 'MEDIAN', None)
    """
    close = get_close_matches(name.upper(), _MEANT, n=1)
    return _MEANT[close[0]] if close else None


def instead(name: str) -> str:
    """What to write where an aggregate is unknown."""
    meant = proposal(name)
    *others, last = dict.fromkeys(function.sql[0].partition("(")[0] for function in TABLE)
    return f"Did you mean {meant}?" if meant else f"Use {', '.join(others)} or {last}."
