"""Every attack wins clearly against its classic victim."""

from __future__ import annotations

from math import exp

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from deniable.attacks import (
    Averaging,
    Background,
    BitRefusals,
    Composition,
    Differencing,
    Homogeneity,
    Linkage,
    MaxRefusals,
    Membership,
    Model,
    Months,
    Pairs,
    Ranking,
    Resemblance,
    SinglingOut,
    Skewness,
    Uniqueness,
)
from deniable.attacks.defences import KAnonymous, LDiverse, Subsample
from deniable.attacks.on_questions.differencing import difference_of_means
from deniable.attacks.on_questions.pairs import find_pairs, menu
from deniable.attacks.on_tables.composition import compose
from deniable.attacks.on_tables.homogeneity import exposed_rows
from deniable.attacks.on_tables.linkage import link
from deniable.attacks.outcome import pooled
from deniable.attacks.textbook import CATEGORIES, FOUR_ANONYMOUS, HOSPITAL_A, HOSPITAL_B, ON, SENSITIVE, THREE_DIVERSE
from deniable.core.errors import InvalidArgumentError

RATE = 1e-6
"""Of false alarms, at most, per test."""


def against(attack, defence: str) -> float:
    return attack.against_named(defence, 1, np.random.default_rng()).value


# ------------------------------------------------------------------------------------------------------ certainties


def test_five_patients_give_bob_away() -> None:
    values = [4.2, 5.9, 5.2, 6.9, 5.7]
    mean, without_bob = sum(values) / 5, (sum(values) - 5.9) / 4
    assert (round(mean, 2), round(without_bob, 2)) == (5.58, 5.5)
    assert difference_of_means(mean, 5, without_bob, 4) == pytest.approx(5.9)


@pytest.mark.parametrize("defence", ["exact", "query-set-size"])
def test_differencing_reads_everybody(defence: str) -> None:
    assert against(Differencing(n=60), defence) == 1.0


def test_pairs_read_everybody_whom_they_isolate() -> None:
    outcome = Pairs().against_named("query-set-size", 1, np.random.default_rng())
    isolated = int(outcome.sentence.split()[0])
    assert outcome.value >= isolated / outcome.trials
    assert isolated >= 12  # of about 65 of 120; each person is isolated or not by more than 200 conditions


def test_pairs_differ_in_just_that_person_and_are_large() -> None:
    chance = np.random.default_rng()
    sets = menu(chance.integers(0, 5, (60, 3)), 2)
    larger, smaller = find_pairs(sets, 8)
    for person in np.flatnonzero(larger >= 0):
        one, other = sets[larger[person]], sets[smaller[person]]
        assert np.flatnonzero(one ^ other).tolist() == [person]
        assert min(one.sum(), other.sum()) >= 8
    every = {row.tobytes() for row in sets if row.sum() >= 8}
    for person in np.flatnonzero(larger < 0):  # and nobody was overlooked
        without = sets[sets[:, person] & (sets.sum(axis=1) > 8)].copy()
        without[:, person] = False
        assert not any(row.tobytes() in every for row in without)


def test_whoever_is_in_the_sample_is_singled_out() -> None:
    # nobody is in a sample of three in ten of 100 with probability below 1e-15
    assert against(SinglingOut(), "subsample") == 1.0


def test_everybody_is_singled_out_of_a_sample_of_all() -> None:
    outcome = SinglingOut(n=30).against(Subsample(rate=1.0), np.random.default_rng())
    assert (outcome.value, outcome.trials) == (1.0, 30)


def test_refusals_of_pairs_spell_out_the_list() -> None:
    # wrong only if at least half of 12 have a trait that one in five has, and then all bits are: probability below 0.02
    bits = [against(BitRefusals(n=12), "bit-audit") for _ in range(8)]
    assert binom.sf(4, 8, binom.sf(5, 12, 0.2)) < RATE
    assert sum(value == 1.0 for value in bits) >= 4


