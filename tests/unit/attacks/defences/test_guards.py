"""Old defences that answer questions: each does what it says, no better and no worse."""

from __future__ import annotations

import numpy as np
import pytest

from deniable.attacks.defences import (
    CuratorGuard,
    Exact,
    InputNoise,
    NaiveLaplace,
    QuerySetSize,
    QuestionKind,
    Questions,
    RememberingSets,
    RememberingTexts,
    Rounding,
    SecretTable,
    Subsample,
    UniformNoise,
)
from deniable.core.errors import InvalidArgumentError

CHANCE = np.random.default_rng()
TABLE = SecretTable(np.column_stack([np.arange(1, 13), np.arange(12) % 2]).astype(np.float64), 0, 12, 1)
SUBSETS = np.array([[True] * 12, [True] * 3 + [False] * 9, [False] * 12])


def ask(guard, kind: QuestionKind = QuestionKind.SUM, subsets=SUBSETS, **more) -> np.ndarray:
    with guard.guard(TABLE, CHANCE) as responder:
        return responder.answers(Questions(kind, subsets, **more))


def test_exact_answers_are_the_truth() -> None:
    assert ask(Exact()).tolist() == [78, 6, 0]
    assert ask(Exact(), QuestionKind.MEAN)[:2].tolist() == [6.5, 2]
    assert ask(Exact(), QuestionKind.MAX)[:2].tolist() == [12, 3]
    assert np.isnan([ask(Exact(), QuestionKind.MEAN)[2], ask(Exact(), QuestionKind.MAX)[2]]).all()
    assert ask(Exact(), QuestionKind.COUNT, SUBSETS, columns=np.array([1])).tolist() == [6, 1, 0]


def test_each_question_has_its_own_column_and_subset() -> None:
    assert ask(Exact(), subsets=SUBSETS[:2], columns=np.array([0, 1])).tolist() == [78, 1]
    assert ask(Exact(), subsets=SUBSETS[:1], columns=np.array([0, 1, 1])).tolist() == [78, 6, 6]


def test_small_sets_are_refused() -> None:
    answers = ask(QuerySetSize(least=4))
    assert answers[0] == 78
    assert np.isnan(answers[1:]).all()


def test_a_sample_answers_about_itself() -> None:
    responder = Subsample(rate=0.5).guard(TABLE, CHANCE)
    each = responder.answers(Questions(QuestionKind.SUM, np.eye(12, dtype=bool)))
    assert set(each.tolist()) <= {0.0, *TABLE.secret[:, 0].tolist()}
    assert responder.answers(Questions(QuestionKind.SUM, SUBSETS[:1])) == [each.sum()]


def test_input_noise_is_the_same_for_every_question() -> None:
    responder = InputNoise().guard(TABLE, CHANCE)
    each = responder.answers(Questions(QuestionKind.SUM, np.eye(12, dtype=bool)))
    assert (np.abs(each - TABLE.secret[:, 0]) <= 12).all()
    again = responder.answers(Questions(QuestionKind.SUM, SUBSETS[:1]))
    assert again == pytest.approx([each.sum()])


def test_bounded_noise_is_bounded_and_fresh() -> None:
    many = np.repeat(SUBSETS[:1], 50, axis=0)
    answers = ask(UniformNoise(2), subsets=many)
    assert (np.abs(answers - 78) <= 24).all()
    assert np.unique(answers).size > 1


def test_rounding_gives_multiples() -> None:
    assert ask(Rounding(5)).tolist() == [60, 0, 0]  # of 5 people: 60


def test_fresh_noise_differs_and_remembered_noise_does_not() -> None:
    twice = np.repeat(SUBSETS[:1], 2, axis=0)
    words = np.array([0, 1])
    same = [
        np.unique(ask(guard, subsets=twice)).size for guard in (NaiveLaplace(), RememberingTexts(), RememberingSets())
    ]
    other = [
        np.unique(ask(guard, subsets=twice, spellings=words)).size for guard in (RememberingTexts(), RememberingSets())
    ]
    assert same == [2, 1, 1]
    assert other == [2, 1]


def test_the_curator_answers_closely_at_a_large_epsilon_and_repeats_from_its_record() -> None:
    # noise of scale 12 * 4 / 10^6 rounds to nothing on a grid of ones, but with probability below 1e-9000
    asked = np.vstack([SUBSETS, SUBSETS[:1]])
    guard = CuratorGuard(1_000_000)
    assert ask(guard, subsets=asked).tolist() == [78, 6, 0, 78]
    assert ask(guard, QuestionKind.MEAN, SUBSETS[:2]).tolist() == [6.5, 2]
    assert ask(guard, QuestionKind.COUNT, SUBSETS, columns=np.array([1]), spellings=np.arange(3)).tolist() == [6, 1, 0]


def test_the_curator_refuses_when_the_budget_is_spent_and_maxima_always() -> None:
    with CuratorGuard(1).guard(TABLE, CHANCE) as responder:
        assert not np.isnan(responder.answers(Questions(QuestionKind.SUM, SUBSETS[:2]))).any()
        assert float(responder.curator.budget().remaining.epsilon) == 0
        assert np.isnan(responder.answers(Questions(QuestionKind.SUM, ~SUBSETS[1:2]))).all()
        assert np.isnan(responder.answers(Questions(QuestionKind.MAX, SUBSETS[:1]))).all()
        assert not np.isnan(
            responder.answers(Questions(QuestionKind.SUM, SUBSETS[:2]))
        ).any()  # from the record, for nothing
        assert float(responder.curator.budget().spent.epsilon) == 1


@pytest.mark.parametrize("guard", [lambda: Rounding(0), lambda: UniformNoise(-1), lambda: CuratorGuard(0)])
def test_settings_that_make_no_sense_are_refused(guard) -> None:
    with pytest.raises(InvalidArgumentError):
        guard()


def test_a_table_without_people_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at least one row"):
        SecretTable(np.zeros((0, 1)), 0, 1, 1)
