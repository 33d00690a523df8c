"""How a request ends: counted, noted, and said in words that are for whoever asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.service.log import note
from deniable.service.population import ServedPopulation
from deniable.service.schedule import Job


@dataclass(frozen=True, slots=True)
class Ending:
    """Around a request, to see what becomes of it; whatever is not for the analyst's eyes becomes a bare failure."""

    population: ServedPopulation
    who: str
    request: str
    kind: str
    job: Job | None = None
    """What may be charged in it."""

    def __enter__(self) -> None:
        """Nothing yet."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Say what became of it."""
        del kind
        if isinstance(error, InvalidArgumentError):
            self._note("refused", "bad-argument")
            raise Refused("bad-argument", f"{error}.", "Correct it, and ask again.") from None
        if isinstance(error, Refused):
            self._note("refused", error.code)
        elif isinstance(error, asyncio.CancelledError):
            self._note("cancelled")
        elif error is not None:
            self._note("failed", type(error).__name__)
            if not isinstance(error, Failed):
                raise Failed from None
        else:
            self._note("done")

    def _note(self, ending: str, code: str | None = None) -> None:
        population = self.population
        population.metrics.count("requests", population=population.name, kind=self.kind, ended=ending)
        if self.job is None and ending == "done":
            return
        note(
            f"{self.kind}-{ending}",
            failure=ending == "failed",
            request=self.request,
            population=population.name,
            analyst=self.who,
            code=code,
            entries=None if self.job is None else self.job.entries,
        )
