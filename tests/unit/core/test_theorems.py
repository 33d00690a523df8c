"""Classic theorems about private mechanisms, checked by exact enumeration: no sampling, no rounding.

A mechanism here is its law on each input: a list of exact probabilities. The excess of P over f times Q, the sum of
(P - f Q)+, is the largest P(S) - f Q(S) over all sets S of outcomes; (epsilon, delta)-private means that it is at
most delta at f = e^epsilon, for all neighbours in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import exp, log, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.conversion import group_delta
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.sampling import IntArray, discrete_laplace
from deniable.mechanisms import Exponential, Gaussian, Laplace, RandomizedResponse, SmoothMedian, TopK

Law = Sequence[Fraction]
Bits = tuple[int, ...]

HALF = Fraction(1, 2)
FACTORS = [Fraction(number) for number in ("1", "6/5", "3/2", "2", "3", "10")]


def excess(one: Law, other: Law, factor: Fraction) -> Fraction:
    return sum((max(p - factor * q, Fraction(0)) for p, q in zip(one, other, strict=True)), Fraction(0))


def responses(ratio: Fraction, people: int) -> Callable[[Bits], Law]:
    """Everybody's bit by randomized response with these odds of the truth."""
    keep = ratio / (1 + ratio)

    def law(bits: Bits) -> Law:
        return [
            prod(
                (keep if said == true else 1 - keep for said, true in zip(heard, bits, strict=True)), start=Fraction(1)
            )
            for heard in product((0, 1), repeat=people)
        ]

    return law


def noisy_count(ratio: Fraction, people: int) -> Callable[[Bits], Law]:
    """Discrete Laplace noise on a count, clamped to 0..n: probability proportional to ratio^-|x|."""
    less = 1 / ratio

    def law(bits: Bits) -> Law:
        count = sum(bits)
        inner = [(1 - less) / (1 + less) * less ** abs(seen - count) for seen in range(1, people)]
        return [less**count / (1 + less), *inner, less ** (people - count) / (1 + less)]

    return law


def worst_response(ratio: Fraction, leak: Fraction) -> tuple[Law, Law]:
    """The pair that dominates every (ln ratio, leak)-private mechanism (Kairouz, Oh, Viswanath 2015)."""
    up, down = (1 - leak) * ratio / (1 + ratio), (1 - leak) / (1 + ratio)
    return [leak, up, down, Fraction(0)], [Fraction(0), down, up, leak]


def neighbours(people: int) -> list[tuple[Bits, Bits]]:
    """All pairs of answers in which one person's differs."""
    tables = list(product((0, 1), repeat=people))
    return [(a, b) for a, b in permutations(tables, 2) if sum(x != y for x, y in zip(a, b, strict=True)) == 1]


MECHANISMS = {
    "responses": responses(Fraction(3), 3),
    "noisy count": noisy_count(Fraction(3), 3),
}
"""Each is ln 3 - private for three people."""


# --------------------------------------------------------------------------------------------------- the definition


@pytest.mark.parametrize("law", MECHANISMS.values(), ids=MECHANISMS)
def test_a_law_on_every_input_adds_up_and_no_neighbour_moves_it_by_more_than_its_factor(
    law: Callable[[Bits], Law],
) -> None:
    assert all(sum(law(bits)) == 1 for bits in product((0, 1), repeat=3))
    assert max(excess(law(a), law(b), Fraction(3)) for a, b in neighbours(3)) == 0
    assert max(excess(law(a), law(b), Fraction(299, 100)) for a, b in neighbours(3)) > 0


def test_any_bad_event_becomes_at_most_e_to_the_epsilon_times_likelier() -> None:
    """The risk multiplier, for each of the 2^8 sets of outcomes, and each person's taking part."""
    law = responses(Fraction(3), 3)
    guarantee = Guarantee(RandomizedResponse(keep="3/4").loss.epsilon or 1)
    worst = Fraction(0)
    for a, b in neighbours(3):
        p, q = law(a), law(b)
        for size in range(1, 8):
            for event in combinations(range(8), size):
                worst = max(worst, sum(p[o] for o in event) / sum(q[o] for o in event))
    assert worst == 3
    assert float(worst) <= guarantee.odds_factor <= 3 * (1 + 1e-9)


