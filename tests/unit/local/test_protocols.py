"""Each protocol's own numbers, beyond what the contract asks of all."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log, log2, sqrt

import numpy as np
import pytest
from scipy.optimize import minimize

from deniable.core.errors import InvalidArgumentError
from deniable.local import (
    Duchi,
    HadamardResponse,
    HeavyHitters,
    Hybrid,
    KaryResponse,
    LocalHashing,
    Marginals,
    MeanVector,
    OptimizedUnary,
    Piecewise,
    ProjectiveGeometry,
    Rappor,
    Reports,
    SubsetSelection,
    SymmetricUnary,
    WarnerResponse,
    choose,
    proportions,
)
from deniable.local.domain import AnswerDomain
from deniable.local.families.listed import ListedProtocol
from deniable.local.geometry import Space

LIMIT = 4 * exp(1) / (exp(1) - 1) ** 2


# Warner


def test_three_ways_to_say_the_odds() -> None:
    assert WarnerResponse(gamma="1/4") == WarnerResponse(keep="0.75")
    assert float(WarnerResponse(keep="0.75").epsilon) == pytest.approx(log(3))
    assert float(WarnerResponse(epsilon=1).keep) == pytest.approx(exp(1) / (1 + exp(1)))
    for bad in ({}, {"epsilon": 1, "keep": "0.7"}, {"keep": "0.5"}, {"keep": 1}, {"gamma": 0}, {"gamma": "0.5"}):
        with pytest.raises(InvalidArgumentError):
            WarnerResponse(**bad)


def test_the_naive_mean_is_pulled_to_one_half_and_the_estimate_is_not() -> None:
    survey = WarnerResponse(keep="3/4")
    assert survey.naive_mean(0.1) == pytest.approx(2 * 0.25 * 0.1 + 0.25)
    reports = Reports(survey.settings, np.repeat(np.array([1, 0], dtype=np.uint8), [300, 700]))
    assert survey.estimate(reports).value == pytest.approx(0.1)


@pytest.mark.parametrize("bound", ["chebyshev", "hoeffding", "exact"])
def test_that_many_people_are_enough_and_one_less_is_not(bound: str) -> None:
    survey = WarnerResponse(epsilon=1)
    people = survey.people_for("0.02", bound=bound)
    assert survey.error(people=people, bound=bound) <= 0.02 < survey.error(people=people - 1, bound=bound)


def test_the_bounds_are_the_formulas() -> None:
    survey, n = WarnerResponse(gamma="1/4"), 1000
    assert survey.error(people=n, bound="hoeffding") == pytest.approx(sqrt(log(2 / 0.05) / (2 * n)) * 2)
    assert survey.error(people=n, bound="chebyshev") == pytest.approx(sqrt(3 / 16 / 0.25 / n / 0.05))
    assert survey.error(people=n, bound="exact") < survey.error(people=n, bound="hoeffding")
    assert survey.variance(n) <= 1 / (16 * 0.25**2 * n)
    with pytest.raises(InvalidArgumentError, match=r"^bound "):
        survey.error(people=n, bound="normal")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"^error "):
        survey.people_for("1e-9")


# Histograms


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0])
def test_variances_are_the_literature_s(epsilon: float) -> None:
    odds = exp(epsilon)
    assert KaryResponse(50, epsilon).variance(1) == pytest.approx((48 + odds) / (odds - 1) ** 2, rel=1e-9)
    assert OptimizedUnary(50, epsilon).variance(1) == pytest.approx(4 * odds / (odds - 1) ** 2, rel=1e-9)
    assert SymmetricUnary(50, epsilon).variance(1) == pytest.approx(sqrt(odds) / (sqrt(odds) - 1) ** 2, rel=1e-9)
    assert HadamardResponse(50, epsilon).variance(1) == pytest.approx(((odds + 1) / (odds - 1)) ** 2, rel=1e-9)
    for kind in (ProjectiveGeometry, LocalHashing, SubsetSelection):
        assert kind(5000, epsilon).variance(1) <= 1.1 * 4 * odds / (odds - 1) ** 2


@pytest.mark.parametrize("kind", [KaryResponse, HadamardResponse, ProjectiveGeometry, LocalHashing])
@pytest.mark.parametrize("size", [2, 3, 13, 60])
def test_parts_have_the_stated_sizes(kind: type[ListedProtocol], size: int) -> None:
    protocol = kind(size, 1)
    parts = [set(protocol.part(value).tolist()) for value in range(size)]
    assert {len(part) for part in parts} == {protocol.preferred}
    assert {len(one & other) for place, one in enumerate(parts) for other in parts[:place]} == {protocol.overlap}
    assert set().union(*parts) <= set(range(protocol.messages))


def test_reports_are_as_short_as_theory_says() -> None:
    for size in (100, 10_000):
        assert KaryResponse(size, 1).messages == size
        assert log2(HadamardResponse(size, 1).messages) <= log2(size) + 1
        assert log2(ProjectiveGeometry(size, 1).messages) <= log2(size) + log2(exp(1) + 1)
        assert log2(LocalHashing(size, 1).messages) <= log2(size) + 2 * log2(exp(1) + 1)
        assert OptimizedUnary(size, 1).perturb(0).bits == 8 * ceil(size / 8)


def test_sums_over_orthogonal_vectors() -> None:
    space, generator = Space(5, 3), np.random.default_rng(1)
    weights, vectors = generator.random(space.size), space.digits(np.arange(space.size))
    true = [(weights[vectors @ vector % 5 == 0]).sum() for vector in vectors]
    assert space.orthogonal_sums(weights, np.arange(space.size)) == pytest.approx(true)


def test_sets_of_a_subset_report_have_one_size() -> None:
    survey = SubsetSelection(1000, 1)
    rows = np.unpackbits(survey.perturb(np.arange(200)).data, axis=1)
    assert set(rows.sum(axis=1)) == {survey.chosen}


def test_rappor_reports_of_one_memory_repeat_its_lies_and_fresh_ones_do_not() -> None:
    survey = Rappor(8, "0.5", "8")
    kept = survey.memorize(np.zeros(2000, dtype=int))
    wrong = ~np.unpackbits(kept.data, axis=1).astype(bool)[:, 0]
    averages = np.mean([np.unpackbits(survey.report(kept).data, axis=1)[:, 0] for _ in range(400)], axis=0)
    # each average of 400 coins is within 0.2 of its chance except with probability 2 exp(-32): 1e-10 for all
    assert np.abs(averages - np.where(wrong, 1 - float(survey.report_chance), float(survey.report_chance))).max() < 0.2
    both = survey.permanent_chance * survey.report_chance + (1 - survey.permanent_chance) * (1 - survey.report_chance)
    assert both == survey.truth
    assert survey.lifetime_loss.epsilon == 8
    with pytest.raises(InvalidArgumentError, match=r"^lifetime "):
        Rappor(8, 2, 1)


# The choice


@pytest.mark.parametrize(
    ("size", "epsilon", "name"),
    [
        (2, 1, "KaryResponse"),
        (4, 1, "KaryResponse"),
        (10_000, 1, "ProjectiveGeometry"),
        (10_000, "0.1", "HadamardResponse"),
        (50, 6, "KaryResponse"),
    ],
)
def test_the_choice_has_the_least_variance(size: int, epsilon: float, name: str) -> None:
    choice = choose(size, epsilon)
    assert type(choice.protocol).__name__ == name
    best = min(kind(size, epsilon).variance(1) for kind in (KaryResponse, HadamardResponse, ProjectiveGeometry))
    assert choice.protocol.variance(1) <= 1.02 * best
    assert choice.reason.startswith(name)
    assert {row[0] for row in choice.compared} >= {"KaryResponse", "HadamardResponse", "ProjectiveGeometry"}


def test_the_chosen_one_is_near_the_limit() -> None:
    assert choose(10_000, 1).protocol.variance(1) <= 1.1 * LIMIT


# Post-processing


def test_the_nearest_shares_are_a_projection() -> None:
    generator = np.random.default_rng(7)
    for _ in range(20):
        given = generator.normal(0.2, 0.4, 6)
        nearest = proportions(given)
        assert nearest.min() >= 0
        assert nearest.sum() == pytest.approx(1)
        other = generator.dirichlet(np.ones(6))
        assert np.sum((given - nearest) ** 2) <= np.sum((given - other) ** 2) + 1e-12
        assert np.sum((nearest - other) ** 2) <= np.sum((given - other) ** 2) + 1e-12  # no farther from any truth
    assert proportions([0.1, 0.2, 0.7]) == pytest.approx([0.1, 0.2, 0.7])


@pytest.mark.parametrize("kind", [KaryResponse, HadamardResponse, ProjectiveGeometry, LocalHashing])
def test_expectation_maximization_finds_the_likeliest_shares(kind: type[ListedProtocol]) -> None:
    protocol, people = kind(3, 1), 3000
    reports = protocol.perturb(np.repeat([0, 1, 2], [200, 800, 2000]))
    found = protocol.distribution(reports)
    channel = np.array([[float(chance) for chance in protocol.law(value).values()] for value in range(3)]).T
    counts = np.bincount(reports.data, minlength=protocol.messages)

    def surprise(shares: np.ndarray) -> float:
        return float(-(counts @ np.log(channel @ shares)) / people)

    best = minimize(
        surprise,
        np.ones(3) / 3,
        bounds=[(0, 1)] * 3,
        constraints={"type": "eq", "fun": lambda f: f.sum() - 1},
        tol=1e-14,
    )
    assert surprise(found) <= best.fun + 1e-7
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)


def test_estimates_are_not_clipped_unless_it_is_asked_for() -> None:
    protocol = KaryResponse(50, "0.1")
    estimate = protocol.estimate(protocol.perturb(np.zeros(500, dtype=int)))
    assert estimate.value.min() < 0  # with 49 empty values and much noise, below zero but for a chance of 2^-40
    assert estimate.value.sum() == pytest.approx(1)
    assert estimate.consistent().min() >= 0
    assert estimate.consistent().sum() == pytest.approx(1)
    assert estimate.interval[0].min() >= 0


# Means


def test_variances_of_means_are_the_literature_s() -> None:
    # bounds -1 and 1, epsilon 1: Duchi 4.68 at 0, piecewise 4.43 at 1, hybrid 4.28 everywhere
    root = exp(0.5)
    assert Duchi(1).variance(1, 0) == pytest.approx(((exp(1) + 1) / (exp(1) - 1)) ** 2, rel=1e-9)
    for value in (0, "0.5", 1):
        square = float(Fraction(value)) ** 2
        assert Piecewise(1).variance(1, value) == pytest.approx(
            square / (root - 1) + (root + 3) / (3 * (root - 1) ** 2), rel=1e-3
        )
    assert Hybrid(1).variance(1) <= min(Duchi(1).variance(1), Piecewise(1).variance(1))
    assert Hybrid(4).variance(1) <= Duchi(4).variance(1)


def test_vectors_send_more_numbers_when_epsilon_allows() -> None:
    assert [MeanVector(4, epsilon).sent for epsilon in (1, 2.4, 5, 7.5, 100)] == [1, 1, 2, 3, 4]
    survey = MeanVector(4, 5, (0, 1))
    assert survey.perturb(np.zeros((10, 4))).data.shape == (10, 2)
    with pytest.raises(InvalidArgumentError, match=r"^values must be rows of 4 numbers"):
        survey.perturb(np.zeros((10, 3)))


@pytest.mark.parametrize("kind", [Duchi, Piecewise, Hybrid])
@pytest.mark.parametrize("bounds", [(1, 1), (2, 1), (0, "nan"), (0,), 5, (0, 1e300)])
def test_bad_bounds_are_named(kind: type[Duchi], bounds: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^bounds "):
        kind(1, bounds)  # type: ignore[arg-type]


# Many values, many attributes, many times


def test_frequent_words_are_found_without_a_list() -> None:
    words = np.repeat(["sports", "news", "cats", "x", "weather"], [9000, 6000, 3000, 1000, 1000])
    survey = HeavyHitters("abcdefghijklmnopqrstuvwxyz", 8, 3)
    found = survey.estimate(survey.perturb(words))
    assert set(found.labels[:2]) == {"sports", "news"}  # shares of 0.45 and 0.3, with an error of 0.03
    assert list(found.value) == sorted(found.value, reverse=True)
    assert (found.simultaneous[0] > 0).all()
    low, high = found.simultaneous
    assert low[0] <= 0.45 <= high[0] or low[1] <= 0.45 <= high[1]


def test_words_of_every_length_are_encoded_and_decoded() -> None:
    survey = HeavyHitters("zab", 5, 1)
    words = np.array(["", "z", "ab", "baz", "abzab"])
    assert list(survey._decode(survey._encode(words))) == words.tolist()


def test_a_word_with_a_hole_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^values must consist"):
        HeavyHitters("ab", 4, 1).perturb("a\0b")


@pytest.mark.parametrize(("alphabet", "length"), [("", 3), ("aa", 3), ("a\0", 3), (5, 3)])
def test_bad_alphabets_are_named(alphabet: str, length: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^alphabet "):
        HeavyHitters(alphabet, length, 1)


def test_too_few_reports_for_a_tree_are_refused() -> None:
    survey = HeavyHitters("abcdefghijklmnopqrstuvwxyz", 12, 1)
    with pytest.raises(InvalidArgumentError, match=r"^reports are too few"):
        survey.estimate(survey.perturb("word"))


def test_nobody_frequent_is_nobody_found() -> None:
    survey = HeavyHitters("abcdefghijklmnopqrstuvwxyz", 2, "0.1")
    reports = survey.perturb([a + b for a in "abcdefgh" for b in "abcdefgh"])
    assert survey.estimate(reports, confidence="0.9999999").labels == ()  # a share of 1/64 cannot be seen among 64


def test_tables_add_up_to_one_and_are_shaped() -> None:
    survey = Marginals({"sex": ["f", "m"], "age": 3, "town": ["a", "b"]}, 3, ways=3)
    people = {"sex": ["f", "m"] * 2000, "age": [0, 1] * 2000, "town": ["a", "a", "b", "b"] * 1000}
    (table,) = survey.estimate(survey.perturb(people)).values()
    assert table.value.shape == (2, 3, 2)
    assert table.labels[0] == "f / 0 / a"
    assert table.value.sum() == pytest.approx(1)
    with pytest.raises(InvalidArgumentError, match=r"^ways "):
        Marginals({"a": 2}, 1)
    with pytest.raises(InvalidArgumentError, match=r"^values must have as many"):
        survey.perturb({"sex": ["f"], "age": [0, 1], "town": ["a"]})


@pytest.mark.parametrize("lifetime", ["0.01", "1", "2", "30"])
def test_no_permanent_answer_is_likelier_by_more_than_the_lifetime(lifetime: str) -> None:
    """The two bits in which two values differ, both of them."""
    survey = Rappor(4, "0.001", lifetime)
    odds = survey.permanent_chance / (1 - survey.permanent_chance)
    assert 2 * log(odds) <= float(survey.lifetime_loss.epsilon) * (1 + 1e-12)
    assert 2 * log(odds) >= 0.999 * float(lifetime)


# Values


def test_domains_are_numbers_or_names() -> None:
    assert AnswerDomain.of(3).places([0, 2, 1]).tolist() == [0, 2, 1]
    assert AnswerDomain.of(["b", "a"]).places(np.array(["a", "b"], dtype=object)).tolist() == [1, 0]
    for bad in (1, 0, ["a"], ["a", "a"], "ab", [1, 2], 2.5):
        with pytest.raises(InvalidArgumentError, match=r"^domain "):
            AnswerDomain.of(bad)  # type: ignore[arg-type]


def test_estimates_are_shown() -> None:
    survey = KaryResponse(["<b>", "x"], 1)
    estimate = survey.estimate(survey.perturb(["x"] * 100))
    assert "&lt;b&gt;" in estimate._repr_html_()
    assert "100 people" in repr(estimate)
    assert [str(label.get_text()) for label in estimate.plot().get_xticklabels()] == ["<b>", "x"]
    large = KaryResponse(100, 1)
    assert "60 smaller ones are not shown" in large.estimate(large.perturb([0] * 10))._repr_html_()
    assert estimate.error == pytest.approx(
        np.maximum(estimate.value - estimate.interval[0], estimate.interval[1] - estimate.value)
    )


def test_a_mean_has_no_shares() -> None:
    survey = Duchi(1)
    with pytest.raises(InvalidArgumentError, match=r"^consistent "):
        survey.estimate(survey.perturb(0.5)).consistent()


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-3", 20, 60, 1000, "1e200"])
def test_extreme_losses_still_give_estimates(epsilon: object) -> None:
    for protocol, value in (
        (WarnerResponse(epsilon=epsilon), 1),
        (KaryResponse(3, epsilon), 2),
        (ProjectiveGeometry(30, epsilon), 2),
        (LocalHashing(30, epsilon), 2),
        (SubsetSelection(30, epsilon), 2),
        (OptimizedUnary(30, epsilon), 2),
        (Duchi(epsilon), 0.5),
        (Piecewise(epsilon), 0.5),
        (Hybrid(epsilon), 0.5),
        (MeanVector(2, epsilon), [0.5, -0.5]),
    ):
        estimate = protocol.estimate(protocol.perturb([value] * 50))
        low, high = estimate.interval
        assert np.isfinite(estimate.value).all()
        assert np.all(low <= high)


@pytest.mark.parametrize("size", [10**7 + 1, 10**30])
def test_a_domain_that_no_collector_can_hold_is_refused(size: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^domain must have at most"):
        KaryResponse(size, 1)


def test_a_header_that_does_not_fit_its_payload_is_refused() -> None:
    text = KaryResponse(3, 1).perturb([0, 1, 2]).to_bytes()
    for bad in (b"[4]", b'["]', b'{"a'):
        with pytest.raises(InvalidArgumentError, match=r"^reports are incomplete or damaged"):
            Reports.from_bytes(text.replace(b"[3]", bad))


def test_a_word_longer_than_a_byte_can_count_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^length must be at most 255"):
        HeavyHitters("ab", 256, 1)
