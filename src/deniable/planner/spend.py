"""What an analyst is willing to pay, or wants to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypedDict, Unpack

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import Number, positive, probability, surety, whole
from deniable.planner.steps import steps


class ReleasePayment(TypedDict, total=False):
    """How anything is paid, as keyword arguments."""

    epsilon: Number | None
    rho: Number | None
    accuracy: Number | None
    delta: Number | None
    confidence: Number
    weights: Mapping[str, Number] | None


class Payment(ReleasePayment, total=False):
    """How a question is paid, as keyword arguments: what `Spend.of` reads."""

    contribution: Number | None
    rows: Number | None
    simultaneous: bool | str | None
    after: str | Sequence[str] | None


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
    weights: Mapping[str, Fraction] = field(default_factory=dict, hash=False)
    contribution: int | None = None
    """The most rows that one person may weigh, if fewer than the policy allows."""
    rows: int | None = None
    """How many rows a group is expected to have: what the error of an average depends on."""
    sizes: tuple[int, ...] = ()
    """The rows that the smallest, the middle and the largest group are expected to have, if a profile says so."""
    means: tuple[tuple[str, Fraction], ...] = ()
    """About where the values of columns lie, if a profile says so: for quotes."""
    simultaneous: bool = False
    """Whether all intervals of an answer hold at once with the confidence, and not each by itself."""
    after: tuple[str, ...] = ()
    """What is made of the answer after the noise: planner/after.py has the steps."""
    relative: bool = False
    """Whether the accuracy is a share of what is expected, and not an amount."""
    least: Fraction = Fraction(0)
    """For an accuracy: the epsilon that is spent at least, even if less would do."""

    def check_contribution(self, what: str) -> None:
        """Refuse a contribution of its own where the policy's is what counts: it must not be passed over."""
        if self.contribution is not None:
            reason = f"What one person weighs in {what} cannot be said beside the spend."
            raise Refused("bad-spend", reason, "Leave contribution out.")

    @classmethod
    def of(cls, **payment: Unpack[Payment]) -> Spend:
        """Read as people write it; what cannot be is refused."""
        unknown = sorted(set(payment) - set(Payment.__annotations__))
        if unknown:
            known = ", ".join(Payment.__annotations__)
            raise Refused("bad-spend", f"A question takes no {unknown[0]!r}.", f"There are: {known}.")
        given = {name: payment.get(name) for name in ("epsilon", "rho", "accuracy")}
        if sum(value is not None for value in given.values()) != 1:
            raise Refused("bad-spend", "Say what to spend, in exactly one way.", "Give epsilon, or rho, or accuracy.")
        delta, weights = payment.get("delta"), payment.get("weights") or {}
        accuracy, relative = _share(given["accuracy"])
        try:
            return cls(
                epsilon=_positive("epsilon", given["epsilon"]),
                rho=_positive("rho", given["rho"]),
                accuracy=_positive("accuracy", accuracy),
                relative=relative,
                rows=None if (rows := payment.get("rows")) is None else whole("rows", positive("rows", rows)),
                delta=None if delta is None else probability("delta", delta),
                confidence=surety(payment.get("confidence", Fraction(19, 20))),
                weights={name: positive(name, weight) for name, weight in weights.items()},
                simultaneous=_switch("simultaneous", payment.get("simultaneous")),
                after=steps(payment.get("after") or ()),
                contribution=None
                if (most := payment.get("contribution")) is None
                else whole("contribution", positive("contribution", most)),
            )
        except InvalidArgumentError as error:
            raise Refused("bad-spend", f"{error}.", "Give a positive number.") from None

    def alone(self) -> Spend:
        """For what is no question: a release, a profile, a model. What only answers have is refused, not ignored."""
        if self.simultaneous or self.after:
            given = "simultaneous" if self.simultaneous else "after"
            raise Refused("bad-spend", f"Only questions take {given!r}.", "Leave it out.")
        return self


def _share(accuracy: object) -> tuple[object, bool]:
    """An accuracy of '5%' is a twentieth of what is expected."""
    if isinstance(accuracy, str) and accuracy.strip().endswith("%"):
        return f"{accuracy.strip()[:-1].strip()}e-2", True
    return accuracy, False


def _switch(name: str, value: object) -> bool:
    """On or off, as people write it in Python, on the command line, in a hint or a setting."""
    said = str(value if value is not None else "off").strip().lower()
    if said not in _SWITCHES:
        raise Refused("bad-spend", f"{name} is either on or off, not {said!r}.", f"Write {name}=on, or leave it out.")
    return _SWITCHES[said]


_SWITCHES = {
    **dict.fromkeys(("on", "true", "yes", "1", "t"), True),
    **dict.fromkeys(("off", "false", "no", "0", "f", ""), False),
}


def _positive(name: str, value: object) -> Fraction | None:
    """What is given must be a positive number."""
    return None if value is None else positive(name, value)  # type: ignore[arg-type]  # which it checks