@pytest.mark.parametrize("people", [2, 3, 5])
def test_publishing_one_random_row_is_zero_and_one_over_n_private(people: int) -> None:
    """So delta must be far below 1/n: this lawful mechanism always gives somebody away entirely."""

    def law(rows: Sequence[int]) -> Law:
        return [Fraction(rows.count(value), people) for value in range(3)]

    tables = list(product(range(3), repeat=people))
    near = [(a, b) for a in tables for b in tables if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    assert max(excess(law(a), law(b), Fraction(1)) for a, b in near) == Fraction(1, people)
    assert all(excess(law(a), law(b), Fraction(1)) <= Fraction(1, people) for a, b in near)
    # no factor helps: what was published is somebody's row, and on some neighbour it is impossible
    assert max(excess(law(a), law(b), Fraction(10**9)) for a, b in near) == Fraction(1, people)


# ---------------------------------------------------------------------------------------------------- post-processing


def stochastic(rows: int, columns: int) -> st.SearchStrategy[list[list[Fraction]]]:
    """Any channel: what is done to outcome i gives j with probability channel[i][j]."""
    weights = st.lists(st.integers(0, 9), min_size=columns, max_size=columns).filter(any)
    row = weights.map(lambda numbers: [Fraction(number, sum(numbers)) for number in numbers])
    return st.lists(row, min_size=rows, max_size=rows)


def through(law: Law, channel: Sequence[Sequence[Fraction]]) -> Law:
    return [sum((p * row[j] for p, row in zip(law, channel, strict=True)), Fraction(0)) for j in range(len(channel[0]))]


@settings(deadline=None)
@given(st.sampled_from(neighbours(3)), stochastic(8, 5), st.sampled_from(FACTORS))
def test_nothing_done_to_responses_loses_more(
    pair: tuple[Bits, Bits], channel: list[list[Fraction]], factor: Fraction
) -> None:
    one, other = (MECHANISMS["responses"](bits) for bits in pair)
    assert excess(through(one, channel), through(other, channel), factor) <= excess(one, other, factor)


@settings(deadline=None)
@given(st.sampled_from(neighbours(3)), stochastic(4, 6), st.sampled_from(FACTORS))
def test_nothing_done_to_a_noisy_count_loses_more(
    pair: tuple[Bits, Bits], channel: list[list[Fraction]], factor: Fraction
) -> None:
    one, other = (MECHANISMS["noisy count"](bits) for bits in pair)
    assert excess(through(one, channel), through(other, channel), factor) <= excess(one, other, factor)


@settings(deadline=None)
@given(stochastic(4, 4), st.fractions(min_value=0, max_value=HALF), st.sampled_from(FACTORS))
def test_nothing_done_to_the_worst_mechanism_loses_more(
    channel: list[list[Fraction]], leak: Fraction, factor: Fraction
) -> None:
    one, other = worst_response(Fraction(2), leak)
    assert excess(through(one, channel), through(other, channel), factor) <= excess(one, other, factor)


def test_what_looks_at_the_data_again_is_no_post_processing() -> None:
    """A function of outcome *and* data may undo the noise."""
    law = MECHANISMS["noisy count"]
    one, other = law((1, 0, 0)), law((0, 0, 0))
    to_one, to_none = [[Fraction(0), Fraction(1)]] * 4, [[Fraction(1), Fraction(0)]] * 4
    assert excess(one, other, Fraction(3)) == 0
    assert excess(through(one, to_one), through(other, to_none), Fraction(3)) == 1


# -------------------------------------------------------------------------------------------------------- composition


@settings(deadline=None)
@given(
    st.tuples(st.sampled_from(FACTORS), st.sampled_from(FACTORS)),
    st.tuples(*[st.fractions(min_value=0, max_value=HALF, max_denominator=50)] * 2),
)
def test_epsilons_and_deltas_of_two_worst_mechanisms_add_up(
    ratios: tuple[Fraction, Fraction], leaks: tuple[Fraction, Fraction]
) -> None:
    pairs = [worst_response(ratio, leak) for ratio, leak in zip(ratios, leaks, strict=True)]
    one, other = ([p * q for p in pairs[0][side] for q in pairs[1][side]] for side in (0, 1))
    assert excess(one, other, ratios[0] * ratios[1]) <= sum(leaks)


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_k_responses_of_one_person_lose_k_times_epsilon_and_no_less(times: int) -> None:
    law = responses(Fraction(3), times)
    one, other = law((1,) * times), law((0,) * times)
    assert excess(one, other, Fraction(3) ** times) == 0
    assert excess(one, other, Fraction(3) ** times - Fraction(1, 100)) > 0
    assert Loss.pure(1).times(times).epsilon == times


# ------------------------------------------------------------------------------------------------------ group privacy


@pytest.mark.parametrize("law", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("changed", [1, 2, 3])
def test_k_people_together_are_e_to_the_k_epsilon_apart_and_no_more(law: Callable[[Bits], Law], changed: int) -> None:
    tables = list(product((0, 1), repeat=3))
    pairs = [(a, b) for a in tables for b in tables if sum(x != y for x, y in zip(a, b, strict=True)) == changed]
    worst = max(p / q for a, b in pairs for p, q in zip(law(a), law(b), strict=True))
    assert worst == 3**changed
    loss = RandomizedResponse(keep="3/4").loss
    assert loss.for_group(changed).epsilon == changed * (loss.epsilon or 0)
    assert worst <= exp(loss.for_group(changed).epsilon or 0) <= float(worst) * (1 + 1e-9)


@pytest.mark.parametrize("people", [1, 2, 3, 4])
@pytest.mark.parametrize("leak", [Fraction(1, 1000), Fraction(1, 10)])
def test_the_delta_of_a_group_covers_the_worst_mechanism_of_each_of_its_people(people: int, leak: Fraction) -> None:
    ratio, (one, other) = Fraction(2), worst_response(Fraction(2), leak)
    many, others = [Fraction(1)], [Fraction(1)]
    for _ in range(people):
        many, others = [p * q for p in many for q in one], [p * q for p in others for q in other]
    delta = group_delta(Fraction(log(2)), leak, people)
    assert excess(many, others, ratio**people) <= delta
    by_hand = leak * sum(ratio**step for step in range(people))
    assert float(delta) == pytest.approx(float(min(by_hand, Fraction(1))))


# ---------------------------------------------------------------------------------------------------- Bayesian reading


@pytest.mark.parametrize("law", MECHANISMS.values(), ids=MECHANISMS)
@settings(deadline=None)
@given(prior=st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000)), others=stochastic(1, 4))
def test_a_belief_about_one_person_stays_within_the_posterior_bound(
    law: Callable[[Bits], Law], prior: Fraction, others: list[list[Fraction]]
) -> None:
    """Whatever is believed of the others, and whatever comes out."""
    low, high = Guarantee(Fraction(log(3)) + Fraction(1, 10**12)).posterior(prior)
    rest = dict(zip(product((0, 1), repeat=2), others[0], strict=True))
    with_bit = [
        [sum((chance * p for chance, p in zip(rest.values(), column, strict=True)), Fraction(0)) for column in columns]
        for columns in (list(zip(*(law((bit, *bits)) for bits in rest), strict=True)) for bit in (0, 1))
    ]
    for no, yes in zip(*with_bit, strict=True):
        posterior = float(prior * yes / (prior * yes + (1 - prior) * no))
        assert low * (1 - 1e-9) <= posterior <= high * (1 + 1e-9)


