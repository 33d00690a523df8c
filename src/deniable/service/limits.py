"""How much anyone may ask for: per second, at once, and in size. Refusals count too: they are work as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from deniable.core.errors import Refused


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What one server bears. All of it is public, and the same whatever the data are."""

    per_second: float = 50.0
    """Requests of one analyst, of any kind, on average."""
    burst: int = 200
    """Requests of one analyst at a moment."""
    waiting: int = 8
    """Questions of one analyst that wait for their turn, behind the one that runs."""
    at_once: int = 2
    """Prices, lookups and other free requests of one analyst that are worked out at the same time; others wait."""
    connections: int = 1_000
    """Of the PostgreSQL door, from everybody."""
    connections_each: int = 200
    """From one address, before anybody has said who they are; and of one person, after that."""
    message: int = 1 << 20
    """Bytes of one message of an analyst who is logged in; before that, `greeting`."""
    greeting: int = 10_000
    body: int = 64 << 10
    """Bytes of one HTTP request."""
    statements: int = 256
    """Prepared statements, and portals, of one connection."""
    held: int = 256 << 20
    """Bytes of results that one connection keeps open, when it asks for the next."""
    login: float = 20.0
    """Seconds in which somebody must have said who they are."""
    idle: float = 3_600.0
    """Seconds without a word, after which a connection is closed."""
    stalled: float = 60.0
    """Seconds in which a message must be there that has begun to come, or be taken that is being sent."""


class Rate:
    """A bucket of requests that fills at a steady pace.

    Example:
        >>> time = iter([0.0, 0.0, 0.0, 0.5, 0.5])
        >>> rate = Rate(per_second=2, burst=2, clock=lambda: next(time))
        >>> rate.take(), rate.take(), rate.take(), rate.take()
        (True, True, True, False)
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._left, self._when = float(burst), clock()

    def take(self) -> bool:
        """Whether there is room for one more, which is then used."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._when) * self._per_second)
        self._when = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def too_many(what: str) -> Refused:
    """Said to whoever asks for more than the limits admit."""
    return Refused("too-busy", f"There are too many {what}.", "Wait a moment, and ask again.")
