"""`deniable.connect`: a curator behind an address, with the methods of a local one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

import httpx
import pyarrow as pa

from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.doors.http.formats import ARROW, KEY
from deniable.planner import Quote
from deniable.planner.plan import Priced

_WAIT = 0.2
_TOO_OLD = 399


@dataclass(frozen=True, repr=False)
class ServedAnswer(Tabular):
    """A noisy answer from a server. Everything in it is public: compute with it whatever you like."""

    with_intervals_: pa.Table
    said: dict[str, Any]

    @property
    def with_intervals(self) -> pa.Table:
        """The answer, and behind it low and high of each noisy column."""
        return self.with_intervals_

    @property
    def table(self) -> pa.Table:
        """The answer."""
        ends = {f"{name}_{side}" for name in self.said["noisy"] for side in ("low", "high")}
        return self.with_intervals_.select([name for name in self.with_intervals_.column_names if name not in ends])

    @property
    def intervals(self) -> pa.Table:
        """Low and high of each noisy column, row by row, at the confidence that was asked for."""
        return self.with_intervals_.select(
            [f"{name}_{side}" for name in self.said["noisy"] for side in ("low", "high")]
        )

    @property
    def loss(self) -> Loss:
        """What was paid for it when it was first asked."""
        return _loss(self.said["loss"])

    @property
    def free(self) -> bool:
        """Whether it was recorded earlier, and cost nothing now."""
        return bool(self.said["free"])

    @property
    def confidence(self) -> Fraction:
        """Of the intervals."""
        return _exact(self.said["confidence"])

    @property
    def meaning(self) -> str:
        """The guarantee in words."""
        return str(self.said["meaning"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer leaves out besides noise: bias, which no interval covers."""
        return tuple(self.said["notes"])

    def sheet(self) -> Sheet:
        """What is shown of it."""
        shown, ends = self.table.slice(0, MOST_ROWS), self.intervals.slice(0, MOST_ROWS)
        columns = []
        for name, values in zip(shown.column_names, shown.columns, strict=True):
            if name in self.said["noisy"]:
                low, high = (ends[f"{name}_{side}"].to_pylist() for side in ("low", "high"))
                whole = pa.types.is_integer(values.type)
                columns.append(SheetColumn.noisy(name, values.to_pylist(), low, high, whole=whole))
            else:
                columns.append(SheetColumn.keys(name, values.to_pylist()))
        paid = "free, because it was asked before" if self.free else f"paid {self.loss}"
        price = f"± at {percent(self.confidence)} confidence · {paid}"
        return Sheet(tuple(columns), price, self.notes, more=max(0, self.table.num_rows - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say."""
        return {"rows": to_rows(self.with_intervals), **{key: self.said[key] for key in self.said if key != "noisy"}}


class ServedCurator:
    """A curator behind an address. Raises `Refused` and `Failed` as a local one does."""

    def __init__(self, url: str, token: str, client: httpx.Client | None = None) -> None:
        if not url.startswith(("https://", "http://127.0.0.1", "http://[::1]", "http://localhost")) and client is None:
            raise InvalidArgumentError("url", "must start with https://: a token would be read on the way")
        self._client = client or httpx.Client(base_url=url.rstrip("/"), timeout=120.0)
        self._client.headers["Authorization"] = f"Bearer {token}"

    def explain(self, sql: str, **payment: Any) -> Quote:  # noqa: ANN401 - numbers, as people write them
        """What `ask` would spend and how far off it would be. Costs nothing."""
        said = self._send("POST", "/v1/explain", {"sql": sql, **_written(payment)}).json()
        return Quote(
            loss=_loss(said["loss"]),
            lines=tuple(Priced(**line) for line in said["columns"]),
            groups=said["groups"],
            shown_from=said["shown_from"],
            confidence=_exact(said["confidence"]),
            notes=tuple(said["notes"]),
            person=said["person"],
        )

    def ask(self, sql: str, **payment: Any) -> ServedAnswer:  # noqa: ANN401 - same
        """Answer the question, or raise."""
        body = {"sql": sql, **_written(payment)}
        found = self._send("POST", "/v1/questions", body, ARROW)
        while found.status_code == httpx.codes.ACCEPTED:
            found = self._send("GET", found.headers["Location"], None, ARROW)
        table = pa.ipc.open_stream(found.content).read_all()
        said = json.loads(table.schema.metadata[KEY])
        return ServedAnswer(table.replace_schema_metadata(None), said)

    def ask_all(self, questions: list[str], **payment: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - same
        """Answers to questions that are fixed in advance, for one spend, each as a mapping."""
        said = self._send("POST", "/v1/batches", {"questions": list(questions), **_written(payment)}).json()
        return list(said["answers"])

    def budget(self) -> dict[str, Any]:
        """What is left, of each account that the token may see."""
        return {one["name"]: one for one in self._send("GET", "/v1/budget").json()["accounts"]}

    def history(self) -> list[dict[str, Any]]:
        """Every charge that the token may see, oldest first."""
        found: list[dict[str, Any]] = []
        after: int | None = 0
        while after is not None:
            said = self._send("GET", f"/v1/history?after={after}&limit=1000").json()
            found, after = [*found, *said["charges"]], said["next"]
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

    def _send(self, method: str, path: str, body: object = None, accept: str = "application/json") -> httpx.Response:
        found = self._client.request(method, path, json=body, headers={"Accept": accept})
        if found.status_code > _TOO_OLD:
            raise _raised(found, body)
        return found


def connect(url: str, *, token: str) -> ServedCurator:
    """The curator that is served at this address; a notebook changes one line and keeps the others."""
    return ServedCurator(url, token)


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
    return {key: str(value) for key, value in payment.items() if value is not None}


def _exact(number: float) -> Fraction:
    return Fraction(str(number))


def _loss(said: dict[str, float]) -> Loss:
    forms = {name: _exact(said[name]) if name in said else None for name in ("epsilon", "rho")}
    mu = said.get("mu")
    return Loss(forms["epsilon"], forms["rho"], None if mu is None else _exact(mu) ** 2, _exact(said.get("delta", 0)))
