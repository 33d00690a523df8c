"""What was ordered from the browser, to order it again: settings alone, no number that was measured.

What came of an order is in the ledger if it was paid for; the settings are what it takes to find it there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from deniable.files.atomic import whole

_MOST = 50


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made, as it was written; whether it is right is decided when it is priced, and when it is made."""

    kind: str
    payer: str = ""
    """Whose share pays, where the policy gives shares."""
    spending: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    """None: all that are private."""
    rows: str = ""
    text: str = ""
    """A workload, or settings, in TOML; of synthetic tables, conditions that no row violates, one on each line."""
    reason: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """All but the reason, which is given anew each time."""
        spending = {name: number for name, number in self.spending.items() if number}
        found = {"kind": self.kind, "payer": self.payer, "spending": spending, "tables": list(self.tables)}
        return {**found, "rows": self.rows, "text": self.text}

    @property
    def digest(self) -> str:
        """Equal only for equal settings."""
        return sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()


class OrderFile:
    """The last orders of one population that came to something, in a file beside the tokens.

    Promise:  holds what a custodian has written, and nothing that was read from a table. A file that is lost costs
              some typing, nothing else: what was paid for is in the ledger.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()

    def all(self) -> dict[str, Order]:
        """By digest, the last first."""
        try:
            found = [_order(one) for one in json.loads(self._path.read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}
        return {order.digest: order for order in found}

    def keep(self, order: Order) -> None:
        """As the last; the oldest go when there are too many."""
        with self._lock:
            rest = [one for name, one in self.all().items() if name != order.digest]
            with whole(self._path, private=True) as file:
                file.write(json.dumps([one.settings for one in (order, *rest)[:_MOST]]).encode())


def _order(kept: Mapping[str, Any]) -> Order:
    spending = {str(name): str(number) for name, number in kept["spending"].items()}
    texts = {name: str(kept[name]) for name in ("kind", "payer", "rows", "text")}
    return Order(**texts, spending=spending, tables=tuple(map(str, kept["tables"])))
