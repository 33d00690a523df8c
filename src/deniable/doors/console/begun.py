"""Questions that have begun: what was asked under which address."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from fastapi import Request

from deniable.curator import NoisyAnswer, PublicAnswer
from deniable.doors.console.written import WrittenQuestion
from deniable.doors.http.jobs import Asked, Jobs
from deniable.service.session import Session

_MOST = 2_000
Written = TypeVar("Written")


class Texts(Generic[Written]):
    """What was asked under which address, as long as there is room."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Written] = OrderedDict()

    def keep(self, name: str, written: Written) -> None:
        """Until there are too many."""
        self._known[name] = written
        while len(self._known) > _MOST:
            self._known.popitem(last=False)

    def get(self, name: str) -> Written | None:
        """What was asked."""
        return self._known.get(name)


def begin(request: Request, session: Session, written: WrittenQuestion) -> str:
    """Ask, and do not wait; the address under which the answer will be."""
    plain, spending = written.settled
    jobs: Jobs = request.app.state.jobs

    async def work(asked: Asked) -> NoisyAnswer | PublicAnswer:
        return await session.ask(plain, spending, asked.told)

    asked = jobs.start((session.population.name, session.who), None, "", work)
    request.app.state.texts.keep(asked.id, written)
    return asked.id
