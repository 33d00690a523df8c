"""When an entry was written, by the clock of whoever wrote it, which may jump: no sum depends on it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from deniable.ledger.entries.entry import Link


def now() -> str:
    """For people to read, and to count the questions of a day: no sum depends on the clock."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def time_of(link: Link) -> datetime:
    """When it was written; long ago, if that cannot be read."""
    try:
        written = datetime.fromisoformat(json.loads(link.body)["written"])
    except (KeyError, ValueError):
        return datetime.min.replace(tzinfo=UTC)
    return written if written.tzinfo is not None else written.replace(tzinfo=UTC)
