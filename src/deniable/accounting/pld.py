"""Privacy-loss distributions: the tightest account of a batch whose settings are all fixed before its first answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, expm1, fsum, log, log1p, sqrt

from deniable.accounting.loss_distribution import PLACES, UNIT, LossDistribution, responses, total
from deniable.core.distributions.dominating_pair import GaussianPair, Pair, ResponsePair
from deniable.core.loss import Loss
from deniable.core.number import above, below, root_above


def pld(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """The epsilon of all losses together at `delta`. None where one has no dominating pair, or the range is left.

    Guarantee:  every composition of the mechanisms whose settings are fixed (even if their order is adaptive) is
                (epsilon, delta)-private.
    Rounding:   up, always: the errors of cells, cut tails and floating point are bounded and added.
    Error:      at most a few thousandths above the least such epsilon.
    Cost:       milliseconds for a few kinds of losses, however many of each; below a second for thousands of kinds.
    Caution:    not for settings chosen after an answer was seen; `Filter` is for those.
    Reference:  Koskela, Jalko, Honkela 2020; Kairouz, Oh, Viswanath 2015 (responses with a delta); Doroshenko, Ghazi,
                Kamath, Kumar, Manurangsi 2022 (losses between two cells).
    Proof:      docs/proofs/pld.md
    """
    pairs = [loss.pair or _response(loss) for loss in losses]
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs):
        return None
    epsilons = Counter(pair.epsilon for pair in known if isinstance(pair, ResponsePair) and pair.epsilon)
    outright = _some(Counter(pair.delta for pair in known if isinstance(pair, ResponsePair) and pair.delta))
    rest = float(below(float((delta - outright) / (1 - outright)))) if delta > outright else 0.0
    if rest < _LEAST_DELTA or max(epsilons, default=0) > _LARGEST_EPSILON or len(epsilons) > _MOST_KINDS:
        return None
    mu_squared = sum((pair.mu_squared for pair in known if isinstance(pair, GaussianPair)), Fraction(0))
    return _least(_distribution(epsilons, rest * _SPARED), float(root_above(mu_squared)) * (1 + UNIT), rest)


def _response(loss: Loss) -> Pair | None:
    """What is only known to be (epsilon, delta) is at worst a randomized response."""
    return None if loss.epsilon is None else ResponsePair(loss.epsilon, loss.delta)


def _some(deltas: Counter[Fraction]) -> Fraction:
    """The chance that at least one of these independent events happens, rounded up."""
    if any(float(delta) == 1 for delta in deltas):
        return Fraction(1)
    return min(Fraction(1), above(-expm1(fsum(count * log1p(-float(delta)) for delta, count in deltas.items()))))


def _distribution(epsilons: Counter[Fraction], cut: float) -> LossDistribution:
    """Of all responses together; a response dominates every one with a smaller epsilon, so these are rounded up."""
    cut /= 4 * max(1, len(epsilons))
    cell = _cell(epsilons, cut)
    parts = [
        responses(ceil((epsilon / cell) * 2**PLACES), float(cell), count, cut) for epsilon, count in epsilons.items()
    ]
    return total(parts, cut)


def _cell(epsilons: Counter[Fraction], cut: float) -> Fraction:
    """So wide that the losses that matter fill `_CELLS` cells, and that those of the weightiest kind fall on cells.

    All but `cut` of a sum of independent losses, each plus or minus epsilon_i, lies at most
    sqrt(2 ln(1/cut) sum epsilon_i^2) above its mean, and as much below (Hoeffding 1963).
    """
    if not epsilons:
        return Fraction(1)
    squares = {epsilon: count * epsilon**2 for epsilon, count in epsilons.items()}
    farthest = sum((count * epsilon for epsilon, count in epsilons.items()), Fraction(0))
    likely = Fraction(sqrt(-2 * log(cut))) * root_above(sum(squares.values(), Fraction(0)))
    widest = 2 * min(farthest, likely) / _CELLS
    weightiest = max(squares, key=lambda epsilon: squares[epsilon])
    return Fraction(weightiest, weightiest // widest) if weightiest > widest else widest


def _least(distribution: LossDistribution, mu: float, delta: float) -> Fraction:
    """The least epsilon at which the distribution, with a Gaussian loss added, has at most this delta; rounded up."""
    if distribution.delta(0.0, mu) <= delta:
        return Fraction(0)
    low, high = 0.0, 1.0
    while distribution.delta(high, mu) > delta:
        low, high = high, 2 * high
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if distribution.delta(middle, mu) <= delta else (middle, high)
    return Fraction(high)


_CELLS = 1 << 13
"""In which the losses that matter are told apart."""
_SPARED = 2.0**-20
"""The part of delta that cut tails may use up."""
_PRECISION = 1e-9
_LEAST_DELTA = 1e-200
_LARGEST_EPSILON = 500
"""Beyond these, and past so many kinds, others may be better: doubles end, or the time does."""
_MOST_KINDS = 2_000
