"""A curator behind an address, with the methods of a local one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.doors.http.formats import ARROW
from deniable.doors.http.received import ServedAnswer, ServedBudget, exact, loss_of, received
from deniable.planner import Quote
from deniable.planner.plan import Priced
from deniable.planner.wording.parameters import Parameters, filled, filled_all

_WAIT = 0.5
"""Seconds between two looks at an answer that takes long."""
_TOO_OLD = 399


@dataclass(frozen=True, slots=True)
class ServedEntry:
    """A line of a history: what was charged, when, to whom."""

    sequence: int
    written: str
    analyst: str
    text: str
    loss: Loss
    shown: bool
    """Whether only the analyst's share paid, because the answer was recorded already."""


class ServedCurator:
    """A curator behind an address. Raises `Refused` and `Failed` as a local one does."""

    def __init__(self, url: str, token: str, client: httpx.Client | None = None) -> None:
        if not url.startswith(("https://", "http://127.0.0.1", "http://[::1]", "http://localhost")) and client is None:
            raise InvalidArgumentError("url", "must start with https://: a token would be read on the way")
        self._client = client or httpx.Client(base_url=url.rstrip("/"), timeout=120.0)
        self._client.headers["Authorization"] = f"Bearer {token}"

    def explain(self, sql: str, *, params: Parameters | None = None, **payment: Any) -> Quote:  # noqa: ANN401 - numbers, as people write them
        """What `ask` would spend and how far off it would be. Costs nothing."""
        said = self._send("POST", "/v1/explain", {"sql": filled(sql, params).text, **_written(payment)}).json()
        return Quote(
            loss=loss_of(said["loss"]),
            lines=tuple(Priced(**line) for line in said["columns"]),
            groups=said["groups"],
            shown_from=said["shown_from"],
            confidence=exact(said["confidence"]),
            notes=tuple(said["notes"]),
            person=said["person"],
        )

    def ask(self, sql: str, *, params: Parameters | None = None, **payment: Any) -> ServedAnswer:  # noqa: ANN401 - same
        """Answer the question, or raise."""
        return self._answers("/v1/questions", {"sql": filled(sql, params).text, **_written(payment)})[0]

    def ask_all(
        self,
        questions: Sequence[str],
        *,
        params: Sequence[Parameters | None] | None = None,
        **payment: Any,  # noqa: ANN401 - same
    ) -> list[ServedAnswer]:
        """Answers to questions that are fixed in advance, for one spend: all of them, or none."""
        texts = list(filled_all(questions, params))
        return self._answers("/v1/batches", {"questions": texts, **_written(payment)})

    def release(self, workload: Mapping[str, Any], **payment: Any) -> ServedAnswer:  # noqa: ANN401 - same
        """All queries of a workload, for one spend. The workload is written as in a workload's file."""
        return self._answers("/v1/releases", {"workload": dict(workload), **_written(payment)})[0]

    def budget(self, analyst: str | None = None) -> ServedBudget:
        """What is left: your own share; a custodian or reviewer may name an analyst, or sees the whole."""
        accounts = {one["name"]: one for one in self._send("GET", "/v1/budget").json()["accounts"]}
        name = next(iter(accounts)) if analyst is None else f"analyst:{analyst}"
        if name not in accounts:
            raise Refused("unknown-analyst", f"You see no account of {analyst!r}.", "Leave the name out.")
        return ServedBudget(accounts[name])

    def history(self) -> list[ServedEntry]:
        """Every charge that the token may see, oldest first."""
        found: list[ServedEntry] = []
        after: int | None = 0
        while after is not None:
            said = self._send("GET", f"/v1/history?after={after}&limit=1000").json()
            found += [
                ServedEntry(
                    one["entry"], one["written"], one["analyst"], one["question"], loss_of(one["loss"]), one["shown"]
                )
                for one in said["charges"]
            ]
            after = said["next"]
        return found

    def tables(self) -> dict[str, Any]:
        """The declared tables and columns."""
        return dict(self._send("GET", "/v1/tables").json()["tables"])

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def __enter__(self) -> Self:
        """For `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close whatever happened."""
        self.close()

    def _answers(self, path: str, body: dict[str, Any]) -> list[ServedAnswer]:
        """What comes of it, now or later."""
        found = self._send("POST", path, body, ARROW)
        while found.status_code == httpx.codes.ACCEPTED:
            time.sleep(_WAIT)
            found = self._send("GET", found.headers["Location"], body, ARROW)
        return received(found.content)

    def _send(self, method: str, path: str, body: Any = None, accept: str = "application/json") -> httpx.Response:  # noqa: ANN401 - what JSON can say
        sent = body if method == "POST" else None
        found = self._client.request(method, path, json=sent, headers={"Accept": accept})
        if found.status_code > _TOO_OLD:
            raise _raised(found, body)
        return found


def _raised(response: httpx.Response, body: object) -> Exception:
    """What a local curator would have raised."""
    try:
        said = response.json()
    except ValueError:
        return Failed()
    if said.get("code") == "failed":
        return Failed()
    place = said.get("position")
    question = body.get("sql", "") if isinstance(body, dict) else ""
    return Refused(
        said.get("code", "failed"),
        said.get("detail", ""),
        said.get("hint", ""),
        None if place is None else (place[0], place[1]),
        question,
    )


def _written(payment: dict[str, Any]) -> dict[str, str]:
    several = {key: "+".join(value) for key, value in payment.items() if isinstance(value, list | tuple)}
    return {key: str(value) for key, value in {**payment, **several}.items() if value is not None}
