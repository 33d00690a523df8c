"""Between which public numbers quotients lie: the inequality, against sums that are tried."""

from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest

from deniable.core.algebra.expression import Call, Column, Kind
from deniable.planner import Spend, bind, parse, price
from deniable.planner.expressions.evaluate import ROUNDED
from deniable.planner.expressions.functions import call, number
from deniable.planner.intervals.columns import taken_apart, wholes
from deniable.planner.intervals.forms import Forms, Ratio
from deniable.planner.intervals.public import Added, PublicFacts
from deniable.planner.plan.parts import facts_of, singly
from tests.support.tables import policy

PART, WHOLE, SUM = (Column(name, Kind.NUMBER, nullable=False) for name in ("part", "whole", "sum"))
ROW = ("1", 1, 0)
FACTS = PublicFacts(
    frozenset({"part", "whole"}), {"part": Added(ROW, frozenset({"urgent"})), "whole": Added(ROW, frozenset())}
)


def within(top, bottom, *, whole=True):
    found = Forms({"part": whole, "whole": whole, "sum": False}).of(call("divide", top, bottom))
    assert isinstance(found, Ratio)
    return FACTS.within(found)


def rounded(value):
    return call("round", value, number(0))


@pytest.mark.parametrize(
    ("top", "bottom", "ends"),
    [
        (PART, WHOLE, (0, 1)),
        (WHOLE, PART, (1, inf)),
        (call("subtract", WHOLE, PART), WHOLE, (0, 1)),
        (call("multiply", number(500), PART), call("add", PART, WHOLE), (0, 250)),
        (call("subtract", PART, WHOLE), WHOLE, (-1, 0)),
        (call("add", PART, number(1)), call("add", WHOLE, number(2)), (0, 1)),
        (SUM, WHOLE, (-inf, inf)),
        (PART, SUM, (-inf, inf)),
        (PART, call("subtract", WHOLE, number(3)), (-inf, inf)),
        (WHOLE, WHOLE, (1, 1)),
        (call("negate", PART), call("negate", WHOLE), (0, 1)),
    ],
)
def test_a_quotient_lies_between_its_public_ends(top, bottom, ends):
    assert within(top, bottom) == ends


def test_sums_that_are_tried_never_leave_the_ends():
    chance = np.random.default_rng(3)
    for _ in range(200):
        above, below = chance.integers(-3, 4, 3), chance.integers(0, 4, 3)
        if not below[:2].any():
            continue
        sides = [
            call("add", number(int(c)), call("add", *(call("multiply", number(int(n)), v) for n, v in pairs)))
            for c, pairs in ((side[2], list(zip(side[:2], (PART, WHOLE), strict=True))) for side in (above, below))
        ]
        low, high = within(*sides)
        part = chance.integers(0, 20, 500)
        whole = part + chance.integers(0, 20, 500)
        tops, bottoms = (side[0] * part + side[1] * whole + side[2] for side in (above, below))
        there = bottoms > 0
        values = tops[there] / bottoms[there]
        assert np.all(values >= low - 1e-9)
        assert np.all(values <= high + 1e-9)


def test_numbers_that_are_rounded_keep_their_order_if_all_of_them_are():
    assert within(rounded(PART), rounded(WHOLE), whole=False) == (0, 1)
    assert within(rounded(PART), WHOLE, whole=False) == (0, inf)  # 0.6 is 1, of 0.7
    assert within(rounded(call("add", PART, WHOLE)), WHOLE, whole=False) == (0, inf)
    mixed = call("add", rounded(call("subtract", PART, WHOLE)), WHOLE)
    assert within(mixed, WHOLE, whole=False) == (-inf, inf)  # -0.5 is -1, and half more is less than nothing
    on_a_grid = Call(ROUNDED, (PART, number(Fraction(1, 8)), WHOLE), Kind.NUMBER)
    assert within(on_a_grid, WHOLE) == (-inf, inf)


def ends_of(column, **spend):
    rules = policy(Path("nowhere"), contribution=None)
    plan = price(bind(parse(f"SELECT region, {column} AS x FROM visits GROUP BY region"), rules), Spend.of(**spend))
    (output,) = [one for one in plan.bound.outputs if one.name == "x"]
    statistics = [part.statistic for part in singly(plan.noise)]
    noises = wholes({part.statistic.name: part.noise for part in singly(plan.noise)})
    pieces = taken_apart(output.value, noises, frozenset(), facts_of(statistics)).pieces.values()
    (found,) = [piece.within for _, piece in pieces if isinstance(piece, Ratio)]
    return found


def test_questions_know_what_they_are_about():
    assert ends_of("AVG(cost)", epsilon=1) == (0, 500)
    assert ends_of("COUNT(*) FILTER (WHERE urgent) / COUNT(*)", epsilon=1) == (0, 1)
    assert ends_of("COUNT(*) FILTER (WHERE urgent AND age > 50) / COUNT(*) FILTER (WHERE urgent)", rho=1) == (0, 1)
    assert ends_of("COUNT(*) FILTER (WHERE urgent) / COUNT(*) FILTER (WHERE age > 50)", rho=1) == (0, inf)
    assert ends_of("SUM(cost) / SUM(age)", epsilon=1) == (0, inf)
    assert ends_of("SUM(score) / SUM(age)", epsilon=1) == (-inf, inf)
