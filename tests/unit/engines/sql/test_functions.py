"""Each function, over every pair of odd values: it answers, never NaN, and rightly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import date, datetime, time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.core.calendar import DAY as A_DAY
from deniable.core.calendar import UNITS, counted
from deniable.core.errors import InvalidArgumentError
from deniable.engines.engine import GapError, TooLongError
from deniable.engines.sql.functions import FUNCTIONS
from deniable.engines.sql.spelling import LONGEST
from deniable.planner.expressions.functions import call
from tests.unit.engines.reference import Unmodelled, evaluate, number
from tests.unit.engines.rows import COLUMNS, Bench, PostgresBench, SparkBench, speller, without_zero

N, J, X, Y, T, U, B, C, D, E = (COLUMNS[name] for name in "ijxytubcde")
M, MM, P, Q = (COLUMNS[name] for name in "mnpq")
WHOLE, REAL, TEXT, TRUTH, DAY = Kind.INTEGER, Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN, Kind.DATE
MOMENT, CLOCK = Kind.TIMESTAMP, Kind.TIME
SMALL = Column("i", WHOLE, Range(Fraction(-5), Fraction(100)))
SMALLER = Column("j", WHOLE, Range(Fraction(1), Fraction(3)))
HALF = Column("x", REAL, Range(Fraction(-1, 2), Fraction("3.7")))
POSITIVE = Column("y", REAL, Range(Fraction(1, 10), Fraction(10)))
UPWARD = Column("x", REAL, Range(Fraction(0), None))
DOWNWARD = Column("i", WHOLE, Range(None, Fraction(50)))
RECENT = Column("d", DAY, Range(Fraction(0), Fraction(20_000)))
SOON = Column("e", DAY, Range(Fraction(20_000), None))
LATELY = Column("m", MOMENT, Range(Fraction(20_000 * A_DAY + 17), Fraction(20_100 * A_DAY)))
EVENING = Column("p", CLOCK, Range(Fraction(A_DAY // 2), None))
NULL = Literal(None, REAL)
WIDE = Fraction(2**61)


def text(value: str) -> Literal:
    return Literal(value, TEXT)


def made(name: str, kind: Kind, *arguments: Expression, bounds: Range | None = None) -> Call:
    return Call(name, arguments, kind, bounds or Range())


def within(most: int) -> Range:
    return Range(Fraction(-most), Fraction(most))


TWO_NUMBERS = [(X, Y), (X, J), (N, Y), (HALF, POSITIVE), (SMALL, Y), (X, number("0.1")), (NULL, X), (number(3), X)]
ARITHMETIC = [
    *(made(name, REAL, *pair) for name in ("add", "subtract", "multiply", "divide", "power") for pair in TWO_NUMBERS),
    *(made(name, WHOLE, N, J) for name in ("add", "subtract", "multiply", "quotient", "remainder")),
    *(
        made(name, WHOLE, SMALL, SMALLER, bounds=within(300))
        for name in ("add", "subtract", "multiply", "quotient", "remainder")
    ),
    *(made(name, REAL, N, J) for name in ("quotient", "remainder")),
    made("quotient", WHOLE, N, number(7)),
    made("quotient", WHOLE, SMALL, number(-2), bounds=within(50)),
    *(made(name, WHOLE, one) for name in ("negate", "absolute", "sign") for one in (N, SMALL, DOWNWARD)),
    *(made(name, REAL, one) for name in ("negate", "absolute") for one in (X, HALF, N)),
    made("sign", WHOLE, X),
    *(made(name, kind, one) for name in ("floor", "ceiling") for kind in (WHOLE, REAL) for one in (X, HALF, N, UPWARD)),
    *(made("cube_root", REAL, one) for one in (X, HALF, N)),
    *(made("truncate", kind, one) for kind in (WHOLE, REAL) for one in (X, HALF, N)),
    *(made("round", REAL, one, number(places)) for one in (X, HALF, N) for places in (-3, -1, 0, 1, 2)),
    *(made("round", WHOLE, one, number(places)) for one in (X, SMALL) for places in (-2, 0)),
    *(
        made(name, REAL, one)
        for name in ("sqrt", "ln", "exp", "log_2", "log_10")
        for one in (X, POSITIVE, HALF, N, UPWARD, number(2))
    ),
]
CHOICES = [
    *(made(name, REAL, *pair) for name in ("least", "greatest", "coalesce") for pair in TWO_NUMBERS),
    *(made(name, one.kind, one, two) for name in ("least", "greatest") for one, two in ((N, J), (T, U), (D, E))),
    *(made("coalesce", one.kind, one, two) for one, two in ((N, J), (T, U), (B, C), (D, E), (T, text("")))),
    *(made("nullif", one.kind, one, two) for one, two in ((N, J), (X, Y), (T, U), (D, E), (N, Y), (X, number(0)))),
    made("case", REAL, B, N, C, Y),
    made("case", WHOLE, B, N, C, number(5), NULL),
    made("case", TEXT, made("is_null", TRUTH, T), text("none"), T),
    made("case", DAY, B, D, Literal(date(2025, 1, 1), DAY)),
    *(made(name, MOMENT, M, MM) for name in ("least", "greatest", "coalesce", "nullif")),
    made("greatest", CLOCK, P, Literal(time(12), CLOCK)),
]
PAIRS = [*TWO_NUMBERS, (N, J), (T, U), (B, C), (D, E), (D, Literal(date(2025, 1, 5), DAY)), (T, text("a")), (N, NULL)]
PAIRS += [(N, number(2**80)), (N, number(-(10**50))), (X, number(10**50)), (SMALL, number("0.5")), (RECENT, SOON)]
PAIRS += [(M, MM), (M, Literal(datetime(2025, 1, 5, 10, 23, 45, 123456), MOMENT)), (LATELY, M), (P, Q)]
COMPARISONS = ("equal", "unequal", "less", "at_most", "more", "at_least")
CONDITIONS = [
    *(made(name, TRUTH, *pair) for name in (*COMPARISONS, "same") for pair in PAIRS),
    *(made("is_null", TRUTH, one) for one in COLUMNS.values()),
    made("is_null", TRUTH, made("subtract", REAL, X, Y)),
    made("not", TRUTH, B),
    made("and", TRUTH, B, C),
    made("or", TRUTH, B, C, made("not", TRUTH, B)),
    made("in", TRUTH, N, number(1), number(-7), number("0.5")),
    made("in", TRUTH, X, number(0), number("1.5")),
    made("in", TRUTH, T, text("a"), text("é"), text("it's")),
    made("in", TRUTH, D, Literal(date(2025, 1, 5), DAY)),
    *(made("like", TRUTH, T, text(pattern)) for pattern in ("", "%", "_", "%a%", "A\\%%", "a'%", "\x00")),
    *(
        made(name, TRUTH, T, other)
        for name in ("starts_with", "contains")
        for other in (text(""), text("a"), text("'"))
    ),
    made("contains", TRUTH, T, text("\x00")),
]
WORDS = [
    *(made(name, TEXT, T) for name in ("lower", "upper", "trim")),
    made("length", WHOLE, T),
    made("concat", TEXT, T, U, text("'\x00'")),
    *(made("substring", TEXT, T, *places) for places in ((number(1), number(2)), (N, J), (number(2), number(2**31)))),
    made("substring", TEXT, T, SMALL, SMALLER),
    made("concat_with", TEXT, text("-"), T, U),
    made("concat_with", TEXT, U, T, text("x")),
    *(made("like_any_case", TRUTH, T, text(pattern)) for pattern in ("a%", "%_'", "NAN", "É")),
    *(
        made(name, TRUTH, T, text(pattern))
        for name in ("matches", "matches_fully")
        for pattern in ("a", "^[0-9]{4}-\\d\\d", "(in|na)f?", "^$", "[^a-z]+$", "\\.|\\w", "a{2,3}?")
    ),
    made("ends_with", TRUTH, T, text("n")),
    *(made(name, TEXT, T) for name in ("trim_start", "trim_end", "reverse")),
    *(
        made(f"trim_{side}characters", TEXT, T, text(characters))
        for side in ("", "start_", "end_")
        for characters in (" ", "an", "", "é-i")
    ),
    made("trim_characters", TEXT, T, U),
    *(made("replace", TEXT, T, text(one), text(other)) for one, other in (("a", "xy"), ("", "x"), ("nan", ""))),
    *(
        made(name, TEXT, T, number(length), text("xy"))
        for name in ("fill_left", "fill_right")
        for length in (0, 1, 5, 40)
    ),
    *(made("split_part", TEXT, T, text("-"), number(place)) for place in (1, 2, 3, -1, -2)),
    *(made("last", TEXT, T, number(length)) for length in (0, 1, 3, 2**31 - 1)),
    *(made("position", WHOLE, T, part) for part in (text("a"), text(""), text("-02"), U)),
    made("byte_length", WHOLE, T),
]
DATES = [
    *(
        made(name, WHOLE, one)
        for name in ("year", "quarter", "month", "day", "weekday", "days")
        for one in (D, RECENT, SOON)
    ),
    *(
        made(name, WHOLE, one)
        for name in ("weekday_from_sunday", "day_of_year", "week", "iso_year", "decade", "century")
        for one in (D, M, LATELY)
    ),
    *(made(name, WHOLE, one) for name in ("year", "quarter", "month", "day", "weekday") for one in (M, LATELY)),
    *(
        made(name, WHOLE, one)
        for name in ("hour", "minute", "second", "millisecond", "microsecond", "microseconds")
        for one in (M, LATELY, P, EVENING)
    ),
    *(made("epoch", REAL, one) for one in (M, LATELY, P)),
    *(made(f"truncate_{unit}", DAY, one) for unit in ("year", "quarter", "month", "week") for one in (D, RECENT)),
    *(made(f"truncate_{unit}", DAY, D) for unit in ("day", "decade", "century", "millennium")),
    *(made(f"truncate_{unit}", MOMENT, one) for unit in UNITS for one in (M, LATELY)),
    *(
        made("later", MOMENT, one, number(months), number(rest))
        for one in (D, M, LATELY, RECENT)
        for months, rest in ((0, 1), (1, 0), (-1, -A_DAY), (-13, 7), (12 * 10_000, 0), (0, -10_000 * 366 * A_DAY))
    ),
    *(
        made("format", TEXT, one, text(pattern))
        for one in (D, M, LATELY)
        for pattern in ("%Y-%m", "%d.%m.%y %H:%M:%S.%f", "%j %b %B %a %A %I %p %u %w", "%G-W%V 100%%", " ")
    ),
    *(made("bucket", MOMENT, one, number(width)) for one in (M, LATELY) for width in (1, 900_000_000, 7 * A_DAY)),
    made("moment_of_microseconds", MOMENT, N),
    made("moment_of_microseconds", MOMENT, SMALL),
    made("date_of_days", DAY, N),
    made("date_of_days", DAY, SMALL),
]
CASTS = [
    *(
        made(f"to_{kind.value}", kind, one)
        for kind in (WHOLE, REAL, TEXT, TRUTH, DAY)
        for one in (N, X, T, B, D, HALF, SMALL, RECENT)
    ),
    *(made("to_timestamp", MOMENT, one) for one in (T, D, M, RECENT)),
    *(made("to_time", CLOCK, one) for one in (T, M, P, LATELY)),
    *(made("to_date", DAY, one) for one in (M, LATELY)),
    *(made("to_text", TEXT, one) for one in (M, P)),
    *(made("to_integer", REAL, one) for one in (X, T, N)),
    made("to_number", REAL, made("to_text", TEXT, X)),
]
GRIDS = [
    made("grid", WHOLE, value, number(centre), number(step), number(reach))
    for value in (
        *(X, N, HALF, SMALL, POSITIVE, UPWARD),
        made("least", REAL, X, number(500)),
        made("microseconds", WHOLE, LATELY, bounds=LATELY.range),
    )
    for centre, step, reach in (
        (0, 1, 10),
        (1, "1/100", 400),
        ("-1/3", "0.1", 50),
        (3, 2, 5),
        (50, 1, 60),
        (0, 1, 2**40),
        (20_050 * A_DAY, 600_000_000, 100),
        (20_050 * A_DAY, 7, 2**40),
    )
]
ALL = [*ARITHMETIC, *CHOICES, *CONDITIONS, *WORDS, *DATES, *CASTS, *GRIDS]


@pytest.fixture(scope="module", params=["duckdb", "postgres", "spark"])
def bench(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench | PostgresBench | SparkBench]:
    if request.param == "duckdb":
        yield Bench()
        return
    if request.param == "spark":
        folder = tmp_path_factory.mktemp("odd")
        with closing(SparkBench(request.getfixturevalue("sail"), folder)) as opened:
            opened.ask([*ALL, *(one for one in map(planned, ALL) if one is not None)])
            yield opened
        return
    with request.getfixturevalue("postgres").database() as url, closing(PostgresBench(url)) as opened:
        yield opened


@pytest.fixture(scope="module")
def files() -> Bench:
    return Bench()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def same(found: Any, expected: Any, *, exactly: bool) -> bool:
    if isinstance(found, float) and isinstance(expected, float) and not exactly:
        return found == expected or math.isclose(found, expected, rel_tol=1e-12)
    return found == expected and type(found) is type(expected)


def check(bench: Bench, expression: Expression, *, exactly: bool = True) -> None:
    """What an engine cannot compute it does not compute wrongly: docs/engines.md lists it."""
    with suppress(GapError):
        compare(expression, bench.values(expression), bench.rows, exactly=exactly)


def compare(expression: Expression, values: list[Any], rows: list[dict[str, Any]], *, exactly: bool) -> None:
    for found, row in zip(values, rows, strict=True):
        assert not (isinstance(found, float) and math.isnan(found))
        try:
            expected = evaluate(expression, row)
        except Unmodelled:
            continue
        assert same(found, expected, exactly=exactly), (expression, row, found, expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_is_total_and_right(bench: Bench, name: str) -> None:
    inexact = {"exp", "ln", "power", "round", "log_2", "log_10", "cube_root"}
    calls = [one for one in ALL if one.function == name]
    assert calls
    for one in calls:
        check(bench, one, exactly=name not in inexact)


def planned(one: Call) -> Expression | None:
    """The same call as the planner makes it, with the range that it concludes."""
    try:
        return call(one.function, *one.arguments)
    except (InvalidArgumentError, OverflowError):
        return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_stays_within_its_declared_range(bench: Bench, name: str) -> None:
    """Up to the rounding of doubles; and it is NULL only where it may be."""
    expressions = [one for one in map(planned, (one for one in ALL if one.function == name)) if one is not None]
    assert expressions
    for expression in expressions:
        try:
            values = bench.values(expression)
        except GapError:
            continue
        assert expression.nullable or None not in values
        for value in values:
            assert value is None or inside(value, expression.range), (expression, value)


def inside(value: Any, bounds: Range) -> bool:
    if isinstance(value, bool | str):
        return bounds == Range()
    number = counted(value) if isinstance(value, date | time) else value
    if isinstance(number, float) and not math.isfinite(number):
        return not math.isnan(number) and (bounds.low if number < 0 else bounds.high) is None
    slack = Fraction(number if isinstance(number, int) else abs(number)) * Fraction(1, 10**12)
    slack = abs(slack) if isinstance(value, float) else Fraction(0)
    above = bounds.low is None or bounds.low - slack <= number
    return above and (bounds.high is None or number <= bounds.high + slack)


@pytest.mark.parametrize(
    "column", [*COLUMNS.values(), SMALL, SMALLER, HALF, POSITIVE, UPWARD, DOWNWARD, RECENT, SOON, LATELY, EVENING]
)
def test_columns_are_read_within_their_bounds(bench: Bench, column: Column) -> None:
    check(bench, column)


@pytest.mark.parametrize(
    "value",
    [
        None,
        Fraction(1, 3),
        Fraction(-7),
        Fraction(10**25),
        "it's \x00",
        "",
        True,
        date(1, 1, 1),
        datetime(1, 1, 1),
        time(0),
    ],
)
def test_constants(bench: Bench, value: Any) -> None:
    kinds = {str: TEXT, bool: TRUTH, date: DAY, datetime: MOMENT, time: CLOCK}
    kind = kinds.get(type(value), REAL)
    value = without_zero(value) if isinstance(bench, PostgresBench) else value
    with suppress(GapError):
        found = bench.values(Literal(value, kind))[0]
        assert found == (float(value) if isinstance(value, Fraction) else value)


def test_an_unknown_function_is_not_spelled() -> None:
    with pytest.raises(KeyError):
        speller().spell(made("random", REAL))


def test_an_unknown_column_is_not_spelled() -> None:
    with pytest.raises(ValueError, match="nobody"):
        speller().spell(Column("nobody", REAL))


def test_a_long_sum_is_not_guarded_at_every_plus() -> None:
    total: Expression = X
    for _ in range(40):
        total = made("add", REAL, total, Y)
    assert len(speller().spell(total)) < 20_000


def test_what_grows_for_ever_is_stopped() -> None:
    nested: Expression = X
    for _ in range(60):
        nested = made("divide", REAL, number(1), nested)
    with pytest.raises(ValueError, match="too long"):
        speller().spell(nested)
    assert LONGEST <= 1 << 20


CHAOTIC = {"exp", "ln", "power", "round", "sqrt", "cube_root"}
"""Their last digits may differ from Python's, and another function may blow that up."""