def test_an_eighth_of_all_salaries_follows_from_refused_maxima() -> None:
    # each of 100 groups of four gives one value away with probability 1/2, but for rare ties
    outcome = MaxRefusals(n=400).against_named("max-audit", 1, np.random.default_rng())
    right = round(outcome.value * 400)
    assert binom.ppf(RATE / 2, 100, 0.49) <= right <= binom.isf(RATE / 2, 100, 0.5)
    assert against(MaxRefusals(n=400), "max-audit-simulatable") == 0.0


def test_the_textbooks_tables_fall() -> None:
    bob = link(FOUR_ANONYMOUS, pa.table({"zip": ["13053"], "age": ["31"]}), ["zip", "age"], SENSITIVE)
    assert (bob.rows[0], bob.value(0), bool(bob.exposed[0]), bool(bob.identified[0])) == (4, "cancer", True, False)
    assert exposed_rows(FOUR_ANONYMOUS, ON, SENSITIVE).tolist() == [False] * 8 + [True] * 4
    assert not exposed_rows(THREE_DIVERSE, ["zip", "age"], "disease").any()
    assert exposed_rows(THREE_DIVERSE, ["zip", "age"], "disease", CATEGORIES).tolist() == [True] * 3 + [False] * 6
    alice = compose(HOSPITAL_A, HOSPITAL_B, ["zip", "age"], SENSITIVE, pa.table({"zip": ["13012"], "age": ["28"]}))
    assert (alice.left.tolist(), alice.value(0)) == ([1], "AIDS")


def test_classes_that_overlap_are_composed_without_a_list() -> None:
    found = compose(HOSPITAL_A, HOSPITAL_B, ["zip", "age"], SENSITIVE)
    # <30 with <35: AIDS; 3* with <35 and with >=35: cancer; >=40 with >=35: cancer and viral infection
    assert sorted(found.left.tolist()) == [1, 1, 1, 2]


# --------------------------------------------------------------------------------------------------- probabilities


@pytest.mark.parametrize(
    ("way", "defence"), [("repeat", "laplace"), ("respell", "laplace-text"), ("split", "laplace-set")]
)
def test_averages_of_fresh_noise_give_traits_away(way: str, defence: str) -> None:
    # Chernoff: a mean of 400 differences of two Laplace draws passes 1/2 with probability at most
    # exp(-400 max_t (t/2 + 2 ln(1 - t^2))) < e^-12, so more than 2 of 20 are wrong with probability below 1e-12
    assert max(t / 2 + 2 * np.log(1 - t * t) for t in np.linspace(0.01, 0.5, 50)) * 400 > 12
    assert binom.sf(2, 20, exp(-12)) < RATE
    assert against(Averaging(way=way, repeats=400), defence) >= 0.9


def test_one_person_pushes_rounded_sums_over_the_edge() -> None:
    # who has not the trait never moves a sum; who has moves each of 400 random ones by 5 with probability about 1/5
    assert against(Averaging(way="split", repeats=400), "rounding") >= 0.9


def test_months_average_the_noise_on_cells_out() -> None:
    # Hoeffding: a mean of 120 draws from [-1, 1] passes 1/2 with probability at most e^-15; two of 30: below 1e-10
    assert exp(-2 * 120 * 0.25 / 4) <= exp(-15)
    assert against(Months(n=30, months=120), "input-noise") >= 29 / 30


def test_names_are_found_again() -> None:
    # 1,000 people in 255,500 combinations: 4 pairs share one on average, 60 with probability below 1e-20
    assert against(Linkage(), "deidentified") >= 0.9


def test_most_people_are_alone() -> None:
    # of 5,000 people in 255,500 combinations 98% are alone on average; below 90% would be fifty standard deviations
    assert against(Uniqueness(n=5000), "deidentified") >= 0.9
    assert against(Uniqueness(n=5000), "k-anonymous") == 0.0


