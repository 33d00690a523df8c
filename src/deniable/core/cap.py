"""How much may be lost in all, and what of its delta is set aside for which kind of loss."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number, exact


@dataclass(frozen=True, slots=True, init=False)
class Cap:
    """A guarantee that everything together must keep, and the division of its delta, fixed before the first question.

    `concentrated` pays for converting a sum of zCDP rho, `gaussian` for a sum of GDP mu^2; `approximate` is a reserve
    for questions that have a delta of their own (partition selection). They add up to at most delta. What is not said
    of the first two is divided evenly.

    Example:
        >>> cap = Cap(1, "1e-6", approximate="4e-7")
        >>> float(cap.concentrated), float(cap.gaussian), float(cap.approximate)
        (3e-07, 3e-07, 4e-07)
        >>> float(cap.share(Guarantee("0.5", "1e-7")).concentrated)
        3e-08
    """

    epsilon: Fraction
    delta: Fraction
    concentrated: Fraction
    gaussian: Fraction
    approximate: Fraction

    def __init__(
        self,
        epsilon: Number,
        delta: Number = 0,
        *,
        concentrated: Number | None = None,
        gaussian: Number | None = None,
        approximate: Number = 0,
    ) -> None:
        whole = Guarantee(epsilon, delta)
        reserve = _part("approximate", approximate, whole)
        named = {"concentrated": concentrated, "gaussian": gaussian}
        given = {name: _part(name, part, whole) for name, part in named.items() if part is not None}
        rest = (whole.delta - reserve - sum(given.values())) / max(1, len(named) - len(given))
        if rest < 0:
            raise InvalidArgumentError(
                "concentrated", "with gaussian and approximate must add up to at most the cap's delta"
            )
        parts = dict.fromkeys(named, rest) | given | {"approximate": reserve}
        for name, value in {"epsilon": whole.epsilon, "delta": whole.delta, **parts}.items():
            object.__setattr__(self, name, value)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised; how delta is divided is the account's own affair."""
        return Guarantee(self.epsilon, self.delta)

    def share(self, guarantee: Guarantee) -> Cap:
        """A cap below this one, whose delta is divided in the same proportions."""
        ratio = guarantee.delta / self.delta if self.delta else Fraction(0)
        return Cap(
            guarantee.epsilon,
            guarantee.delta,
            concentrated=self.concentrated * ratio,
            gaussian=self.gaussian * ratio,
            approximate=self.approximate * ratio,
        )


def _part(name: str, value: Number, whole: Guarantee) -> Fraction:
    """A part of delta."""
    part = exact(name, value)
    if not 0 <= part <= whole.delta:
        raise InvalidArgumentError(name, f"must lie between 0 and the cap's delta, not {value}")
    return part
