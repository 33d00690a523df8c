"""An aggregate as it is written: each spelling means one row of the table, and what means nothing is refused."""

from fractions import Fraction

import pytest

from deniable.core.errors import Refused
from deniable.planner.aggregates.table import COUNT, DISTINCT
from deniable.planner.aggregates.written import written
from deniable.planner.parse import parse


def _written(text: str):
    return written(parse(f"SELECT {text} FROM visits").expressions[0])


@pytest.mark.parametrize(
    "spellings",
    [
        ["MEDIAN(age)", "QUANTILE_CONT(age, 0.5)", "PERCENTILE_DISC(0.50) WITHIN GROUP (ORDER BY age DESC)"],
        ["QUANTILE(age, 0.1)", "APPROX_QUANTILE(age, .1)", "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age DESC)"],
        ["MIN(age)", "QUANTILE_DISC(age, 0)", "PERCENTILE_CONT(1) WITHIN GROUP (ORDER BY age DESC)"],
        ["MAX(age)", "QUANTILE_DISC(age, 1.0)", "PERCENTILE_CONT(0) WITHIN GROUP (ORDER BY age DESC)"],
        ["MODE(age)", "MODE() WITHIN GROUP (ORDER BY age)"],
    ],
)
def test_spellings_of_the_same_choice_are_one(spellings):
    first, *others = [_written(text) for text in spellings]
    for other in others:
        assert other.constants == first.constants
        assert other.values == first.values
        assert other.function.make is first.function.make


def test_every_share_of_four_decimals_keeps_its_value_when_it_is_turned_around():
    for place in range(0, 10_001, 7):
        share = Fraction(place, 10_000)
        text = f"PERCENTILE_CONT({place / 10_000:.4f}) WITHIN GROUP (ORDER BY age DESC)"
        assert _written(text).constants == (1 - share,)


@pytest.mark.parametrize(
    ("text", "function", "values"),
    [
        ("COUNT(*)", COUNT, 0),
        ("COUNT(age)", COUNT, 1),
        ("COUNT(DISTINCT age)", DISTINCT, 1),
        ("APPROX_COUNT_DISTINCT(age)", DISTINCT, 1),
    ],
)
def test_counts(text, function, values):
    found = _written(text)
    assert found.function is function
    assert len(found.values) == values


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("VAR_POP(DISTINCT age)", "distinct"),
        ("COUNT(DISTINCT age, cost)", "distinct"),
        ("MEDIAN(DISTINCT age)", "unsupported-form"),
        ("AVG(*)", "unsupported-form"),
        ("COUNT(age, cost)", "unsupported-form"),
        ("MODE(region) WITHIN GROUP (ORDER BY age)", "unsupported-form"),
        ("QUANTILE_CONT(age, 0.00001)", "unsupported-form"),
        ("APPROX_TOP_K(region, 2)", "unsupported-form"),  # as a part of something: alone it is spread before
        ("KURTOSIS(age)", "unknown-aggregate"),
    ],
)
def test_what_means_nothing_is_refused_where_it_stands(text, code):
    with pytest.raises(Refused) as caught:
        _written(text)
    assert caught.value.code == code
    assert caught.value.position is not None
