"""Visits: somebody who has shown a token once and is known by a cookie from then on, until they leave or it ends."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from time import monotonic

from deniable.service.population import ServedPopulation
from deniable.service.session import Session
from deniable.service.tokens import Token

_LONGEST = 12 * 3_600.0
"""Seconds after which a visit is over, whatever was done in it."""
_MOST, _MOST_EACH = 10_000, 16


@dataclass(slots=True)
class Visit:
    """Whose visit it is. The token's secret is not in it: a visit that is stolen ends, and lets nobody back in.

    So whatever lets somebody in, such as a new token, takes the secret once more: see `knows`.
    """

    population: ServedPopulation
    token: Token
    began: float
    seen: float
    form: str = field(default_factory=lambda: token_urlsafe(32))
    """What every form of this visit carries, so that no other site can send one."""

    def session(self, request: str) -> Session:
        """What the visitor may do; whether the token still holds is asked with each request."""
        return Session(self.population, self.token, request)

    def knows(self, secret: str) -> bool:
        """Whether this is the token with which the visit began, and not only its cookie."""
        found = self.population.tokens.find(secret)
        return found is not None and found.id == self.token.id

    def sent(self, form: str) -> bool:
        """Whether a form is from a page of this visit."""
        return hmac.compare_digest(form.encode(), self.form.encode())


class Visits:
    """All visits of one server, in memory: when it stops, everybody is signed out.

    Promise:  the key of a visit is 256 random bits that were chosen when it began, so that nobody can choose it for
              somebody else; kept is its digest alone. A visit is over when it is left, after `idle` seconds without a
              request, and after twelve hours.
    """

    def __init__(self, idle: float, clock: Callable[[], float] = monotonic) -> None:
        self._idle, self._clock = idle, clock
        self._known: OrderedDict[str, Visit] = OrderedDict()

    def begin(self, session: Session) -> tuple[str, Visit]:
        """A new visit, and the key to it, which is never shown again."""
        now = self._clock()
        mine = [key for key, visit in self._known.items() if visit.token.id == session.token.id]
        for old in mine[: max(0, len(mine) - _MOST_EACH + 1)]:
            del self._known[old]
        while len(self._known) >= _MOST:
            self._known.popitem(last=False)
        key = token_urlsafe(32)
        visit = Visit(session.population, session.token, now, now)
        self._known[_digest(key)] = visit
        return key, visit

    def find(self, key: str) -> Visit | None:
        """The visit that this key leads to, if it is not over."""
        visit, now = self._known.get(_digest(key)), self._clock()
        if visit is None:
            return None
        if now - visit.seen > self._idle or now - visit.began > _LONGEST:
            self.end(key)
            return None
        visit.seen = now
        return visit

    def end(self, key: str) -> None:
        """Nobody has this key any more."""
        self._known.pop(_digest(key), None)


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
