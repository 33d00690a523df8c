"""Sensitivity measured on questions that nobody thought of: one unit less, more or another, in all tables at once."""

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, bind, parse, price
from deniable.planner.plan import Noisy
from tests.support.measured import distance, exact_integers
from tests.support.odd import curator, odd_rows, policy
from tests.support.questions import SHAPES, question

ROWS = 48
DELTA = "1e-9"
EXTREME = 70
"""More rows of one person than a join meets."""


def _neighbour(rows, chance, relation):
    """A person leaves all tables, or comes back as somebody else; and so does a row of the survey."""
    person = chance.choice([row["person"] for row in rows["visits"] if row["person"] is not None])
    fresh = odd_rows(chance, ROWS)
    found = dict(rows)
    for name in ("visits", "stays"):
        found[name] = [row for row in rows[name] if row["person"] != person]
        if relation == "replace":
            many = chance.choice([chance.randint(0, 9), chance.randint(0, 9), EXTREME])
            theirs = [row | {"person": person} for row in (3 * fresh[name])[:many]]
            found[name] = [*theirs, *found[name]]
    if relation == "replace":
        found["bills"] = [*_theirs(found["visits"], person, fresh["bills"]), *rows["bills"]]
    found["survey"] = [*(fresh["survey"][:1] if relation == "replace" else []), *rows["survey"][1:]]
    return found


def _theirs(visits, person, bills):
    """Bills of visits that nobody else has: with them comes whatever hangs on them."""
    serials = {row["serial"]: {row["person"]} for row in visits if row["person"] == person}
    for row in visits:
        serials.get(row["serial"], set()).add(row["person"])
    own = [serial for serial, owners in serials.items() if owners == {person} and serial is not None]
    return [bill | {"visit": own[place % len(own)]} for place, bill in enumerate(bills) if own]


def _plans(chance, rules, many, shapes=tuple(SHAPES)):
    """Plans with noise for l1 and for l2, of questions of each shape in turn."""
    plans, asked = [], set()
    while len(plans) < many:
        made = question(chance, shape=shapes[len(plans) % len(shapes)], hidden=True)
        with suppress(Refused):
            bound = bind(parse(made.sql), rules)
            spends = ({"epsilon": 50, "delta": DELTA}, {"rho": 50, "delta": DELTA})
            plans.append((made.sql, *(price(bound, Spend.of(**spend)) for spend in spends)))
            asked.add(made.sql)
    assert len(asked) == many
    return plans


def _measured(folder, rows, rules, plans):
    """The exact integers of each plan, those of both noises together: the statistics may be others."""
    with curator(folder, rows, rules) as quiet:
        return [
            {name: numbers for plan in _unlike(*both) for name, numbers in exact_integers(quiet.engine, plan).items()}
            for _, *both in plans
        ]


def _unlike(pure, concentrated):
    return [pure] if pure.queries == concentrated.queries else [pure, concentrated]


def _farthest(folder, seed, relation, contribution, many, neighbours, *shapes):
    """How far apart neighbours are, for each plan and neighbour: as parts of the claims in l1 and in l2."""
    chance = Random(seed)  # noqa: S311 - for a search that can be repeated
    rules = policy(folder, contribution=contribution, neighbours=relation)
    plans, rows = _plans(chance, rules, many, shapes or tuple(SHAPES)), odd_rows(chance, ROWS)
    everyone = _measured(folder, rows, rules, plans)
    found = []
    for _ in range(neighbours):
        others = _measured(folder, _neighbour(rows, chance, relation), rules, plans)
        for (sql, pure, concentrated), one, other in zip(plans, everyone, others, strict=True):
            found.append((sql, distance(pure, one, other), distance(concentrated, one, other)))
    return found


def _check(found):
    assert [sql for sql, taxi, straight in found if max(taxi, straight) > 1] == []


@pytest.mark.parametrize(("relation", "contribution"), [("add-remove", 2), ("replace", 1)])
def test_no_unit_moves_an_answer_farther_than_claimed(tmp_path, relation, contribution):
    found = _farthest(tmp_path, contribution, relation, contribution, 40, 1)
    _check(found)
    assert len(found) == 40
    assert max(taxi for _, taxi, _ in found) > 0.4  # far enough apart to tell a claim that is half of what it should be


def test_no_set_of_computed_values_multiplies_rows(tmp_path):
    """Doubles that leave the ranges which exact arithmetic concludes, where a unit has one row and is not weighed."""
    _check(_farthest(tmp_path, 1, "add-remove", 2, 40, 1, "computed set"))


@pytest.mark.deep
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("contribution", [1, 3])
def test_thousands_of_pairs(tmp_path, relation, contribution):
    pairs = []
    for seed in range(1_000, 1_008):
        pairs += _farthest(tmp_path, seed, relation, contribution, 44, 3)
    _check(pairs)
    assert len(pairs) > 1_000
    assert max(taxi for _, taxi, _ in pairs) > 0.9


def test_a_claim_that_is_too_small_is_caught(tmp_path):
    """With a third of the noise, some pair of neighbours is too far apart."""
    rules = policy(tmp_path, contribution=2)
    chance = Random(5)  # noqa: S311 - for a search that can be repeated
    bound = bind(parse("SELECT COUNT(*) AS a, SUM(cost) AS b FROM visits v JOIN stays s ON v.person = s.person"), rules)
    plan = price(bound, Spend.of(epsilon=1))
    modest = replace(plan, noise=tuple(_third(part) for part in plan.noise))
    rows = odd_rows(chance, ROWS)
    one, other = (
        _measured(tmp_path, found, rules, [("", plan, plan)])[0]
        for found in (rows, _neighbour(rows, chance, "add-remove"))
    )
    assert distance(plan, one, other) <= 1 < distance(modest, one, other)


def _third(part: Noisy) -> Noisy:
    mechanism = part.mechanism
    return replace(part, mechanism=type(mechanism)(sensitivity=mechanism.sensitivity / 3, epsilon=mechanism.epsilon))