def built(name: str, *arguments: Expression) -> Expression:
    try:
        return call(name, *arguments)
    except (InvalidArgumentError, OverflowError):  # what cannot be planned is not asked
        reject()


def trees(depth: int) -> dict[Kind, st.SearchStrategy[Expression]]:
    """Random expressions of each kind, as the planner builds them, with its ranges."""
    leaves: dict[Kind, list[Expression]] = {
        WHOLE: [N, J, SMALL, SMALLER, DOWNWARD, number(3), number(-2)],
        REAL: [X, Y, HALF, POSITIVE, UPWARD, number("0.3")],
        TEXT: [T, U, text("a"), text("")],
        TRUTH: [B, C, Literal(value=True, kind=TRUTH)],
        DAY: [D, E, RECENT, SOON, Literal(date(2024, 2, 29), DAY)],
        MOMENT: [M, MM, LATELY, Literal(datetime(2024, 2, 29, 23, 59, 59, 999999), MOMENT)],
        CLOCK: [P, Q, EVENING, Literal(time(9, 30), CLOCK)],
    }
    level = {kind: st.sampled_from(options) for kind, options in leaves.items()}
    for _ in range(depth):
        level = {kind: st.one_of(level[kind], *grown(kind, level)) for kind in Kind}
    return level


def grown(kind: Kind, of: dict[Kind, st.SearchStrategy[Expression]]) -> list[st.SearchStrategy[Expression]]:
    numbers = st.one_of(of[WHOLE], of[REAL])
    anything = st.sampled_from(list(Kind)).flatmap(lambda one: of[one])
    countable = st.sampled_from([WHOLE, REAL, TEXT, TRUTH, DAY]).flatmap(lambda one: of[one])

    def apply(names: str, *arguments: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.builds(built, st.sampled_from(names.split()), *arguments)

    same_kind = st.sampled_from(list(Kind)).flatmap(lambda one: st.tuples(of[one], of[one]))
    match kind:
        case Kind.TEXT:
            return [
                apply("lower upper trim trim_start trim_end reverse", of[TEXT]),
                apply("concat", of[TEXT], of[TEXT]),
                apply("to_text", anything),
            ]
        case Kind.BOOLEAN:
            compared = st.builds(
                lambda name, pair: built(name, *pair),
                st.sampled_from(COMPARISONS),
                same_kind,
            )
            return [
                compared,
                apply("and or", of[TRUTH], of[TRUTH]),
                apply("not", of[TRUTH]),
                apply("is_null", anything),
            ]
        case Kind.DATE:
            return [
                apply("truncate_year truncate_month truncate_week truncate_quarter", of[DAY]),
                apply("to_date", st.one_of(numbers, of[MOMENT])),
                apply("date_of_days", st.sampled_from([N, SMALL])),
            ]
        case Kind.TIMESTAMP:
            span = st.builds(number, st.integers(-99, 99))
            return [
                apply(" ".join(f"truncate_{unit}" for unit in UNITS), of[MOMENT]),
                apply("later", st.one_of(of[DAY], of[MOMENT]), span, span),
                apply("to_timestamp", of[DAY]),
            ]
        case Kind.TIME:
            return [apply("to_time", of[MOMENT]), apply("coalesce", of[CLOCK], of[CLOCK])]
        case _:
            return [
                apply("add subtract multiply divide least greatest coalesce nullif power", numbers, numbers),
                apply("negate absolute sign floor ceiling sqrt ln exp", numbers),
                apply("to_integer to_number", countable),
                apply("case", of[TRUTH], numbers, numbers),
                apply("length", of[TEXT]),
                apply("year days weekday", of[DAY]),
                apply("year iso_year week month hour second microseconds epoch", of[MOMENT]),
                apply("minute microseconds epoch", of[CLOCK]),
            ]


def functions_of(expression: Expression) -> set[str]:
    if not isinstance(expression, Call):
        return set()
    return {expression.function}.union(*(functions_of(part) for part in expression.arguments))


@settings(max_examples=100, deadline=None)
@given(data=st.data(), kind=st.sampled_from(list(Kind)))
def test_whatever_is_nested_answers_and_is_right(bench: Bench, data: st.DataObject, kind: Kind) -> None:
    expression = data.draw(trees(3)[kind])
    with suppress(GapError, TooLongError):
        agrees(expression, bench.values(expression), bench.rows)


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    kind=st.sampled_from(list(Kind)),
    places=st.lists(st.integers(0, 224), min_size=1, max_size=4, unique=True),
)
def test_the_same_from_a_file(files: Bench, folder: Path, data: st.DataObject, kind: Kind, places: list[int]) -> None:
    expression = data.draw(trees(2)[kind])
    found = files.values_from_file(expression, sorted(places), folder / "rows.parquet")
    agrees(expression, found, [files.rows[place] for place in sorted(places)])


def agrees(expression: Expression, values: list[Any], rows: list[dict[str, Any]]) -> None:
    if functions_of(expression) & CHAOTIC:
        assert not any(isinstance(one, float) and math.isnan(one) for one in values)
    else:
        compare(expression, values, rows, exactly=True)
