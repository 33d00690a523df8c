"""Where the system keeps what must not be lost and is nobody else's: lists of accounts, and anchors of ledgers."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def state() -> Path:
    """DENIABLE_STATE, or the place that the system has for it."""
    if named := os.environ.get("DENIABLE_STATE"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "deniable"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "deniable"
