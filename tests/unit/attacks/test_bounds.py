"""What differential privacy promises about each attack: the bounds are theorems, and no attack passes them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np
import pytest
from scipy.stats import binom

from deniable import attacks
from deniable.attacks import Attack, Averaging, Composition, Outcome, Ranking, Reconstruction, Skewness
from deniable.attacks.defences import CuratorGuard, NoisyCounts, NoisyGradients, RandomizedProfile
from deniable.attacks.defences.trainers import noisy_gradients
from deniable.attacks.outcome import advantage_allowed, guesses_allowed
from deniable.attacks.population import ZIPS
from deniable.mechanisms import Gaussian

RATE = 1e-6
"""Of false alarms, per test."""

SMALL = {
    "averaging": {"n": 16, "victims": 16},
    "membership": {"columns": 150},
    "model": {"features": 200},
    "pairs": {"n": 60},
    "reconstruct": {"n": 40},
    "uniqueness": {"n": 2000},
}
KINDS = [getattr(attacks, name) for name in attacks.__all__ if name not in ("Attack", "Outcome")]


def attack_of(kind: type[Attack]) -> Attack:
    return kind(**SMALL.get(kind.name, {}))


def promising(kind: type[Attack], epsilon: float) -> list:
    return [defence for defence in kind.defences(epsilon).values() if defence.promise is not None]


def excess(outcome: Outcome) -> float:
    """How likely so many right guesses are, if each is allowed to be right as often as the theory says."""
    advantage = outcome.attack in ("resemblance", "membership", "model")
    share, allowed = ((1 + outcome.value) / 2, (1 + outcome.bound) / 2) if advantage else (outcome.value, outcome.bound)
    return float(binom.sf(round(share * outcome.trials) - 1, outcome.trials, allowed))


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.name not in ("uniqueness", "skewness")], ids=lambda k: k.name
)
def test_no_attack_passes_its_bound(kind: type[Attack]) -> None:
    # false alarms: right guesses are stochastically at most binomial (see `guesses_allowed`), so RATE per outcome; for
    # noisy gradients and made-up rows with delta = 1e-9, at most 200 * 2 * 1e-9 more (Steinke, Nasr, Jagielski 2023,
    # theorem 5.2)
    for defence in promising(kind, 1):
        outcome = attack_of(kind).against(defence, np.random.default_rng())
        assert outcome.bound is not None
        assert outcome.chance <= outcome.bound < 1
        assert not outcome.trials or excess(outcome) > RATE, outcome.sentence


def test_the_posterior_about_a_rare_trait_never_passes_its_bound() -> None:
    # certain: for every table, every person and every noise
    for epsilon in ("0.5", 1, 3):
        outcome = Skewness(n=500).against(NoisyCounts(epsilon, ("negative", "positive"), ZIPS), np.random.default_rng())
        most = float(outcome.sentence.split("at most ")[1].split("%")[0]) / 100
        assert outcome.value <= outcome.bound + 1e-12
        assert most <= outcome.bound + 0.0006  # as it is printed


def test_right_guesses_of_bits_are_at_most_binomial_by_enumeration() -> None:
    # four people's randomized responses, and every guessing rule that looks at them: the best attains the bound
    epsilon, people = Fraction(1), 4
    keep = exp(1) / (1 + exp(1))
    assert guesses_allowed(epsilon, "1/2") == pytest.approx(keep)
    for least in range(people + 1):
        allowed = sum(comb(people, k) * keep**k * (1 - keep) ** (people - k) for k in range(least, people + 1))
        reached = 0.0
        for said in product((0, 1), repeat=people):
            # the best guess for 'at least so many right', given what was said: try all of them
            chances = [
                sum(
                    0.5**people * np.prod([keep if a == b else 1 - keep for a, b in zip(truth, said, strict=True)])
                    for truth in product((0, 1), repeat=people)
                    if sum(a == b for a, b in zip(truth, guess, strict=True)) >= least
                )
                for guess in product((0, 1), repeat=people)
            ]
            reached += max(chances)
        assert reached == pytest.approx(allowed)


def test_a_mechanism_with_three_values_keeps_the_bound_of_the_likeliest() -> None:
    # k-ary randomized response is the worst epsilon-private mechanism: its posterior is the bound, exactly
    prior, epsilon = Fraction(1, 3), Fraction(2)
    keep = exp(2) / (exp(2) + 2)
    assert guesses_allowed(epsilon, prior) == pytest.approx(keep)


def test_the_advantage_is_twice_the_right_guesses_less_one() -> None:
    for epsilon in ("0.1", 1, 4):
        right = guesses_allowed(Fraction(epsilon), "1/2")
        assert advantage_allowed(Fraction(epsilon)) == pytest.approx(2 * right - 1)
    assert guesses_allowed(None, "1/2") is None
    assert advantage_allowed(None) is None


def test_randomized_response_attains_the_bound_of_a_click() -> None:
    # 20,000 clicks: five standard deviations are 0.016 (two-sided below 1e-6)
    outcome = Ranking(n=20_000).against(RandomizedProfile(1), np.random.default_rng())
    assert outcome.value == pytest.approx(outcome.bound, abs=0.017)


def test_with_an_absurd_epsilon_the_attacks_win_against_the_curator_too() -> None:
    # so what holds them back is the noise, and not that the questions went astray
    guard = CuratorGuard(1_000_000)
    assert Reconstruction(n=20).against(guard, np.random.default_rng()).value == 1.0
    assert Averaging(n=16, victims=8, way="respell").against(guard, np.random.default_rng()).value == 1.0


def test_two_tables_cost_twice_the_epsilon() -> None:
    (defence,) = promising(Composition, 1)
    outcome = Composition(n=200).against(defence, np.random.default_rng())
    assert outcome.epsilon == 2
    assert outcome.bound == guesses_allowed(Fraction(2), "1/12")


@pytest.mark.parametrize("epsilon", ["0.5", "1", "8"])
def test_the_steps_of_noisy_gradients_stay_within_epsilon(epsilon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    losses = []

    def recorded(**settings: object) -> Gaussian:
        losses.append(Gaussian(**settings).loss)
        return Gaussian(**settings)

    monkeypatch.setattr(noisy_gradients, "Gaussian", recorded)
    chance = np.random.default_rng(1)
    NoisyGradients(epsilon, "1e-9").train(chance.choice([-1.0, 1.0], (50, 3)), chance.choice([-1.0, 1.0], 50))
    assert len(losses) > 1
    assert sum(losses[1:], losses[0]).at("1e-9").epsilon <= Fraction(epsilon) * (1 + Fraction(1, 10**6))


def test_t_closeness_bounds_the_share_in_every_class() -> None:
    outcome = Skewness().against_named("t-close", 1, np.random.default_rng())
    # the rate that was drawn, and t; of 2,000 people more than 5% are infected with probability below 1e-12
    assert binom.sf(100, 2000, 0.02) < RATE
    assert outcome.value <= 0.05 + 0.15


@pytest.mark.deep
@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.name not in ("uniqueness", "skewness")], ids=lambda k: k.name
)
@pytest.mark.parametrize("epsilon", ["0.1", "4"])
def test_no_attack_passes_its_bound_again_and_again(kind: type[Attack], epsilon: str) -> None:
    for defence in promising(kind, epsilon):
        outcomes = [attack_of(kind).against(defence, np.random.default_rng()) for _ in range(10)]
        assert all(not outcome.trials or excess(outcome) > RATE / 10 for outcome in outcomes)
