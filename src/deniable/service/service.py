"""All populations of one server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from deniable.core.errors import InvalidArgumentError
from deniable.service.entrance import Entrance
from deniable.service.limits import ServerLimits
from deniable.service.metrics import Metrics
from deniable.service.population import ServedPopulation


class Service:
    """What doors are opened to. Make it inside of a running event loop, and close it there."""

    def __init__(self, populations: Mapping[str, ServedPopulation], limits: ServerLimits, metrics: Metrics) -> None:
        self.populations, self.limits, self.metrics = populations, limits, metrics
        self.entrance = Entrance(populations, metrics)
        self.postgres: int | None = None
        """The port of the door for PostgreSQL's clients, while it is open: for whoever tells people where it is."""

    @classmethod
    async def open(cls, policies: Sequence[Path], limits: ServerLimits | None = None) -> Service:
        """The populations of these policy files, each with its own account."""
        bounds, metrics = limits or ServerLimits(), Metrics()
        found: dict[str, ServedPopulation] = {}
        for policy in policies:
            population = ServedPopulation.open(policy, bounds, metrics)
            if population.name in found:
                await population.close()
                raise InvalidArgumentError("policies", f"name the population {population.name!r} twice")
            found[population.name] = population
        return cls(found, bounds, metrics)

    async def finish(self) -> None:
        """Begin nothing more, and wait until what has begun is answered."""
        for population in self.populations.values():
            await population.finish()

    async def close(self) -> None:
        """Wait for what has begun, answer it, and let go of everything."""
        for population in self.populations.values():
            await population.close()
