"""Questions on their way: each has an address, at which it can be asked for later, by whoever asked it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from deniable.core.errors import Refused
from deniable.service.limits import too_many

_MOST, _MOST_EACH = 2_000, 64
_KEPT_EACH = 16
"""Of one person, that are over and may still be asked for."""


@dataclass(slots=True, eq=False)
class Asked:
    """One question, or batch, or release."""

    owner: tuple[str, str]
    """Population and name."""
    id: str = field(default_factory=lambda: token_urlsafe(16))
    stages: list[str] = field(default_factory=lambda: ["queued"])
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[Any] | None = None

    @property
    def over(self) -> bool:
        """Whether there is an answer, or the lack of one."""
        return self.task is not None and self.task.done()

    @property
    def refused(self) -> bool:
        """Whether nothing was carried out."""
        task = self.task
        return task is not None and task.done() and not task.cancelled() and isinstance(task.exception(), Refused)

    def told(self, stage: str) -> None:
        """A stage that everybody may know of: that it was started, or charged."""
        self.stages.append(stage)
        self.changed.set()
        self.changed = asyncio.Event()

    async def events(self) -> AsyncIterator[str]:
        """Every stage, as it comes; the last is 'done' or 'ended', when the answer, or the lack of one, may be seen."""
        seen = 0
        while True:
            for stage in self.stages[seen:]:
                yield f"event: stage\ndata: {stage}\n\n"
            seen = len(self.stages)
            if self.stages[-1] in {"done", "ended"}:
                return
            await self.changed.wait()


class Jobs:
    """What was asked through this door, as long as there is room; keys of clients are bound to one body each."""

    def __init__(self) -> None:
        self._found: OrderedDict[str, Asked] = OrderedDict()
        self._keys: OrderedDict[tuple[str, str, str], tuple[str, str]] = OrderedDict()

    def start(
        self, owner: tuple[str, str], key: str | None, body: str, work: Callable[[Asked], Coroutine[Any, Any, Any]]
    ) -> Asked:
        """Begin; or, for a key that was used with the same body, what was begun then, unless it was refused.

        A refusal has cost nothing, and need not stand: whoever is told to wait a moment sends the same key again.

        Raises:
            Refused: the key was used with another body, or there are too many questions.
        """
        if key is not None and (known := self._keys.get((*owner, key))) is not None:
            if known[1] != body:
                raise Refused("key-reused", "The Idempotency-Key was used for another request.", "Choose a new one.")
            earlier = self._found.get(known[0])
            if earlier is not None and not earlier.refused:
                return earlier
        mine = [one for one in self._found.values() if one.owner == owner]
        over = [one for one in mine if one.over]
        if len(mine) - len(over) >= _MOST_EACH:
            raise too_many("questions of yours on their way")
        for old in over[: len(over) - _KEPT_EACH + 1]:
            self.forget(old)
        asked = Asked(owner)
        asked.task = asyncio.create_task(work(asked))
        asked.task.add_done_callback(lambda done: _finished(asked, done))
        self._found[asked.id] = asked
        if key is not None:
            self._keys[*owner, key] = asked.id, body
        while len(self._found) > _MOST:
            self._found.popitem(last=False)
        while len(self._keys) > _MOST:
            self._keys.popitem(last=False)
        return asked

    def knows(self, owner: tuple[str, str], key: str | None) -> bool:
        """Whether this person has used the key lately."""
        return key is not None and (*owner, key) in self._keys

    def forget(self, asked: Asked) -> None:
        """It was heard, or too many came after it. To ask again is free, because the ledger has the answer."""
        self._found.pop(asked.id, None)

    def get(self, owner: tuple[str, str], name: str) -> Asked | None:
        """What this person has asked; somebody else's is not there."""
        found = self._found.get(name)
        return found if found is not None and found.owner == owner else None

    def of(self, owner: tuple[str, str]) -> list[Asked]:
        """All that this person has asked, as far as it is known, oldest first."""
        return [one for one in self._found.values() if one.owner == owner]


def _finished(asked: Asked, task: asyncio.Task[Any]) -> None:
    asked.told("ended" if task.cancelled() or task.exception() is not None else "done")
