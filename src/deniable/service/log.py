"""The server's log: a line of JSON for each event, without a row value, a raw count or a constant of a question."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from secrets import token_hex

_log = logging.getLogger("deniable.serve")


def request_id() -> str:
    """By which the lines of one request, and the answer that it got, are found."""
    return token_hex(8)


def note(event: str, *, failure: bool = False, **facts: str | float | list[int] | None) -> None:
    """One line. Callers name facts that are public: who, which population, which code, which entry of the ledger."""
    said = {key: value for key, value in facts.items() if value is not None}
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **said}
    _log.log(logging.WARNING if failure else logging.INFO, "%s", json.dumps(line, ensure_ascii=False))
