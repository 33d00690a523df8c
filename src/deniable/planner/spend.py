"""What an analyst is willing to pay, or wants to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import Number, positive, probability


@dataclass(frozen=True, slots=True)
class Spend:
    """Exactly one of `epsilon` (pure, Laplace noise), `rho` (zCDP, Gaussian noise), `accuracy` (plus or minus so much).

    `delta` pays for private group keys. `weights` divides the spend between output columns other than evenly.
    """

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    accuracy: Fraction | None = None
    delta: Fraction | None = None
    confidence: Fraction = Fraction(19, 20)
    weights: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        accuracy: Number | None = None,
        delta: Number | None = None,
        confidence: Number = Fraction(19, 20),
        weights: Mapping[str, Number] | None = None,
    ) -> Spend:
        """Read as people write it; what cannot be is refused."""
        given = {"epsilon": epsilon, "rho": rho, "accuracy": accuracy}
        if sum(value is not None for value in given.values()) != 1:
            raise Refused("bad-spend", "Say what to spend, in one way.", "Give epsilon, or rho, or accuracy.")
        try:
            return cls(
                **{name: positive(name, value) for name, value in given.items() if value is not None},
                delta=None if delta is None else probability("delta", delta),
                confidence=probability("confidence", confidence),
                weights={name: positive(name, weight) for name, weight in (weights or {}).items()},
            )
        except InvalidArgumentError as error:
            raise Refused("bad-spend", f"{error}.", "Give a positive number.") from None