def test_one_disease_of_every_class_is_right() -> None:
    # certain: the most frequent disease of a class belongs to somebody in it
    for defence in (KAnonymous(), LDiverse()):
        outcome = Homogeneity().against(defence, np.random.default_rng())
        assert outcome.value >= 0.2  # no class has more than five people, but where many are of one age and town
        assert outcome.value > 2 * outcome.chance


def test_knowing_something_beforehand_helps() -> None:
    # 1,000 guesses: standard deviations are below 0.016, and the values about 0.35 and 0.57
    chance = np.random.default_rng()
    plain, knowing = (attack.against(LDiverse(), chance).value for attack in (Homogeneity(), Background()))
    assert knowing > plain + 0.1


def test_a_rare_trait_is_frequent_in_a_class() -> None:
    # certain: an infected person's class has at most 7 people, but for crowded ages; on average 1/5 are infected
    outcome = Skewness().against_named("k-anonymous", 1, np.random.default_rng())
    assert outcome.value > 5 * outcome.chance


def test_two_tables_together_give_most_away() -> None:
    # 1,200 people in both: about 0.61, with a standard deviation of 0.013; alone 0.36 and 0.009: eight of them are left
    alone = against(Homogeneity(), "k-anonymous")
    rounds = [Composition().against_named("k-anonymous", 1, np.random.default_rng()) for _ in range(4)]
    assert pooled(rounds).trials == 1200
    assert pooled(rounds).value > alone + 0.12


def test_means_of_many_columns_tell_who_is_in() -> None:
    # Hoeffding: a stranger passes the middle with probability exp(-2 m^2 / sum (mean - p)^2), about e^-17 for 5,000
    # columns and 30 members; a member likewise falls below it. So more than 6 of 60 wrong: below 1e-20
    assert against(Membership(candidates=60, columns=5000), "exact") >= 0.8


def test_an_overfitted_model_tells_whom_it_was_trained_on() -> None:
    # about 0.97 with a standard deviation of 0.02 for 200 candidates: ten of them are left
    assert against(Model(), "exact") >= 0.7


def test_copied_rows_tell_whom_they_were_made_of() -> None:
    # a member's own copy differs in 1.2 answers on average, a stranger's nearest row in about 7 of 16: advantage 0.98
    # with a standard deviation of 0.02 for 200 candidates; fourteen of them are left
    assert against(Resemblance(), "copied-rows") >= 0.7
    assert against(Resemblance(), "shuffled-columns") <= 0.6


def test_a_click_on_a_deterministic_ranking_tells_everything() -> None:
    assert against(Ranking(n=200, visits=1), "deterministic") == 1.0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Averaging(way="shout"), "repeat, respell or split"),
        (lambda: Averaging(victims=0), "between 1 and n"),
        (lambda: BitRefusals(n=21), "between 2 and 20"),
        (lambda: MaxRefusals(n=3), "at least 4"),
        (lambda: Membership(candidates=2), "at least 4"),
        (lambda: Model(candidates=2), "at least 4"),
        (lambda: Resemblance(candidates=2), "at least 4"),
        (lambda: Resemblance(questions=0), "at least 1"),
        (lambda: Ranking(n=0), "at least 1"),
        (lambda: Background(known=11), "between 0 and 10"),
        (lambda: Composition(shared=0), "above 0"),
        (lambda: Skewness(n=1), "at least 2"),
        (lambda: Skewness(rate=1.5), "strictly between 0 and 1"),
        (lambda: Differencing(n=1).against_named("exact", 1, np.random.default_rng()), "at least 2"),
        (lambda: Differencing().against_named("prayer", 1, np.random.default_rng()), "must be one of exact"),
        (lambda: menu(np.arange(200)[:, None], 3), "sets; at most"),
        (lambda: menu(np.arange(4)[:, None], 0), "at least 1"),
    ],
)
def test_what_cannot_be_attacked_says_why(make, says: str) -> None:
    with pytest.raises(InvalidArgumentError, match=says):
        make()
