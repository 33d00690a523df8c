"""What disks and databases raise, and what is said about it."""

from __future__ import annotations

import sqlite3

from deniable.core.errors import Refused
from deniable.ledger import refusals
from deniable.ledger.storage.database import DatabaseError

TROUBLE = (OSError, DatabaseError, sqlite3.Error)

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT}
_DAMAGE_ON_SERVER = ("22", "23502", "23514", "42703", "42804", "42883", "XX001", "XX002")
"""SQLSTATEs: a value, a column or a function is not what was made here; the server's own files do not fit."""
_GONE_ON_SERVER = ("3D000", "3F000", "42P01")
"""No such database, schema or table."""


def refusal(error: BaseException) -> Refused:
    """Without a trace of what was said: that stays in the log."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else error
    if isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
        return refusals.damaged()
    state = str(getattr(cause, "sqlstate", None) or "")
    if state in _GONE_ON_SERVER:
        return refusals.missing("the address in the policy")
    if state.startswith(_DAMAGE_ON_SERVER):
        return refusals.damaged()
    return refusals.unavailable()
