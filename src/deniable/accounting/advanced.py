"""Advanced composition: many small pure losses grow like the square root of their number."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, log, sqrt, tanh

from deniable.core.loss import Loss
from deniable.core.number import above


def advanced(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """The epsilon of all losses together at `delta`, or None if a loss is not pure up to its delta. Rounded up.

    Guarantee:  for (epsilon_i, delta_i) fixed in advance and any slack > 0, all together are (e, sum delta_i + slack)-
                private with e = sum epsilon_i tanh(epsilon_i / 2) + sqrt(2 ln(1 / slack) sum epsilon_i^2).
    Reference:  Dwork, Rothblum, Vadhan 2010; Kairouz, Oh, Viswanath 2015, theorem 3.5 (this form).
    """
    slack = min(0.5, float(delta - sum(loss.delta for loss in losses)))  # a logarithm near zero would lose its digits
    epsilons = [float(loss.epsilon) for loss in losses if loss.epsilon is not None]
    if len(epsilons) < len(losses) or slack <= 0:
        return None
    drift = fsum(epsilon * tanh(epsilon / 2) for epsilon in epsilons)
    spread = sqrt(-2 * log(slack) * fsum(epsilon**2 for epsilon in epsilons))
    return above(drift + spread)