@pytest.mark.parametrize("prior", ["0.001", "0.1", "0.5", "0.99"])
def test_randomized_response_attains_the_posterior_bound(prior: str) -> None:
    survey = RandomizedResponse(keep="3/4")
    low, high = Guarantee(survey.loss.epsilon or 1).posterior(prior)
    belief = Fraction(prior)
    said_yes = belief * 3 / (belief * 3 + (1 - belief))
    said_no = belief / (belief + (1 - belief) * 3)
    assert (low, high) == pytest.approx((float(said_no), float(said_yes)))


def test_what_is_true_of_people_in_general_is_learned_with_or_without_alice() -> None:
    """If all share a habit, the answer tells of Alice's too; it would tell as much had she stayed away."""
    ratio, people = Fraction(3), 12
    law, everybody = noisy_count(ratio, people), people  # that is what the noisy count says
    smokers, all_but_her, nobody = (1,) * people, (0,) + (1,) * (people - 1), (0,) * people
    with_her = law(smokers)[everybody] / law(nobody)[everybody]
    without_her = law(all_but_her)[everybody] / law(nobody)[everybody]
    assert without_her > 10_000  # even odds become these
    assert without_her <= with_her <= ratio * without_her


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(3), Fraction(20)])
@pytest.mark.parametrize("leak", [Fraction(0), Fraction(1, 100), Fraction(1, 4)])
def test_nobody_guesses_better_than_the_advantage_and_the_worst_mechanism_attains_it(
    ratio: Fraction, leak: Fraction
) -> None:
    one, other = worst_response(ratio, leak)
    best = excess(one, other, Fraction(1))  # true positives less false positives of the best test
    assert best == (ratio - 1 + 2 * leak) / (ratio + 1)
    assert Guarantee(log(ratio), leak).advantage == pytest.approx(float(best))


