"""What is said to a client when something is refused: an SQLSTATE by kind, and the place in the statement."""

from __future__ import annotations

from dataclasses import dataclass

from deniable.core.errors import Failed, Refused

_STATES = {
    "42601": ("syntax", "empty", "many-statements"),
    "25006": ("not-a-select",),
    "42P01": ("unknown-table",),
    "42703": ("unknown-column",),
    "42702": ("ambiguous-column",),
    "42883": ("unknown-function", "unknown-aggregate"),
    "42803": ("not-grouped", "no-aggregate"),
    "42501": ("rows", "wrong-role", "no-contribution"),
    "42804": ("type-mismatch", "real-key", "unit-types"),
    "42P10": ("bad-ordinal",),
    "2201W": ("bad-limit",),
    "42P02": ("bad-parameters",),
    "22023": ("bad-spend", "accuracy", "bad-argument", "least-spend", "most-spend", "too-many-digits"),
    "28000": ("unknown-analyst", "token-ended"),
    "53400": ("over-budget", "questions-per-day"),
    "53000": ("too-busy",),
    "54000": (
        "too-many-groups",
        "too-many-statistics",
        "too-many-rows",
        "too-complex",
        "too-many-cells",
        "answer-size",
    ),
    "54001": ("too-long",),
    "58000": ("data-unavailable",),
}
"""Never one of class 40: drivers take those for a reason to try again, and trying again may cost."""

_BY_CODE = {code: state for state, codes in _STATES.items() for code in codes}
_OTHER = "0A000"


@dataclass(frozen=True, slots=True)
class PgError(Exception):
    """An error in PostgreSQL's words. `place` counts characters of the statement, from 0."""

    state: str
    message: str
    detail: str = ""
    hint: str = ""
    place: int | None = None
    fatal: bool = False

    def fields(self) -> list[tuple[str, str]]:
        """As the protocol has them."""
        severity = "FATAL" if self.fatal else "ERROR"
        found = [("S", severity), ("V", severity), ("C", self.state), ("M", self.message)]
        found += [("D", self.detail)] * bool(self.detail) + [("H", self.hint)] * bool(self.hint)
        return found + ([] if self.place is None else [("P", str(self.place + 1))])


def state_of(code: str) -> str:
    """The SQLSTATE of a refusal.

    Example:
        >>> state_of("unknown-column"), state_of("window")
        ('42703', '0A000')
    """
    return _BY_CODE.get(code, "58000" if code.startswith("ledger") else _OTHER)


def refused(refusal: Refused) -> PgError:
    """A refusal, with its place; nothing was read or spent."""
    place = None if refusal.position is None else refusal.position[0]
    detail = f"refused ({refusal.code}); nothing was read or spent"
    return PgError(state_of(refusal.code), refusal.reason, detail, refusal.hint, place)


def failed(failure: Failed) -> PgError:
    """A failure after the charge."""
    return PgError("58030", str(failure), "The charge stays spent.")


def unsupported(what: str, hint: str = "") -> PgError:
    """Something of PostgreSQL that a curator does not do."""
    return PgError(_OTHER, what, hint=hint)


def protocol(what: str) -> PgError:
    """A client that does not keep to the protocol."""
    return PgError("08P01", what, fatal=True)
