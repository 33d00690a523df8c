"""Batches: priced together, charged once, answered all or none."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from deniable.accounting import compose
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.mechanisms import Laplace
from deniable.planner import Spend, bind, parse
from deniable.planner.pricing.batch import price_all
from tests.support import true_losses
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

COUNTS = [f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}" for age in range(0, 100, 5)]
MANY = [f"SELECT COUNT(*) AS n FROM visits WHERE age = {age}" for age in range(60)]


@pytest.fixture
def clinic(tmp_path):
    found = curator(tmp_path, visits(2_000, seed=3), policy(tmp_path, contribution=None, epsilon=2))
    yield found
    found.close()


def test_a_pure_batch_costs_the_sum_and_is_charged_once(clinic):
    answers = clinic.ask_all(COUNTS, epsilon=1)
    assert len(answers) == len(COUNTS)
    assert clinic.budget().spent.epsilon == 1
    assert clinic.budget().spent.delta == 0
    assert [entry.kind for entry in clinic.history()].count("charged") == 1


def test_answers_are_those_of_their_questions(clinic, monkeypatch):
    silence(monkeypatch)
    questions = ["SELECT region AS k, AVG(cost) AS a FROM visits GROUP BY region", *COUNTS[:3]]
    alone = [clinic.ask(question, epsilon="0.01").table for question in questions]
    assert [answer.table for answer in clinic.ask_all(questions, epsilon=1)] == alone


def test_with_a_delta_every_question_gets_more(clinic):
    plain, tight = clinic.explain_all(MANY, epsilon=1), clinic.explain_all(MANY, epsilon=1, delta="1e-7")
    assert (plain.method, tight.method) == ("basic", "pld")
    assert tight.loss.epsilon <= 1
    assert tight.loss.delta == Fraction(1, 10**7)
    errors = [[line.error for quote in found.questions for line in quote.lines] for found in (tight, plain)]
    assert max(errors[0]) < 0.8 * min(errors[1])


def test_the_tight_price_is_what_composition_says(tmp_path):
    """The price is recomputed from the noise that is added, and no thousandth more would fit."""
    rules = policy(tmp_path, contribution=None)
    batch = price_all([bind(parse(sql), rules) for sql in COUNTS], Spend.of(epsilon=1, delta="1e-6"))
    mechanisms = [noisy.mechanism for plan in batch.plans for noisy in plan.noise]
    assert compose(mechanisms, delta="1e-6").guarantee.epsilon == batch.loss.epsilon <= 1
    assert batch.loss == Loss.approximate(batch.loss.epsilon, "1e-6")  # as the filter's proof wants it, in every form
    each = mechanisms[0].epsilon + Fraction(1, len(COUNTS)) / 500
    more = [Laplace(sensitivity=1, epsilon=each)] * len(mechanisms)
    assert compose(more, delta="1e-6").guarantee.epsilon > 1


@pytest.mark.parametrize("delta", ["1e-3", "1e-7", "1e-12"])
def test_the_tight_price_is_never_below_what_the_noise_loses(tmp_path, delta):
    """Laplace noise on a count is a randomized response: what the batch truly loses is a sum of binomials."""
    rules = policy(tmp_path, contribution=None)
    batch = price_all([bind(parse(sql), rules) for sql in MANY], Spend.of(epsilon=1, delta=delta))
    (each,) = {noisy.mechanism.epsilon for plan in batch.plans for noisy in plan.noise}
    with mpmath.workdps(40):
        assert true_losses.Batch(((each, len(MANY)),)).delta(batch.loss.epsilon) <= true_losses.mp(Fraction(delta))


def test_other_forms_add_up(clinic):
    quote = clinic.explain_all(COUNTS, rho="0.1")
    assert quote.loss.rho == pytest.approx(Fraction(1, 10))
    assert quote.loss.epsilon is None
    exact = clinic.explain_all(COUNTS[:2], accuracy=30)
    assert exact.loss.epsilon == 2 * clinic.explain(COUNTS[0], accuracy=30).loss.epsilon


def test_shares_divide_the_spend(clinic):
    quotes = clinic.explain_all(COUNTS[:2], epsilon=1, shares=[3, 1]).questions
    assert [quote.loss.epsilon for quote in quotes] == [Fraction(3, 4), Fraction(1, 4)]


def test_private_keys_take_half_of_delta(clinic):
    questions = ["SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason", COUNTS[0]]
    quote = clinic.explain_all(questions, epsilon=1, delta="2e-7")
    assert quote.questions[0].loss.delta == Fraction(1, 10**7)
    assert quote.loss.delta <= Fraction(2, 10**7)
    first, second = clinic.ask_all(questions, epsilon=1, delta="2e-7")
    assert first.table.num_rows == 3
    assert second.table.num_rows == 1


def test_private_keys_of_several_questions_take_no_more(clinic):
    questions = [f"SELECT reason, COUNT(*) AS n FROM visits WHERE age > {age} GROUP BY reason" for age in range(3)]
    quote = clinic.explain_all(questions, epsilon=1, delta="2e-7")
    assert sum(each.loss.delta for each in quote.questions) == Fraction(1, 10**7)
    assert quote.loss.delta <= Fraction(2, 10**7)


def test_the_same_batch_again_is_free(clinic):
    first = clinic.ask_all(COUNTS, epsilon=1)
    again = clinic.ask_all([question.lower() for question in COUNTS], epsilon=1)
    assert [answer.table for answer in again] == [answer.table for answer in first]
    assert all(answer.free for answer in again)
    assert clinic.budget().spent.epsilon == 1
    turned = clinic.ask_all(COUNTS[::-1], epsilon="0.5")
    assert not any(answer.free for answer in turned)


@pytest.mark.parametrize(
    ("questions", "payment"),
    [
        ([*COUNTS, "SELECT nothing FROM visits"], {"epsilon": 1}),
        (COUNTS, {"epsilon": 3}),
        ([], {"epsilon": 1}),
        (COUNTS, {"epsilon": 1, "weights": {"n": 2}}),
        (COUNTS, {"epsilon": 1, "shares": [1]}),
        (COUNTS[:2], {"epsilon": 1, "shares": [1, 0]}),
        (COUNTS, {"epsilon": 0}),
        (COUNTS, {"epsilon": 1, "rho": 1}),
    ],
)
def test_one_bad_part_and_nothing_is_charged(clinic, questions, payment):
    with pytest.raises(Refused):
        clinic.ask_all(questions, **payment)
    assert clinic.budget().spent.epsilon == 0


def test_one_question_is_no_batch(clinic):
    with pytest.raises(InvalidArgumentError, match="use ask"):
        clinic.ask_all(COUNTS[0], epsilon=1)


def test_noise_is_drawn_for_each_question(clinic):
    answers = clinic.ask_all([f"{COUNTS[0]} AND age < {1000 + extra}" for extra in range(30)], epsilon="0.3")
    assert np.unique([answer.table["n"][0].as_py() for answer in answers]).size > 5  # of 30 draws at scale 100