@settings(deadline=None)
@given(stochastic(2, 6))
def test_no_private_mechanism_gives_a_larger_advantage_than_its_own_epsilon_and_delta_allow(
    laws: list[list[Fraction]],
) -> None:
    one, other = laws
    for ratio in FACTORS[1:]:
        delta = max(excess(one, other, ratio), excess(other, one, ratio))
        if delta < 1:
            assert float(excess(one, other, Fraction(1))) <= Guarantee(log(ratio), delta).advantage * (1 + 1e-9)


# ----------------------------------------------------------------------------------------- noise on numbers and vectors


@pytest.mark.parametrize("sensitivity", [1, 2, 3])
def test_laplace_noise_moves_no_outcome_of_a_vector_by_more_than_epsilon(sensitivity: int) -> None:
    """The exponents of the law, |x - a|_1 / scale, differ by at most the distance over the scale; and attain it."""
    mechanism = Laplace(sensitivity=sensitivity, epsilon="1/2")
    box = list(product(range(-4, 5), repeat=2))
    near = [a for a in box if 0 < abs(a[0]) + abs(a[1]) <= sensitivity]
    moves = [(abs(x[0] - a[0]) + abs(x[1] - a[1]) - abs(x[0]) - abs(x[1])) / mechanism.scale for a in near for x in box]
    assert max(moves) == mechanism.epsilon == mechanism.loss.epsilon
    assert min(moves) == -mechanism.epsilon


@pytest.mark.parametrize("order", [2, 3, 5, 10])
def test_gaussian_noise_loses_rho_at_every_order(order: int) -> None:
    """Renyi divergence of the discrete law from its shift, by summing: at most order * rho, as zCDP says."""
    mechanism = Gaussian(sensitivity=1, rho="1/32")
    variance = float(mechanism.variance)
    outcomes = range(-150, 151)
    total = sum(exp(-(x**2) / (2 * variance)) for x in outcomes)
    moment = sum(exp((-order * x**2 - (1 - order) * (x - 1) ** 2) / (2 * variance)) for x in outcomes) / total
    divergence = log(moment) / (order - 1)
    assert divergence <= order * float(mechanism.loss.rho or 0) * (1 + 1e-9)
    assert divergence == pytest.approx(order / 32, rel=1e-3)


# ------------------------------------------------------------------------------------------------------------- choices


def weights(scores: Sequence[int], rate: float) -> list[float]:
    """The exponential mechanism's law, by its formula."""
    best = max(scores)
    numbers = [exp(rate * (score - best)) for score in scores]
    return [number / sum(numbers) for number in numbers]


def rankings(scores: Sequence[int], rate: float, places: int) -> dict[tuple[int, ...], float]:
    """The law of peeling: choose by the exponential mechanism, take out, choose again."""
    if places == 0:
        return {(): 1.0}
    law: dict[tuple[int, ...], float] = {}
    for first, chance in enumerate(weights(scores, rate)):
        rest = [place for place in range(len(scores)) if place != first]
        for ranking, later in rankings([scores[place] for place in rest], rate, places - 1).items():
            law[first, *(rest[place] for place in ranking)] = chance * later
    return law


