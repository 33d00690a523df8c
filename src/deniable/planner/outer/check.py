"""What may stand around noisy answers: clauses of SQL, and functions that compute and do nothing else.

The same holds for questions about public tables alone.

A list of what is allowed, never of what is not: a function that reads a clock, a file, a setting or a random number is
not on it, and neither is one that nobody has thought of yet. Nothing on it lets a short text grow without end.
"""

from __future__ import annotations

import re

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position
from deniable.planner.wording.own_words import instead, spelled

_LONGEST = 10_000
"""Of a text that a function may make longer."""
_GIVEN_LENGTH = re.compile(r"\{[^{}]+\{|%[^a-zA-Z%]*\*")
"""`{:{}}` and `%*d` take a length from the next argument."""


def check(tree: exp.Expression, where: str = "around noisy answers") -> None:
    """Refuse whatever is not on the lists, in the words of the question; `where` says what the lists are for."""
    for node in [one for one in tree.walk() if isinstance(one, exp.Expression)]:
        if isinstance(node, exp.Anonymous | exp.Func) and not isinstance(node, exp.And | exp.Or | exp.Xor):
            _check_function(node, where)
        elif isinstance(node, exp.Table):
            _check_table(node)
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            raise Refused("unsupported-clause", "WITH RECURSIVE is not supported.", "Write WITH.", position(node))
        elif type(node).__name__ not in _FORMS:
            raise Refused(
                "unsupported-form",
                f"{spelled(node)} is not supported {where}.",
                "Leave it out, and compute it from the answer: that costs nothing.",
                position(node),
            )


def _check_function(node: exp.Expression, where: str) -> None:
    if isinstance(node, exp.Pad | exp.Repeat | exp.Space):
        _check_length(node)
        return
    named = isinstance(node, exp.Anonymous)
    if (node.name.lower() not in _NAMED) if named else (type(node).__name__ not in _FUNCTIONS):
        raise _unknown(node, where)
    if isinstance(node, exp.Format) or (named and node.name.lower() == "printf"):
        _check_pattern(node, next(iter(node.expressions), None) if named else node.this)


def _check_table(node: exp.Table) -> None:
    if not isinstance(node.this, exp.Identifier):
        raise Refused(
            "unknown-function",
            f"{spelled(node.this)} is no table that a question can be about.",
            "Use declared tables, or list values: FROM (VALUES (1), (2)) AS v(x).",
            position(node),
        )
    others = [name for name, value in node.args.items() if value and name not in _TABLE]
    if others:
        raise Refused(
            "unsupported-clause", "Only a plain table is supported here.", "Leave the rest out.", position(node)
        )


def _check_length(node: exp.Expression) -> None:
    """How long a text becomes must be a constant."""
    wanted = node.args.get("times") if isinstance(node, exp.Repeat) else node.expression or node.this
    if not isinstance(wanted, exp.Literal) or wanted.is_string or not str(wanted.this).isdigit():
        hint = f"Write a number: {spelled(node).upper()}(column, 10)."
        raise Refused("bad-constant", f"{spelled(node)} needs a constant length.", hint, position(node))
    if len(str(wanted.this)) > len(str(_LONGEST)) or int(str(wanted.this)) > _LONGEST:
        raise Refused("bad-constant", f"{wanted.this} is too long.", f"Use at most {_LONGEST:,}.", position(node))


def _check_pattern(node: exp.Expression, pattern: exp.Expression | None) -> None:
    """How long a number is written must be said in the pattern, which is a constant."""
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or _GIVEN_LENGTH.search(pattern.name):
        raise Refused("bad-constant", f"{spelled(node)} needs a constant pattern.", "Write it out.", position(node))
    if any(int(digits[:9]) > _LONGEST for digits in re.findall("[0-9]+", pattern.name)):
        reason = "A length in this pattern is too long."
        raise Refused("bad-constant", reason, f"Use at most {_LONGEST:,}.", position(node))


def _unknown(node: exp.Expression, where: str) -> Refused:
    name = spelled(node)
    reason = f"{name} is not on the list of functions {where}."
    return Refused("unknown-function", reason, instead(name, node, _KNOWN), position(node))


_TABLE = ("this", "alias", "joins", "db", "catalog")
"""Which table a name with a schema means is found later, by the policy alone."""
_FORMS = frozenset(
    """
    Select Subquery Union Except Intersect With CTE TableAlias From Join Where Group Rollup Cube GroupingSets Having
    Order Ordered Limit Offset Qualify Distinct Window WindowSpec Values Tuple Paren Alias Star Column Identifier
    Literal Null Boolean Var DataType DataTypeParam IntervalSpan Interval Filter WithinGroup IgnoreNulls RespectNulls
    Not And Or Xor EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is In Between Like ILike Add Sub Mul Div IntDiv Mod Neg
    DPipe Escape Any All
    """.split()  # noqa: SIM905 - a list of words is read best as one
)
_FUNCTIONS = frozenset(
    """
    Case If Cast TryCast Coalesce Nullif Greatest Least Exists Grouping GroupingId Extract
    Abs Round Floor Ceil Trunc Sign Sqrt Cbrt Exp Ln Log Pow Degrees Radians Sin Cos Tan Cot Asin Acos Atan Atan2 Pi Mod
    IsNan IsInf Factorial
    Count Sum Avg Min Max Median Mode Stddev StddevPop StddevSamp Variance VariancePop Corr CovarPop CovarSamp RegrSlope
    RegrIntercept RegrR2 RegrCount RegrAvgx RegrAvgy RegrSxx RegrSyy RegrSxy Skewness Kurtosis LogicalAnd LogicalOr
    CountIf AnyValue First Last ArgMax ArgMin GroupConcat PercentileCont PercentileDisc Quantile ApproxDistinct
    RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue NthValue
    Concat ConcatWs Lower Upper Initcap Length Left Right Substring Trim Replace Reverse SplitPart StrPosition Contains
    StartsWith EndsWith RegexpLike RegexpReplace RegexpExtract RegexpFullMatch Format Ascii Chr Unicode Levenshtein
    Translate
    Year Month Quarter Week WeekOfYear Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Hour Minute Second Date Monthname
    Dayname LastDay DateTrunc TimestampTrunc DateDiff TimestampDiff DateAdd DateSub TimeToStr StrToTime DateFromParts
    TimeFromParts TimeToUnix UnixToTime TsOrDsToDate TsOrDsAdd TsOrDsDiff
    """.split()  # noqa: SIM905 - same
)
_NAMED = frozenset(
    """
    printf weekday isoyear decade century millisecond microsecond dayofmonth isodow yearweek era date_part datepart
    date_sub datesub datediff dateadd age strlen isfinite even gamma product fsum favg entropy mad bit_count prefix
    suffix signbit gcd lcm epoch_ms to_days to_months to_years to_weeks to_hours to_minutes to_seconds julian
    """.split()  # noqa: SIM905 - same
)
_KNOWN = tuple(sorted({*(name.upper() for name in _FUNCTIONS), *(name.upper() for name in _NAMED)}))
