"""Auditors refuse exactly what would disclose: checked against every table, and against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.attacks.defences import (
    OfflineBitAudit,
    OfflineMaxAudit,
    QuestionKind,
    Questions,
    SecretTable,
    SimulatableBitAudit,
    SimulatableMaxAudit,
    SumAudit,
)
from deniable.attacks.defences.auditors.sum_audit import Span, is_prime, random_prime
from deniable.core.errors import InvalidArgumentError

CHANCE = np.random.default_rng()
subsets_of_five = st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=7)


def table(values: list[float]) -> SecretTable:
    return SecretTable(np.array(values, dtype=np.float64)[:, None], 0, 9, 1)


def fixed_by(questions: list[list[bool]], people: int) -> bool:
    """Whether some unit vector is in the rational span: Gauss and Jordan, in fractions."""
    rows = [[Fraction(int(bit)) for bit in question] for question in questions]
    place = 0
    for column in range(people):
        pivot = next((row for row in range(place, len(rows)) if rows[row][column]), None)
        if pivot is None:
            continue
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][column] for entry in rows[place]]
        for row in range(len(rows)):
            if row != place:
                rows[row] = [one - rows[row][column] * other for one, other in zip(rows[row], rows[place], strict=True)]
        place += 1
    return any(sum(entry != 0 for entry in row) == 1 for row in rows)


@given(subsets_of_five)
def test_sums_are_refused_exactly_if_linear_algebra_would_fix_a_value(questions: list[list[bool]]) -> None:
    span, admitted = Span(5), []
    for question in questions:
        wanted = not fixed_by([*admitted, question], 5)
        assert span.admit(np.array(question, dtype=np.int64)) is wanted
        if wanted:
            admitted.append(question)


def test_random_primes_are_prime_and_of_31_bits() -> None:
    for _ in range(20):
        prime = random_prime()
        assert 1 << 30 <= prime < 1 << 31
        assert is_prime(prime)
        assert all(prime % small for small in range(2, 2000))


def test_a_sum_auditor_never_looks_at_the_data() -> None:
    subsets = CHANCE.integers(0, 2, (40, 12)) == 1
    refused = [
        np.isnan(SumAudit().guard(table(values), CHANCE).answers(Questions(QuestionKind.SUM, subsets)))
        for values in ([0.0] * 12, [float(value) for value in range(12)])
    ]
    assert (refused[0] == refused[1]).all()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=5, max_size=5), subsets_of_five)
def test_no_answer_of_a_bit_auditor_fixes_a_bit(bits: list[float], questions: list[list[bool]]) -> None:
    for auditor in (OfflineBitAudit(), SimulatableBitAudit()):
        subsets = np.array(questions)
        answers = auditor.guard(table(bits), CHANCE).answers(Questions(QuestionKind.COUNT, subsets))
        known = ~np.isnan(answers)
        assert (answers[known] == (subsets @ bits)[known]).all()
        possible = [np.array(other) for other in product([0.0, 1.0], repeat=5)]
        left = [other for other in possible if (subsets[known] @ other == answers[known]).all()]
        assert all(len({other[person] for other in left}) == 2 for person in range(5))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=5, max_size=5), subsets_of_five)
def test_refusals_of_the_simulatable_bit_auditor_follow_from_its_answers(
    bits: list[float], questions: list[list[bool]]
) -> None:
    subsets = np.array(questions)
    answers = SimulatableBitAudit().guard(table(bits), CHANCE).answers(Questions(QuestionKind.COUNT, subsets))
    known = ~np.isnan(answers)
    for other in product([0.0, 1.0], repeat=5):
        if (subsets[known] @ np.array(other) == answers[known]).all():
            again = (
                SimulatableBitAudit().guard(table(list(other)), CHANCE).answers(Questions(QuestionKind.COUNT, subsets))
            )
            assert (np.isnan(again) == np.isnan(answers)).all()


small = st.lists(st.integers(0, 3).map(float), min_size=4, max_size=4)
subsets_of_four = st.lists(st.lists(st.booleans(), min_size=4, max_size=4).filter(any), min_size=1, max_size=5)


def maxima_fix_a_value(subsets: np.ndarray, answers: np.ndarray) -> bool:
    """By listing tables of half-steps from below all answers to above all of them, which stand for all real ones."""
    grid = np.arange(-1, 4.5, 0.5)
    tables = np.array(list(product(grid, repeat=4)))
    shown = np.where(subsets[None], tables[:, None, :], -np.inf).max(axis=2)
    left = tables[(shown == answers).all(axis=1)]
    return any(np.unique(left[:, person]).size == 1 for person in range(4))


@settings(max_examples=25, deadline=None)
@given(small, subsets_of_four)
def test_maxima_are_refused_exactly_if_they_would_fix_a_value(values: list[float], questions: list[list[bool]]) -> None:
    subsets = np.array(questions)
    responder = OfflineMaxAudit().guard(table(values), CHANCE)
    truth = np.where(subsets, values, -np.inf).max(axis=1)
    said: list[int] = []
    for number in range(len(questions)):
        (answer,) = responder.answers(Questions(QuestionKind.MAX, subsets[[number]]))
        tried = [*said, number]
        assert np.isnan(answer) == maxima_fix_a_value(subsets[tried], truth[tried])
        if not np.isnan(answer):
            assert answer == truth[number]
            said.append(number)


@settings(max_examples=25, deadline=None)
@given(small, small, subsets_of_four)
def test_refusals_of_the_simulatable_max_auditor_follow_from_its_answers(
    values: list[float], others: list[float], questions: list[list[bool]]
) -> None:
    first, second = (
        SimulatableMaxAudit().guard(table(side), CHANCE).answers(Questions(QuestionKind.MAX, np.array(questions)))
        for side in (values, others)
    )
    differ = np.flatnonzero(~((first == second) | (np.isnan(first) & np.isnan(second))))
    if differ.size:  # where they part, both were answered: no refusal ever told the two tables apart
        assert not np.isnan(first[differ[0]])
        assert not np.isnan(second[differ[0]])


def test_the_textbooks_refusal_the_only_woman_among_first_years() -> None:
    # two men in later years and one in the first, and Xi: men earn at most 2, Xi earns 3
    salaries, men, first_years = table([1, 2, 1.5, 3]), [True, True, True, False], [False, False, True, True]
    responder = OfflineMaxAudit().guard(salaries, CHANCE)
    answers = responder.answers(Questions(QuestionKind.MAX, np.array([men, first_years])))
    assert answers[0] == 2
    assert np.isnan(answers[1])  # and so the largest among first-years is above 2, and hers
    poorer = OfflineMaxAudit().guard(table([1, 2, 1.5, 1.2]), CHANCE)
    assert poorer.answers(Questions(QuestionKind.MAX, np.array([men, first_years]))).tolist() == [2, 1.5]


def test_auditing_bits_of_many_people_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at most 20"):
        OfflineBitAudit().guard(table([0.0] * 21), CHANCE)
