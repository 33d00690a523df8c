"""Trainings of other libraries on the same account: charged from their own accountant's events, before they start.

What is charged is computed here, from the noise that the library says it will add. That it adds that noise, clips every
person's gradient, and samples as it says is trusted, not proven: the receipt says so, and belongs on the model's card.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.bits import OperatingSystem, words
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.number import Number, above, exact, positive, probability, whole
from deniable.core.sensitivity import Neighbours
from deniable.curator.purchase import to_bytes
from deniable.ledger import Charge, Ledger
from deniable.policy import Policy

_TRUSTED = (
    "trusted, not proven: that the library clips the gradient of every unit to its norm",
    "trusted, not proven: that the noise is Gaussian, of this multiple of the norm, and fresh in every step",
    "trusted, not proven: that each step takes every unit with this chance, independently (Poisson sampling)",
)


WrittenSteps = tuple[Number, Number, int]
"""Noise multiplier, sampling rate, number of steps: as Opacus's accountant keeps them."""


@dataclass(frozen=True, slots=True)
class GradientSteps:
    """Some steps of DP-SGD that are alike."""

    noise: Fraction
    """Its standard deviation, over the clipping norm."""
    rate: Fraction
    steps: int

    @classmethod
    def of(cls, written: WrittenSteps) -> GradientSteps:
        """Checked: no noise, no chance above one, no part of a step."""
        noise, rate, steps = written
        chance = exact("rate", rate)
        if not 0 < chance <= 1:
            raise InvalidArgumentError("rate", f"must be above 0 and at most 1, not {rate}")
        return cls(positive("noise", noise), chance, whole("steps", steps))

    @property
    def event(self) -> Event:
        """For the ledger."""
        return Event("SampledGaussianSteps", {"noise": self.noise, "rate": self.rate, "steps": Fraction(self.steps)})


@dataclass(frozen=True, slots=True)
class TrainingReceipt:
    """What was charged, and what is trusted; for the card of the model."""

    entry: int
    """In the ledger."""
    text: str
    loss: Loss
    events: tuple[Event, ...]

    @property
    def caveats(self) -> tuple[str, ...]:
        """For the card."""
        return (f"entry {self.entry} of the ledger, {self.loss}", *_TRUSTED)


def charged(
    ledger: Ledger, policy: Policy, terms: str, steps: Iterable[WrittenSteps], *, delta: Number | None, text: str
) -> TrainingReceipt:
    """Charge the population's account, under a name that nothing else has: every call charges again."""
    taken = [GradientSteps.of(one) for one in steps]
    events = tuple(one.event for one in taken)
    name = hashlib.sha256(words(OperatingSystem(), 4).tobytes()).hexdigest()
    charge = Charge(name, "", text, events, loss_of(taken, delta, policy.neighbours), terms)
    ticket = ledger.charge(charge, (policy.population_account,))
    ledger.record(ticket, to_bytes([]))
    return TrainingReceipt(ticket.sequence, text, charge.loss, events)


def loss_of(steps: Iterable[GradientSteps], delta: Number | None, neighbours: Neighbours) -> Loss:
    """What all steps lose together.

    Full batches are Gaussian mechanisms: 1/(2 noise^2) of rho each; under `replace`, where one clipped gradient goes
    and another comes, four times that. Sampled ones are accounted as a whole, at `delta`, by dp-accounting's Renyi
    accountant, for people who are added or removed, and enter the account in that form and no better one.
    """
    found = list(steps)
    if not found:
        raise InvalidArgumentError("events", "must name at least one step")
    if all(one.rate == 1 for one in found):
        times = 1 if neighbours is Neighbours.ADD_REMOVE else 4
        rho = sum((times * one.steps / (2 * one.noise**2) for one in found), Fraction(0))
        return Loss.concentrated(rho, 2 * rho)
    if neighbours is Neighbours.REPLACE:
        reason = "Sampled steps are accounted for people who are added or removed, and this policy replaces them."
        raise Refused("bad-spend", reason, "Train on full batches: a sampling rate of 1.")
    if delta is None:
        raise Refused("bad-spend", "Sampled steps are accounted at a delta.", "Give delta=1e-9.")
    return Loss.approximate(_sampled(found, probability("delta", delta)), probability("delta", delta))


def _sampled(steps: list[GradientSteps], delta: Fraction) -> Fraction:
    try:
        from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent  # noqa: PLC0415 - only here
        from dp_accounting.rdp import RdpAccountant  # noqa: PLC0415 - same
    except ImportError:
        hint = "Install it: pip install 'deniable[pld]'."
        raise Refused("needs-extra", "Sampled steps are accounted by dp-accounting.", hint) from None
    accountant = RdpAccountant()
    for one in steps:
        event = PoissonSampledDpEvent(float(one.rate), GaussianDpEvent(float(one.noise)))
        accountant.compose(event, one.steps)
    return above(float(accountant.get_epsilon(float(delta))))
