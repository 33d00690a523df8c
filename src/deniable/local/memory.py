"""Asking the same people again: the report that was sent once is sent again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.local.families.protocol import Protocol
from deniable.local.reports import Reports


@dataclass(slots=True, eq=False)
class Memory:
    """One respondent's device: draws a report for each value once, and repeats it when the value is asked again.

    Guarantee:  with fresh noise at every collection, T collections lose T times epsilon: averaged, the noise goes away.
                With a memory they lose epsilon for each different value that the respondent ever held, however often it
                is asked, because everything sent is made from one report of each (Erlingsson, Pihur, Korolova 2014).
    Caution:    that a report changes says that the value changed, and when. The memory itself is as private as the
                values are; it never leaves the device. The collector's error does not fall by asking again.

    Example:
        >>> from deniable.local import KaryResponse
        >>> device = Memory(KaryResponse(4, epsilon=1))
        >>> monday, tuesday, friday = device.report(2), device.report(2), device.report(3)
        >>> bool(monday.data == tuesday.data), float(device.loss.epsilon), float(device.fresh_loss.epsilon)
        (True, 2.0, 3.0)
    """

    protocol: Protocol
    collections: int = 0
    _kept: dict[Any, Reports] = field(default_factory=dict, repr=False)

    def report(self, value: Any) -> Reports:  # noqa: ANN401 - each protocol has its own values
        """The one report of this value."""
        single = isinstance(value, Hashable)
        if not single:
            raise InvalidArgumentError("value", "must be a single value: a number, a name or a tuple of them")
        if value not in self._kept:
            self._kept[value] = self.protocol.perturb(value)
        self.collections += 1
        return self._kept[value]

    @property
    def loss(self) -> Loss:
        """Of everything that was ever sent."""
        return self.protocol.loss.times(len(self._kept)) if self._kept else Loss.zero()

    @property
    def fresh_loss(self) -> Loss:
        """What the same collections would have lost without a memory."""
        return self.protocol.loss.times(self.collections) if self.collections else Loss.zero()
