"""Questions that nobody thought of: whatever is accepted is answered rightly, with nobody too heavy and with bounds."""

from contextlib import closing
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deniable.core.errors import Refused
from deniable.mechanisms import Exponential, PermuteAndFlip
from tests.support.agreeing import disagreements
from tests.support.curators import silence
from tests.support.odd import curator, odd_rows, plain, policy
from tests.support.questions import SHAPES, question

ROWS = 90
LIGHT, HEAVY = 10_000, 2
"""Contributions that nobody reaches, and that most exceed."""
SPENDS = [{"epsilon": 5_000, "delta": "1e-9"}, {"rho": 5_000, "delta": "1e-9"}]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    silence(monkeypatch)
    for kind in (PermuteAndFlip, Exponential):
        monkeypatch.setattr(kind, "_each", lambda _self, scores, _bits: scores.argmax(axis=1))


def _searched(folder, seed, many, contribution):
    """Asks so many questions of one population; how many were answered, which, and what was wrong."""
    chance = Random(seed)  # noqa: S311 - for a search that can be repeated
    rows = odd_rows(chance, ROWS)
    asked, wrong = set(), []
    with closing(plain(rows)) as reference, curator(folder, rows, policy(folder, contribution=contribution)) as quiet:
        for _ in range(many):
            made = question(chance, hidden=contribution == LIGHT)
            wrong += _tried(made, quiet, reference, contribution, chance.choice(SPENDS), asked)
    return asked, wrong


def _tried(made, quiet, reference, contribution, spend, asked):
    light = contribution == LIGHT
    made = made if light else replace(made, tail="")
    try:
        answer = quiet.ask(made.sql, **spend)
    except Refused as refusal:
        return [f"{made.sql}\n    cannot be put to the engine"] if refusal.code == "data-unavailable" else []
    asked.add(made.sql)
    most = made.rows.weight(contribution)
    light = light and made.rows.shape != "survey beside"  # a row that matches several is one unit, and weighs as one
    found = disagreements(made, answer, reference, most, light=light)
    return [f"{made.sql}\n    {problem}" for problem in found[:1]]


@pytest.mark.parametrize("contribution", [LIGHT, HEAVY], ids=["light", "heavy"])
def test_whatever_is_accepted_is_answered_rightly(tmp_path, contribution):
    asked, wrong = _searched(tmp_path, 4, 60, contribution)
    assert wrong == []
    assert len(asked) >= 50  # of each kind, so a hundred together


@pytest.mark.deep
@pytest.mark.parametrize("contribution", [LIGHT, HEAVY], ids=["light", "heavy"])
def test_a_thousand_questions_of_each_kind(tmp_path, contribution):
    """About six populations, each with its own odd values."""
    everything, problems = set(), []
    for seed in range(100, 106):
        asked, wrong = _searched(tmp_path, seed, 230, contribution)
        everything |= asked
        problems += wrong
    assert problems == []
    assert len(everything) >= 1_000


@pytest.fixture(scope="module")
def population(tmp_path_factory):
    folder, rows = tmp_path_factory.mktemp("drawn"), odd_rows(Random(9), ROWS)  # noqa: S311 - as above
    with closing(plain(rows)) as reference, curator(folder, rows, policy(folder, contribution=LIGHT)) as quiet:
        yield quiet, reference


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms(use_true_random=False), shape=st.sampled_from(list(SHAPES)))
def test_the_shortest_question_that_is_answered_wrongly(population, chance, shape):
    """The same questions, made smaller by hypothesis when one fails."""
    made = question(chance, shape=shape)
    assert _tried(made, *population, LIGHT, SPENDS[0], set()) == []