moved = st.lists(st.tuples(st.integers(-9, 9), st.integers(-1, 1)), min_size=2, max_size=5)
"""Scores, each with how far a neighbour's lies from it."""


@settings(deadline=None)
@given(moved, st.floats(0.05, 5), st.floats(1.01, 40))
def test_the_exponential_mechanism_loses_an_eighth_of_epsilon_squared_at_every_order(
    table: list[tuple[int, int]], epsilon: float, order: float
) -> None:
    """Its log-ratios lie in a range of length epsilon, and that is a quarter of what pure epsilon alone would cost."""
    mechanism = Exponential(sensitivity=1, epsilon=epsilon)
    one = weights([score for score, _ in table], epsilon / 2)
    other = weights([score + move for score, move in table], epsilon / 2)
    ratios = [log(p / q) for p, q in zip(one, other, strict=True)]
    assert max(ratios) - min(ratios) <= epsilon + 1e-9
    divergence = log(sum(q * exp(order * ratio) for q, ratio in zip(other, ratios, strict=True))) / (order - 1)
    assert divergence <= order * float(mechanism.loss.rho or 0) + 1e-9


@settings(deadline=None)
@given(moved, st.fractions(min_value=Fraction(1, 10), max_value=5, max_denominator=100), st.integers(1, 3))
def test_no_neighbour_moves_any_ranking_by_more_than_epsilon(
    table: list[tuple[int, int]], epsilon: Fraction, places: int
) -> None:
    mechanism = TopK(k=min(places, len(table)), sensitivity=1, epsilon=epsilon)
    rate = float(mechanism.place.epsilon) / 2
    one = rankings([score for score, _ in table], rate, mechanism.k)
    other = rankings([score + move for score, move in table], rate, mechanism.k)
    assert sum(one.values()) == pytest.approx(1)
    assert max(abs(log(one[ranking] / other[ranking])) for ranking in one) <= float(epsilon) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("people", [1, 2, 3, 7])
def test_k_people_together_move_a_gaussian_by_k_squared_rho(people: int) -> None:
    """The Renyi divergence of order a of two Gaussians k apart is a k^2 / (2 variance): k^2 rho for every order."""
    variance = 50
    rho = Fraction(1, 2 * variance)
    assert Loss.concentrated(rho, None).for_group(people).rho == Fraction(people**2, 2 * variance)


@pytest.mark.parametrize("epsilon", ["1", "4", "16"])
def test_neighbours_have_smooth_sensitivities_within_a_factor(epsilon: str) -> None:
    """Of the median, e^(epsilon/8): that hides the scale of the noise (Nissim, Raskhodnikova, Smith 2007)."""
    mechanism = SmoothMedian(lower=0, upper=3, epsilon=epsilon)
    tables = list(combinations_with_replacement((0, 1, 3), 5))
    smooth = {table: mechanism.smooth_sensitivity(table) for table in tables}
    for table, place, value in product(tables, range(5), (0, 1, 3)):
        replaced = tuple(sorted((*table[:place], value, *table[place + 1 :])))
        assert smooth[table] <= exp(float(mechanism.epsilon) / 8) * smooth[replaced] * (1 + 1e-9)


@pytest.mark.parametrize("delta", [None, "1e-3"])
def test_noise_at_smooth_sensitivity_has_the_scale_of_its_theorem(
    delta: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter of epsilon for Student's t (Bun, Steinke 2019), half of it for Laplace noise."""
    scales = []

    def recorded(scale: Fraction, size: int, bits: object) -> IntArray:
        scales.append(scale)
        return discrete_laplace(Fraction(1), size, bits)

    for name in ("discrete_student", "discrete_laplace"):
        monkeypatch.setattr(f"deniable.mechanisms.smooth_median.{name}", recorded)
    mechanism, values = SmoothMedian(lower=0, upper=100, epsilon=3, delta=delta), [10, 20, 30, 40, 50]
    mechanism.release(values)
    part = 4 if delta is None else 2
    assert [float(scale) for scale in scales] == [pytest.approx(part * mechanism.smooth_sensitivity(values) / 3)]
