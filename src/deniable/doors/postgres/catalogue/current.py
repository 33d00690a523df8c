"""The catalogue of a population as its policy is now: made anew when a custodian has changed that."""

from __future__ import annotations

import asyncio

from deniable.doors.postgres.catalogue.run import Catalogue
from deniable.service.population import ServedPopulation


class CurrentCatalogue:
    """What clients of one population may know without paying, by the policy that holds.

    Those that were made by earlier policies stay until the door is closed: somebody may be reading in them.
    """

    def __init__(self, population: ServedPopulation) -> None:
        self._population, self._making = population, asyncio.Lock()
        self._policy = population.curator.policy
        self._made = [Catalogue(self._policy, population.public_tables())]

    @property
    def latest(self) -> Catalogue:
        """The one that was made last."""
        return self._made[-1]

    async def now(self) -> Catalogue:
        """The one of the policy that holds now; if it must be made, in a thread."""
        async with self._making:
            policy = self._population.curator.policy
            if policy is not self._policy:
                tables = self._population.public_tables
                loop = asyncio.get_running_loop()
                self._made.append(await loop.run_in_executor(None, lambda: Catalogue(policy, tables())))
                self._policy = policy
        return self.latest

    def close(self) -> None:
        """Let go of all of them."""
        for one in self._made:
            one.close()
