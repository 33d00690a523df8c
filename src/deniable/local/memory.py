"""Asking the same people again: the report that was sent once is sent again."""

from __future__ import annotations

from collections.abc import Hashable
from os import getpid
from threading import Lock
from typing import Any, NoReturn

from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.local.families.protocol import Protocol
from deniable.local.reports import Reports


class Memory:
    """One respondent's device: draws a report for each value once, and repeats it when the value is asked again.

    Guarantee:  with fresh noise at every collection, T collections lose T times epsilon: averaged, the noise goes away.
                With a memory they lose epsilon for each different value that the respondent ever held, however often it
                is asked, because everything sent is made from one report of each (Erlingsson, Pihur, Korolova 2014).
    Caution:    that a report changes says that the value changed, and when. The memory itself is as private as the
                values are; it never leaves the device. The collector's error does not fall by asking again. Two
                memories of one respondent would draw two reports of one value, so there is one: threads take turns, it
                cannot be copied or pickled, and in a forked process it is of no use. One that is lost is a new loss.

    Example:
        >>> from deniable.local import KaryResponse
        >>> device = Memory(KaryResponse(4, epsilon=1))
        >>> monday, tuesday, friday = device.report(2), device.report(2), device.report(3)
        >>> bool(monday.data == tuesday.data), float(device.loss.epsilon), float(device.fresh_loss.epsilon)
        (True, 2.0, 3.0)
    """

    __slots__ = ("_collections", "_kept", "_lock", "_process", "protocol")

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._collections = 0
        self._kept: dict[Any, Reports] = {}
        self._lock = Lock()
        self._process = getpid()

    def report(self, value: Any) -> Reports:  # noqa: ANN401 - each protocol has its own values
        """The one report of this value."""
        if not isinstance(value, Hashable):
            raise _several
        if getpid() != self._process:
            raise InvalidArgumentError("memory", "belongs to another process; start a new one, for a new loss")
        with self._lock:
            if value not in self._kept:
                self._kept[value] = self._drawn(value)
            self._collections += 1
            return self._kept[value]

    def _drawn(self, value: Any) -> Reports:  # noqa: ANN401 - same
        """One report, which nobody can change; several of one respondent would be several losses."""
        drawn = self.protocol.perturb(value)
        if len(drawn) != 1:
            raise _several
        drawn.data.setflags(write=False)
        return drawn

    @property
    def collections(self) -> int:
        """How often it was asked."""
        return self._collections

    @property
    def loss(self) -> Loss:
        """Of everything that was ever sent."""
        return self.protocol.loss.times(len(self._kept)) if self._kept else Loss.zero()

    @property
    def fresh_loss(self) -> Loss:
        """What the same collections would have lost without a memory."""
        return self.protocol.loss.times(self._collections) if self._collections else Loss.zero()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """No copy, shallow or deep, and no pickle: a second device would draw a second report of the same value."""
        raise TypeError("a memory cannot be copied or pickled: each value has one report")

    def __repr__(self) -> str:
        """Without values."""
        return f"Memory({self.protocol!r}, collections={self._collections})"


_several = InvalidArgumentError("value", "must be a single value: a number, a name, or what one respondent answers")
