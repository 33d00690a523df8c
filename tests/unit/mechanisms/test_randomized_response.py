"""Randomized response: Warner's numbers, and an estimate without bias."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, inf, log, nan, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import RandomizedResponse
from tests.support.coverage import covers
from tests.support.laws import Event, unlikely

# The textbook's numbers


def test_gamma_one_quarter_is_ln_3() -> None:
    survey = RandomizedResponse.from_gamma("1/4")
    assert survey.keep == Fraction(3, 4)
    assert survey.gamma == 0.25
    assert float(survey.loss.epsilon) == pytest.approx(log(3), rel=1e-11)
    with mpmath.workdps(40):
        stated = mpmath.mpf(survey.loss.epsilon.numerator) / survey.loss.epsilon.denominator
        assert stated >= mpmath.log(3), "rounded up"


@given(epsilon=st.floats(1e-3, 20))
def test_keep_probability(epsilon: float) -> None:
    survey = RandomizedResponse(epsilon=epsilon)
    assert survey.keep_probability == pytest.approx(exp(epsilon) / (1 + exp(epsilon)), rel=1e-12)
    assert log((0.5 + survey.gamma) / (0.5 - survey.gamma)) == pytest.approx(epsilon, rel=1e-6)


def test_the_smallest_advantage_is_not_lost() -> None:
    survey = RandomizedResponse(epsilon="1e-20")
    assert survey.gamma == pytest.approx(2.5e-21)
    assert survey.error(people=100) > 1e19


@given(gamma=st.fractions(Fraction(1, 10**9), Fraction(499_999, 10**6)))
def test_loss_from_gamma(gamma: Fraction) -> None:
    loss = RandomizedResponse.from_gamma(gamma).loss.epsilon
    odds = (Fraction(1, 2) + gamma) / (Fraction(1, 2) - gamma)
    with mpmath.workdps(50):
        truth = mpmath.log(mpmath.mpf(odds.numerator) / odds.denominator)
        stated = mpmath.mpf(loss.numerator) / loss.denominator
        assert truth <= stated <= truth * (1 + mpmath.mpf(10) ** -9)


def test_per_person_estimate() -> None:
    # 0.5 + (y - 0.5) / (2 (p - 0.5)) for a reply y
    survey = RandomizedResponse.from_gamma("0.2")
    for reply in (0, 1):
        assert survey.estimate([reply]) == pytest.approx(0.5 + (reply - 0.5) / (2 * (0.7 - 0.5)))


@pytest.mark.parametrize("truth", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)])
def test_the_estimate_is_unbiased_and_the_mean_is_not(truth: tuple[int, ...]) -> None:
    # over all replies of three people, each weighted by its probability
    survey = RandomizedResponse.from_gamma("1/5")
    expected = mean = 0.0
    for replies in product((0, 1), repeat=3):
        chance = np.prod([0.7 if reply == bit else 0.3 for reply, bit in zip(replies, truth, strict=True)])
        expected += chance * survey.estimate(replies)
        mean += chance * np.mean(replies)
    assert expected == pytest.approx(np.mean(truth))
    assert mean == pytest.approx(2 * 0.2 * np.mean(truth) + (0.5 - 0.2))


# The draw


@pytest.mark.parametrize("survey", [RandomizedResponse(epsilon="0.7"), RandomizedResponse(keep="0.9")], ids=repr)
@pytest.mark.parametrize("truth", [0, 1])
def test_truth_is_told_as_often_as_promised(survey: RandomizedResponse, truth: int) -> None:
    # false alarms: 1e-6
    told = survey.release(np.full(200_000, truth))
    assert set(told.tolist()) <= {0, 1}
    count = int((told == truth).sum())
    assert not unlikely([Event("truth", count, told.size, survey.keep_probability)])


def test_shapes() -> None:
    survey = RandomizedResponse(epsilon=1)
    assert survey.release(1) in {0, 1}
    assert isinstance(survey.release(True), int)  # noqa: FBT003 - an answer
    assert survey.release([True, False]).shape == (2,)
    assert survey.release(np.zeros(4, dtype=bool)).dtype == np.int64
    assert survey.sample(1, 7).shape == (7,)


# Error


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("people", [10, 300])
def test_error_covers(people: int, confidence: float) -> None:
    # 3,000 surveys of the same people; false alarms: 1e-6
    survey = RandomizedResponse.from_gamma("0.3")
    truth = np.arange(people) % 3 == 0
    replies = survey.release(np.tile(truth, 3000)).reshape(3000, people)
    estimates = (replies.mean(axis=1) - 0.2) / 0.6
    assert survey.estimate(replies[0]) == pytest.approx(estimates[0])
    inside = np.abs(estimates - truth.mean()) <= survey.error(confidence, people=people)
    assert covers(int(inside.sum()), 3000, confidence)


def test_error_is_the_textbooks() -> None:
    # about 1 / (gamma sqrt n), and the people for an error alpha about 1 / (gamma alpha)^2
    for gamma in ("0.01", "0.1", "0.4"):
        survey = RandomizedResponse.from_gamma(gamma)
        for people in (100, 10**6):
            assert survey.error(0.95, people=people) <= 0.7 / (float(gamma) * sqrt(people))
        for alpha in (0.01, 0.1):
            people = survey.people_for(alpha, 0.95)
            assert people <= 1 / (float(gamma) * alpha) ** 2 + 1
            assert survey.error(0.95, people=people) <= alpha < survey.error(0.95, people=max(1, people - 1)) + 1e-12


# Bad input


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("answers", [2, -1, 0.5, nan, inf, "yes", "1", None, [], [0, 2], [[0, 1]], [0, nan]])
def test_bad_answers(answers: object) -> None:
    survey = RandomizedResponse(epsilon=1)
    for use in (survey.release, survey.estimate):
        with pytest.raises(InvalidArgumentError) as error:
            use(answers)
        assert error.value.argument == "answers"


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("epsilon", lambda: RandomizedResponse()),
        ("epsilon", lambda: RandomizedResponse(epsilon=1, keep=0.75)),
        ("keep", lambda: RandomizedResponse(keep=0.5)),
        ("keep", lambda: RandomizedResponse(keep=0.3)),
        ("keep", lambda: RandomizedResponse(keep=1)),
        ("keep", lambda: RandomizedResponse(keep=nan)),
        ("gamma", lambda: RandomizedResponse.from_gamma(0)),
        ("gamma", lambda: RandomizedResponse.from_gamma(0.5)),
        ("gamma", lambda: RandomizedResponse.from_gamma(-0.1)),
        ("people", lambda: RandomizedResponse(epsilon=1).error(people=0)),
        ("confidence", lambda: RandomizedResponse(epsilon=1).error(1, people=5)),
        ("error", lambda: RandomizedResponse(epsilon=1).people_for(0)),
    ],
)
def test_bad_arguments(argument: str, call: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        call()
    assert error.value.argument == argument
