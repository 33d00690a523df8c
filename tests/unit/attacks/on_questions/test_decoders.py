"""From noisy counts back to bits: the theorems hold, and the decoders agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.attacks import Reconstruction
from deniable.attacks.defences import Exact, UniformNoise
from deniable.attacks.on_questions.blood_sugar import traits
from deniable.attacks.on_questions.decoders import DECODERS, exhaustive, least_squares, linear_program
from deniable.core.errors import InvalidArgumentError

CHANCE = np.random.default_rng()


def rebuilt(attack: Reconstruction, error: float) -> float:
    """The share of rows that an attack rebuilds through bounded noise."""
    table = traits(attack.n, CHANCE)
    found, answered = attack.play(UniformNoise(error).guard(table, CHANCE), attack.n, CHANCE)
    assert answered == attack.questions
    return float((found == (table.secret[:, 0] == 1)).mean())


def all_subsets(people: int) -> np.ndarray:
    return (np.arange(1 << people)[:, None] >> np.arange(people)) & 1 == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.booleans(), min_size=9, max_size=9), st.integers(0, 2))
def test_answers_to_all_subsets_within_e_are_rebuilt_within_4e_rows(bits: list[bool], error: int) -> None:
    # Dinur, Nissim 2003, theorem 3: no probability in it, whatever the noise
    subsets, truth = all_subsets(9), np.array(bits)
    noise = CHANCE.uniform(-error, error, len(subsets))
    wrong = (exhaustive(subsets, subsets @ truth.astype(float) + noise) != truth).sum()
    assert wrong <= 4 * error


def test_the_worst_noise_of_e_hides_no_more_than_4e_rows() -> None:
    # every count of a table with 2 ones is moved by 1 towards that of the empty table
    subsets, truth = all_subsets(10), np.arange(10) < 2
    exact = subsets @ truth.astype(float)
    assert (exhaustive(subsets, np.maximum(exact - 1, 0)) != truth).sum() <= 4


@pytest.mark.parametrize("name", ["lp", "least-squares"])
def test_exact_answers_are_rebuilt_exactly(name: str) -> None:
    # false alarms: a random matrix of 160 by 40 zeros and ones is singular with probability below 1e-20
    subsets, truth = CHANCE.integers(0, 2, (160, 40)) == 1, CHANCE.integers(0, 2, 40) == 1
    assert (DECODERS[name](subsets, subsets @ truth.astype(float)) == truth).all()


def test_least_squares_rebuild_everybody_from_small_noise() -> None:
    # Hoeffding: row i is wrong with probability at most 2 exp(-1 / (8 E^2 w_i)), w_i = ((A'A)^-1)_ii
    error, people = 1.0, 64
    subsets, truth = CHANCE.integers(0, 2, (16 * people, people)) == 1, CHANCE.integers(0, 2, people) == 1
    spread = np.diag(np.linalg.inv(subsets.T.astype(float) @ subsets))
    assert (2 * np.exp(-1 / (8 * error**2 * spread))).sum() < 1e-6  # the false-alarm rate
    noisy = subsets @ truth.astype(float) + CHANCE.uniform(-error, error, len(subsets))
    assert (least_squares(subsets, noisy) == truth).all()


def test_the_linear_program_rebuilds_nearly_everybody_from_noise_below_the_root() -> None:
    # 128 people, noise 3 against sqrt(128) = 11.3: all rows are right in practice, and 3/4 are twenty standard
    # deviations of a fair guess's 64 +- 5.7 away from nothing: binom.sf(95, 128, 1/2) < 1e-8
    assert rebuilt(Reconstruction(n=128), 3) >= 0.75


def test_noise_far_beyond_the_root_leaves_little() -> None:
    # of 128 fair guesses 90% are right with probability below 1e-20; noise of 3,000 leaves hardly more than that
    assert rebuilt(Reconstruction(n=128), 3000) <= 0.9


def test_the_exhaustive_attack_rebuilds_small_tables_through_small_noise() -> None:
    # theorem 3: below an error of 1/4 no row is wrong
    outcome = Reconstruction(n=11, decoder="exhaustive").against(UniformNoise(0.24), CHANCE)
    assert outcome.value == 1.0
    assert "2,048 of 2,048" in outcome.sentence


def test_fewer_answers_than_people_still_decode() -> None:
    subsets, truth = CHANCE.integers(0, 2, (10, 30)) == 1, np.ones(30, dtype=bool)
    for decode in (least_squares, linear_program):
        assert decode(subsets, subsets @ truth.astype(float)).shape == (30,)


def test_two_thousand_people_are_rebuilt() -> None:
    assert Reconstruction(n=2000, factor=2).against(Exact(), CHANCE).value == 1.0


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"n": 21, "decoder": "exhaustive"}, "at most 14 for the exhaustive attack"),
        ({"n": 1}, "at least 2"),
        ({"decoder": "magic"}, "must be one of auto"),
        ({"factor": 0}, "positive"),
        ({"n": 100_000}, "too large"),
    ],
)
def test_what_cannot_be_rebuilt_says_why(settings_, says: str) -> None:
    with pytest.raises(InvalidArgumentError, match=says):
        Reconstruction(**settings_)


def test_exhaustive_refuses_many_people_by_itself() -> None:
    with pytest.raises(InvalidArgumentError, match="2\\^n"):
        exhaustive(np.ones((1, 25), dtype=bool), np.zeros(1))
