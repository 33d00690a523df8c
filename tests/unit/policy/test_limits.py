"""The limits of a policy: read exactly, with defaults, and never none at all."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.policy import InvalidPolicyError, Policy, QuestionLimits, Weight, changes, terms_of

BASE = {
    "population": {"name": "clinic"},
    "budget": {"epsilon": 3},
    "tables": {"visits": {"source": "visits.csv", "columns": {"age": {"type": "integer"}}}},
}


def read(limits: object, **more: object) -> Policy:
    return Policy.from_mapping({**BASE, "limits": limits, **more}, origin="clinic", folder=Path())


def test_what_is_left_out_has_a_default():
    assert read({}).limits == QuestionLimits(Fraction(1, 10_000), Fraction(1), 1_000_000, 1_000)


def test_numbers_are_read_as_they_are_written():
    written = {"least_spend": 0.001, "most_spend": 0.25, "answer_size": 5000, "questions_per_day": 20}
    assert read(written).limits == QuestionLimits(Fraction(1, 1000), Fraction(1, 4), 5000, 20)


@pytest.mark.parametrize(
    ("limits", "key", "what"),
    [
        ({"least_spend": 0}, "limits.least_spend", "must be a positive number, not 0"),
        ({"least_spend": -1}, "limits.least_spend", "must be a positive number"),
        ({"least_spend": 2}, "limits.least_spend", "is more than the whole budget"),
        ({"most_spend": "all"}, "limits.most_spend", "must be a positive number"),
        ({"most_spend": 1.5}, "limits.most_spend", "is more than the whole budget"),
        ({"least_spend": 0.5, "most_spend": 0.25}, "limits.most_spend", "is less than least_spend"),
        ({"most_spend": 0.00001}, "limits.most_spend", "is less than least_spend"),
        ({"answer_size": 0}, "limits.answer_size", "must be a whole number from 1"),
        ({"answer_size": 1.5}, "limits.answer_size", "must be a whole number from 1"),
        ({"questions_per_day": 0}, "limits.questions_per_day", "must be a whole number from 1"),
        ({"questions_per_day": True}, "limits.questions_per_day", "must be a whole number from 1"),
        ({"questions": 3}, "limits.questions", "is not a key here"),
        (False, "limits", "must be a table, not false"),
    ],
)
def test_what_cannot_be_is_named(limits, key, what):
    with pytest.raises(InvalidPolicyError) as caught:
        read(limits)
    (problem,) = caught.value.problems
    assert problem.key == key
    assert problem.what.startswith(what)


def test_the_questions_of_a_day_are_those_of_whoever_has_a_share():
    together, shared = read({}), read({}, analysts={"alice": {"epsilon": 1}})
    assert [account.questions_per_day for account in together.accounts()] == [1_000]
    assert [account.questions_per_day for account in shared.accounts("alice")] == [None, 1_000]


def test_limits_change_what_may_be_asked_and_no_answer():
    tight, plain = read({"questions_per_day": 5}), read({})
    assert tight.digest == plain.digest
    (change,) = changes(terms_of(plain), terms_of(tight))
    assert change.words == "limits: questions_per_day 1000 -> 5"
    assert change.weight is Weight.PLAIN


def test_terms_from_before_there_were_limits_are_no_change():
    terms = terms_of(read({}))
    assert changes({key: value for key, value in terms.items() if key != "limits"}, terms) == []
