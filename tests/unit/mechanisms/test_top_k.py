"""Private rankings: the law of all k places together, and how good they are."""

from __future__ import annotations

from fractions import Fraction
from math import exp, nan

import numpy as np
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import TopK
from tests.support import choices
from tests.support.coverage import covers
from tests.support.laws import Event, unlikely


@pytest.mark.parametrize(
    ("scores", "k", "epsilon"),
    [([2, 1, 0], 1, "2"), ([2, 1, 0], 2, "2"), ([4, 4, 0, 1], 3, "3"), ([0, 5], 2, "1"), ([3, 0, 1, 2, 2], 2, "0.5")],
)
def test_law(scores: list[int], k: int, epsilon: str) -> None:
    # false alarms: 1e-6 each. A ranking is a number in base R, the first place its lowest digit
    mechanism = TopK(k=k, sensitivity=1, epsilon=epsilon)
    law = choices.top_k(scores, Fraction(epsilon) / k / 2, k)
    drawn = mechanism.sample(scores, 50_000)
    assert not unlikely(
        Event(str(ranking), int((drawn == ranking @ len(scores) ** np.arange(k)).sum()), 50_000, float(chance))
        for ranking, chance in ((np.array(ranking), chance) for ranking, chance in law.items())
    )
    assert np.unique(drawn).size <= len(law)


def test_choose_has_the_same_law_as_sample() -> None:
    # 4,000 single rankings; false alarms: 1e-6
    mechanism = TopK(k=2, sensitivity=1, epsilon=4)
    law = choices.top_k([2, 1, 0], Fraction(1), 2)
    drawn = [tuple(mechanism.choose([2, 1, 0])) for _ in range(4000)]
    assert not unlikely(
        Event(str(ranking), drawn.count(ranking), 4000, float(chance)) for ranking, chance in law.items()
    )


def test_choosing() -> None:
    mechanism = TopK(k=3, sensitivity=1, epsilon=3)
    assert mechanism.choose([900, 0, 500, 1400]) == [3, 0, 2]
    assert mechanism.choose(["a", "bb", "ccc"], score=lambda name: 300 * len(name)) == ["ccc", "bb", "a"]
    everyone = TopK(k=4, sensitivity=1, epsilon=1).choose([1, 1, 1, 1])
    assert sorted(everyone) == [0, 1, 2, 3], "nobody is placed twice"
    scores = np.zeros(1_000_000, dtype=int)
    scores[[5, 77]] = 2000, 1000
    assert TopK(k=2, sensitivity=1, epsilon=1).choose(scores) == [5, 77]


def test_a_ranking_of_advertisements_by_a_profile() -> None:
    # quality of an advertisement: how many of the profile's interests it meets; one interest moves it by one
    profile = {"tea": 40, "trains": 25, "tennis": 3}
    advertisements = ["tennis", "trains", "tea"]
    ranking = TopK(k=3, sensitivity=1, epsilon=30).choose(advertisements, score=lambda name: 10 * profile[name])
    assert ranking == ["tea", "trains", "tennis"]


def test_loss_is_that_of_all_places() -> None:
    mechanism = TopK(k=4, sensitivity=1, epsilon=2)
    assert mechanism.loss.epsilon == 2
    assert mechanism.loss.rho == Fraction(2**2, 8 * 4)
    assert mechanism.place.epsilon == Fraction(1, 2)


def test_the_utility_bound_holds_for_every_place() -> None:
    # with probability 1 - k e^-t, every place within the bound of the best that was left; false alarms: 1e-6
    mechanism = TopK(k=2, sensitivity=1, epsilon=1)
    scores = np.arange(0, 60, 3)
    drawn = mechanism.sample(scores, 20_000)
    first, second = drawn % scores.size, drawn // scores.size
    best_left = np.where(first == scores.argmax(), scores[-2], scores[-1])
    for t in (1.5, 3):
        bound = mechanism.utility(scores.size, t)
        good = (scores[first] >= scores.max() - bound) & (scores[second] >= best_left - bound)
        assert covers(int(good.sum()), 20_000, 1 - 2 * exp(-t))


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(
    ("argument", "scores"), [("candidates", []), ("candidates", [1]), ("scores", [nan, 1]), ("scores", [2**62, 1])]
)
def test_bad_scores(argument: str, scores: list[float]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        TopK(k=2, sensitivity=1, epsilon=1).choose(scores)
    assert error.value.argument == argument


@pytest.mark.parametrize(("sensitivity", "step"), [(1, 1), (1, "0.01"), ("0.05", "0.01"), (3, 2)])
def test_its_neighbours_are_neighbours(sensitivity: object, step: object) -> None:
    mechanism = TopK(k=2, sensitivity=sensitivity, epsilon=1, step=step)
    one, other = (mechanism._indices(scores) for scores in mechanism.neighbours())
    assert np.abs(one - other).max() == mechanism.place._grid.distance(mechanism.sensitivity)
