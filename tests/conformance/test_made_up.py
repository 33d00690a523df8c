"""Sensitivity on made-up neighbours that differ in one extreme unit: the tables that audits use, for every relation.

Someone at the lower bounds, at the upper, or with fifty times their rows and values outside of every declaration: no
statistic moves farther than its noise is made for, and nothing but the noise tells two such tables apart.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.audit.made_up import neighbours
from deniable.core.errors import Refused
from deniable.curator.factory import rehearse
from deniable.planner import Spend, plan_question
from deniable.planner.plan import singly
from tests.support import tables
from tests.support.neighbours import exact, exact_vectors, moved

QUESTIONS = [
    "SELECT COUNT(*), SUM(age), SUM(cost), AVG(score) FROM visits",
    "SELECT region, COUNT(*), VARIANCE(cost), COVAR_POP(age, score) FROM visits GROUP BY region",
    "SELECT urgent, MEDIAN(age), MODE(region) FROM visits GROUP BY urgent",
    "SELECT QUANTILE_CONT(age, [0.2, 0.4, 0.6, 0.8]) FROM visits",
    "SELECT urgent, COUNT(DISTINCT region), SUM(age) FILTER (WHERE cost > 250) FROM visits GROUP BY urgent",
]
PRIVATE = "SELECT reason, COUNT(*) AS n, SUM(age) AS s FROM visits GROUP BY reason"


@pytest.mark.parametrize("contribution", [None, 3])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_no_extreme_unit_moves_an_answer_farther_than_claimed(
    tmp_path: Path, relation: str, contribution: int | None
) -> None:
    rules = tables.policy(tmp_path, contribution=contribution, neighbours=relation)
    plans = [
        [plan_question(sql, rules, spend) for spend in (Spend.of(epsilon=1), Spend.of(rho=1))] for sql in QUESTIONS
    ]
    pairs = neighbours(rules, "visits")
    worlds = {id(world): world for pair in pairs.values() for world in pair}
    found, keys = {}, {}
    for number, (name, world) in enumerate(worlds.items()):
        (tmp_path / str(number)).mkdir()
        with rehearse(rules, world, tmp_path / str(number)) as curator:
            found[name] = [
                exact_vectors(curator.engine, one)
                | ({} if one.queries == other.queries else exact_vectors(curator.engine, other))
                for one, other in plans
            ]
            if relation == "add-remove":
                keys[name] = exact(curator, PRIVATE)
    for difference, (one, other) in pairs.items():
        for (pure, concentrated), mine, theirs in zip(plans, found[id(one)], found[id(other)], strict=True):
            for part in (*pure.noise, *concentrated.noise):
                assert moved(part, mine, theirs) <= 1, (difference, part.label)
        if relation == "add-remove":
            private = plan_question(PRIVATE, rules, Spend.of(epsilon=1, delta="1e-9"))
            for part in private.noise:
                far = Fraction(0)
                for member in singly((part,)):
                    mine, theirs = (keys[id(world)][member.statistic.name] for world in (one, other))
                    apart = sum(abs(mine.get(key, 0) - theirs.get(key, 0)) for key in {*mine, *theirs})
                    far += Fraction(apart) / member.mechanism.sensitivity
                assert far <= 1, (difference, part)


def test_under_replace_no_key_is_private(tmp_path: Path) -> None:
    """Nobody has shown what partition selection gives away of a unit that leaves one key and enters another."""
    rules = tables.policy(tmp_path, contribution=3, neighbours="replace")
    for spend in (Spend.of(epsilon=1, delta="1e-7"), Spend.of(rho=1, delta="1e-7")):
        with pytest.raises(Refused) as refused:
            plan_question(PRIVATE, rules, spend)
        assert refused.value.code == "private-keys"


def test_private_keys_come_in_their_own_order(tmp_path: Path) -> None:
    """In that of the data, the first key would tell who is first."""
    rules = tables.policy(tmp_path, contribution=3)
    ((_, world), *_) = neighbours(rules, "visits").values()
    for place, turned in enumerate((world, {name: table[::-1] for name, table in world.items()})):
        (tmp_path / str(place)).mkdir()
        with rehearse(rules, turned, tmp_path / str(place)) as curator:
            answer = curator.ask(PRIVATE, epsilon=1000, delta="1e-7")
        shown = answer.table["reason"].to_pylist()
        assert len(shown) > 1
        assert shown == sorted(shown)
