"""Which expressions have noise of a known law, and which have not."""

from fractions import Fraction

import pytest

from deniable.core.algebra.expression import Call, Column, Kind, Literal
from deniable.planner.expressions.evaluate import ROUNDED
from deniable.planner.expressions.functions import call, number
from deniable.planner.intervals.columns import taken_apart
from deniable.planner.intervals.forms import Affine, Forms, Ratio

A, B, N = (Column(name, Kind.NUMBER, nullable=False) for name in "abn")
WHOLE = {"a": False, "b": False, "n": True}


def read(expression):
    return Forms(WHOLE).of(expression)


def test_sums_differences_and_multiples_are_combinations():
    found = read(call("subtract", call("multiply", number(3), call("add", A, number(2))), call("negate", B)))
    assert found == Affine(Fraction(6), {"a": Fraction(3), "b": Fraction(1)})


def test_what_cancels_out_has_no_noise():
    assert read(call("subtract", call("add", A, B), A)) == Affine(multiples={"b": Fraction(1)})


def test_quotients_of_combinations_take_constants_and_the_same_divisor():
    mean = call("divide", A, N)
    moved = read(call("add", number(5), call("multiply", number(2), mean)))
    assert moved == Ratio(Affine(multiples={"a": Fraction(2), "n": Fraction(5)}), Affine(multiples={"n": Fraction(1)}))
    both = read(call("subtract", mean, call("divide", B, N)))
    assert both == Ratio(Affine(multiples={"a": Fraction(1), "b": Fraction(-1)}), Affine(multiples={"n": Fraction(1)}))
    assert read(call("add", mean, call("divide", B, A))) is None


def test_a_divisor_that_is_nullified_at_zero_is_itself():
    nullified = call("case", call("equal", N, number(0)), Literal(None, Kind.NUMBER), N)
    assert read(call("divide", A, nullified)) == read(call("divide", A, N))
    other = call("case", call("equal", N, number(0)), Literal(None, Kind.NUMBER), B)
    assert read(call("divide", A, other)) is None


def test_rounding_leaves_whole_numbers_and_loosens_others():
    assert read(call("round", N, number(0))) == Affine(multiples={"n": Fraction(1)})
    assert read(call("round", A, number(1))).once == Fraction(1, 20)
    assert read(call("round", A, number(-2))) is None


def test_what_a_grid_rounds_grows_with_the_rows():
    rounded = Call(ROUNDED, (A, number(Fraction(1, 8)), N), Kind.NUMBER)
    found = read(call("subtract", rounded, B))
    assert found.slack == {"n": Fraction(1, 8)}
    assert found.counts == {"n"}


@pytest.mark.parametrize("expression", [call("multiply", A, B), call("absolute", A), call("sqrt", A)])
def test_products_and_functions_are_neither(expression):
    assert read(expression) is None


def test_pieces_are_as_large_as_they_can_be_and_found_once():
    mean = call("divide", A, N)
    taken = taken_apart(call("greatest", call("sqrt", mean), call("absolute", mean)), WHOLE, frozenset())
    assert len(taken.pieces) == 1
    assert taken.doubt(Fraction(1, 20)) == Fraction(1, 20)


def test_more_pieces_than_statistics_are_no_gain():
    many = call("greatest", call("add", A, B), call("subtract", A, B), call("divide", A, B))
    assert set(taken_apart(many, WHOLE, frozenset()).pieces) == {"a", "b"}


def test_expressions_that_name_the_same_part_again_and_again_are_read_once():
    nested = A
    for _ in range(60):
        nested = call("add", nested, nested)
    assert read(nested) == Affine(multiples={"a": Fraction(2**60)})
