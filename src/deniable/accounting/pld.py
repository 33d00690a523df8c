"""Privacy-loss distributions: the tightest account of a batch whose settings are all fixed before its first answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from math import ceil, inf, sqrt
from typing import Any

from deniable.core.conversion import mu_squared_from_epsilon
from deniable.core.dominating_pair import GaussianPair, Pair, ResponsePair
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import above, root_above


def pld(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """The epsilon of all losses together at `delta`, or None if one has no dominating pair. Rounded up.

    Guarantee:  the convolution of the pairs' loss distributions, discretised pessimistically, bounds every
                non-adaptive (and adaptively ordered, with settings fixed) composition of the mechanisms.
    Caution:    not for settings chosen after an answer was seen; `Filter` is for those.
    Reference:  Koskela, Jalko, Honkela 2020; Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022 (dp-accounting).
    """
    pairs = [loss.pair or _response(loss) for loss in losses]
    known = Counter(pair for pair in pairs if pair is not None)
    if known.total() < len(losses) or any(isinstance(pair, ResponsePair) and pair.epsilon > _LARGEST for pair in known):
        return None
    interval = _interval(known)
    distributions = [_distribution(pair, interval).self_compose(count) for pair, count in known.items()]
    total = distributions[0]
    for distribution in distributions[1:]:
        total = total.compose(distribution)
    epsilon = float(total.get_epsilon_for_delta(float(delta)))
    return None if epsilon == inf else above(epsilon)


def installed() -> bool:
    """Whether dp-accounting is there; it is an extra."""
    return find_spec("dp_accounting") is not None


def _response(loss: Loss) -> Pair | None:
    """What is only known to be (epsilon, delta) is at worst a randomized response."""
    return None if loss.epsilon is None else ResponsePair(loss.epsilon, loss.delta)


def _interval(pairs: Counter[Pair]) -> float:
    """The width of the cells: a ten-thousandth, but never more than a few hundred thousand cells in all.

    The total is about as wide as a Gaussian's with the same mu: mu^2 / 2 and some ten times mu. A wider cell rounds
    losses further up, so it is as safe, and large losses do not fill the memory.
    """
    squares = sum(
        count * (pair.mu_squared if isinstance(pair, GaussianPair) else mu_squared_from_epsilon(pair.epsilon))
        for pair, count in pairs.items()
    )
    width = float(squares) / 2 + 10 * sqrt(squares)
    return _FINEST * max(1, ceil(width / _FINE_WIDTH))


def _distribution(pair: Pair, interval: float) -> Any:  # noqa: ANN401 - dp-accounting has no types
    """The pair's privacy-loss distribution, in cells of this width."""
    if not installed():
        raise InvalidArgumentError("method", "'pld' needs dp-accounting: pip install 'deniable[pld]'")
    from dp_accounting.pld import common, privacy_loss_distribution  # noqa: PLC0415 - an extra

    match pair:
        case GaussianPair(mu_squared):
            sigma = 1 / float(root_above(mu_squared))
            return privacy_loss_distribution.from_gaussian_mechanism(sigma, value_discretization_interval=interval)
        case ResponsePair(epsilon, delta):
            parameters = common.DifferentialPrivacyParameters(float(epsilon), float(delta))
            return privacy_loss_distribution.from_privacy_parameters(parameters, interval)


_LARGEST = 700
"""Past it, e^epsilon is no float."""
_FINEST, _FINE_WIDTH = 1e-4, 20
