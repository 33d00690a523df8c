"""Letting in, and turning away: unknown name, wrong password and somebody else's population cannot be told apart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from secrets import token_bytes
from time import monotonic

from deniable.service.log import note
from deniable.service.metrics import Metrics
from deniable.service.population import ServedPopulation
from deniable.service.scram import Verifier
from deniable.service.session import Session
from deniable.service.tokens import Token

_SLOW = 0.5
"""Seconds after which every failure is answered, counted from the first word."""


class Denied(Exception):
    """Somebody was turned away. One text for every reason."""

    def __init__(self) -> None:
        super().__init__("No such analyst, population or password.")


class Entrance:
    """Who may come in.

    Promise:  every failure has the same words, and is answered `_SLOW` seconds after the attempt began.
    """

    def __init__(self, populations: Mapping[str, ServedPopulation], metrics: Metrics) -> None:
        self._populations, self._metrics = populations, metrics
        self._stranger = Verifier(token_bytes(32), token_bytes(32))

    async def by_token(self, secret: str, door: str) -> Session:
        """The session of whoever has this token.

        Raises:
            Denied: it is not valid.
        """
        began = monotonic()
        for population in self._populations.values():
            if (token := population.tokens.find(secret)) is not None:
                return Session(population, token)
        raise await self.turned_away(began, door)

    def challenge(self, population: str, name: str) -> Challenge:
        """What somebody who says this name must prove; the same steps for names that nobody has.

        Every population is looked up, whichever was named, so that the time does not tell which there are.
        """
        found = {known: one.tokens.proofs(name) for known, one in self._populations.items()}
        first = next(iter(self._populations.values()))
        salt, tokens = found.get(population, (first.tokens.salt(population, name), []))
        return Challenge(salt, tokens, self._populations.get(population), self._stranger)

    async def turned_away(self, began: float, door: str) -> Denied:
        """The failure, when it is time for it."""
        self._metrics.count("logins_failed", door=door)
        note("turned-away", failure=True, door=door)
        await asyncio.sleep(max(0.0, began + _SLOW - monotonic()))
        return Denied()


class Challenge:
    """A salt that anyone may see, and the proofs that would be right."""

    def __init__(
        self, salt: bytes, tokens: list[Token], population: ServedPopulation | None, stranger: Verifier
    ) -> None:
        self.salt = salt
        self._tokens, self._population, self._stranger = tokens, population, stranger

    def answered(self, proof: bytes, said: bytes) -> tuple[Session, bytes] | None:
        """The session, and the server's own signature; None if the proof is that of no valid token."""
        self._stranger.accepts(proof, said)
        for token in self._tokens:
            if self._population is not None and token.verifier.accepts(proof, said):
                return Session(self._population, token), token.verifier.signature(said)
        return None
