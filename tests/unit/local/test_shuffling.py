"""Shuffling: the sum is right, the bound is true, and the larger number of clones is used only where it is proven."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, exp

import numpy as np
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.local import Duchi, HadamardResponse, KaryResponse, ProjectiveGeometry, Shuffled, WarnerResponse

Law = dict[tuple[int, ...], float]


def clones(people: int, chance: float, epsilon: float) -> tuple[Law, Law]:
    """The pair of counts, outcome by outcome."""
    right = exp(epsilon) / (1 + exp(epsilon))
    laws: tuple[Law, Law] = ({}, {})
    for count in range(people):
        for first in range(count + 1):
            part = (
                comb(people - 1, count)
                * chance**count
                * (1 - chance) ** (people - 1 - count)
                * comb(count, first)
                / 2**count
            )
            for law, own in zip(laws, (right, 1 - right), strict=True):
                for outcome, share in (((first + 1, count - first), own), ((first, count - first + 1), 1 - own)):
                    law[outcome] = law.get(outcome, 0.0) + part * share
    return laws


def excess(one: Law, other: Law, epsilon: float) -> float:
    return sum(max(0.0, part - exp(epsilon) * other.get(outcome, 0.0)) for outcome, part in one.items())


def shuffled(laws: list[dict[int, Fraction]]) -> Law:
    """The law of how often each report occurs, when these respondents send one each."""
    counts: Law = {(0,) * len(laws[0]): 1.0}
    for law in laws:
        grown: Law = {}
        for outcome, part in counts.items():
            for report, chance in law.items():
                key = tuple(number + (place == report) for place, number in enumerate(outcome))
                grown[key] = grown.get(key, 0.0) + part * float(chance)
        counts = grown
    return counts


@pytest.mark.parametrize("people", [1, 2, 7, 40])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_delta_is_the_sum_over_all_outcomes(people: int, epsilon: float) -> None:
    for crowd in (Shuffled(epsilon, people), Shuffled(WarnerResponse(epsilon=epsilon), people)):
        laws = clones(people, float(crowd.clones), epsilon)
        for asked in (0.0, 0.1 * epsilon, 0.5 * epsilon, 0.9 * epsilon):
            true = excess(*laws, asked)
            assert true <= crowd.delta(asked) <= true + 1e-9
        assert crowd.delta(epsilon) == 0


@pytest.mark.parametrize(
    "protocol",
    [
        WarnerResponse(epsilon=1),
        KaryResponse(3, "1.5"),
        KaryResponse(4, 1),
        HadamardResponse(3, 1),
        ProjectiveGeometry(3, 1),
    ],
    ids=lambda protocol: type(protocol).__name__,
)
def test_no_shuffled_survey_gives_away_more(protocol: KaryResponse) -> None:
    people = 5 if len(protocol.law(protocol.inputs()[0])) < 5 else 3
    crowd = Shuffled(protocol, people)
    laws = [protocol.law(value) for value in protocol.inputs()]
    for others in combinations_with_replacement(laws, people - 1):
        for one, other in product(laws, repeat=2):
            pair = shuffled([one, *others]), shuffled([other, *others])
            for asked in (0.1, 0.5):
                assert excess(*pair, asked) <= crowd.delta(asked) + 1e-12


def test_the_larger_chance_of_clones_is_used_just_where_the_split_exists() -> None:
    for protocol, expected in (
        (WarnerResponse(epsilon=1), True),
        (KaryResponse(4, 1), True),
        (HadamardResponse(4, 1), False),
    ):
        laws = [protocol.law(value) for value in protocol.inputs()]
        split = all(
            one[report] + other[report] <= third[report] * Fraction(exp(1) + 1) * (1 + Fraction(1, 10**12))
            for one, other in product(laws, repeat=2)
            if one != other
            for third in laws
            for report in one
        )
        assert split is expected
        assert (float(Shuffled(protocol, 10).clones) > 0.5) is expected
    assert float(Shuffled(Duchi(1), 10).clones) == pytest.approx(2 / (1 + np.e))
    assert float(Shuffled(1, 10).clones) == pytest.approx(1 / np.e)


@pytest.mark.parametrize("people", [100, 10_000, 10**6])
def test_a_crowd_amplifies_like_one_over_its_root(people: int) -> None:
    found = float(Shuffled(WarnerResponse(epsilon=1), people).guarantee("1e-6").epsilon)
    assert 0.5 < found / (5.2 / people**0.5) < 1.3 or people == 100
    assert found < 1


def test_the_guarantee_is_enough_and_least() -> None:
    crowd = Shuffled(WarnerResponse(epsilon=1), 1000)
    found = crowd.guarantee("1e-6").epsilon
    assert crowd.delta(found) <= 1e-6 < crowd.delta(found - Fraction(1, 10**6))


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-5", 50, 99, 1000])
def test_extreme_losses_never_get_worse(epsilon: float) -> None:
    assert Shuffled(epsilon, 100).guarantee("1e-6").epsilon <= Fraction(epsilon)


def test_a_lonely_respondent_gains_nothing() -> None:
    assert Shuffled(1, 1).guarantee("1e-9").epsilon <= 1
    assert float(Shuffled(1, 1).guarantee("1e-9").epsilon) > 0.999


@pytest.mark.parametrize(("arguments", "name"), [((0, 10), "epsilon"), ((1, 0), "people"), ((1, 1.5), "people")])
def test_bad_arguments_are_named(arguments: tuple[float, int], name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{name} "):
        Shuffled(*arguments)
