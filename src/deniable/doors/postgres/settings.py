"""Settings of one connection: what a client may SET, SHOW and RESET; `deniable.*` says how questions are paid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deniable.core.errors import Refused
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.lexing import Lexeme, tokens
from deniable.planner import Spend
from deniable.service.hints import KNOWN, SPENDS

VERSION = "15.0"
OWN = (*(f"deniable.{name}" for name in KNOWN), "deniable.intervals")
"""Empty until they are set."""
_SPENDS = tuple(f"deniable.{name}" for name in SPENDS)

FIXED = {
    "server_version": VERSION,
    "server_version_num": "150000",
    "server_encoding": "UTF8",
    "integer_datetimes": "on",
    "standard_conforming_strings": "on",
    "is_superuser": "off",
    "in_hot_standby": "off",
    "default_transaction_read_only": "on",
    "transaction_read_only": "on",
    "max_identifier_length": "63",
    "max_index_keys": "32",
    "block_size": "8192",
    "lc_collate": "C.UTF-8",
    "lc_ctype": "C.UTF-8",
    "lc_messages": "C.UTF-8",
    "ssl": "on",
    "wal_level": "replica",
    "server_name": "deniable",
}
"""What a client may see and not change."""

_FREE = {
    "application_name": "",
    "client_encoding": "UTF8",
    "client_min_messages": "notice",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "bytea_output": "hex",
    "default_table_access_method": "heap",
    "default_tablespace": "",
    "default_transaction_isolation": "read committed",
    "extra_float_digits": "1",
    "geqo": "on",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "jit": "off",
    "lock_timeout": "0",
    "role": "none",
    "row_security": "on",
    "search_path": '"$user", public',
    "session_replication_role": "origin",
    "statement_timeout": "0",
    "synchronize_seqscans": "on",
    "tcp_keepalives_idle": "0",
    "transaction_deferrable": "off",
    "transaction_isolation": "read committed",
    "work_mem": "4MB",
    "xmloption": "content",
}
"""What a client may change, and what it is at first. None of it changes an answer."""
_CALLED = {name.lower(): name for name in (*_FREE, *FIXED, *OWN)}
_ONLY = {"client_encoding": {"utf8", "utf-8", "unicode"}, "standard_conforming_strings": {"on", "true", "1"}}
REPORTED = ("application_name", "client_encoding", "DateStyle", "IntervalStyle", "TimeZone")
"""Changes that a client is told of."""
_ON, _OFF = {"on", "true", "1", "yes", "t"}, {"off", "false", "0", "no", "f", ""}
_OPTION = re.compile(r"(?:-c\s*|--)([\w.\-]+)=((?:\\.|[^\s\\])*)")


class Settings:
    """What holds on one connection: what was SET, else what came with the startup packet, else the default."""

    def __init__(self, startup: dict[str, str], user: str) -> None:
        self._user = user
        self._start = {**_FREE, **dict.fromkeys(OWN, ""), "session_authorization": user}
        for name, value in _startup(startup):
            self._start[self._checked(name, value)] = value
        self._now = dict(self._start)
        self._lasting: dict[str, str] | None = None

    def set(self, name: str, value: str | None) -> str:
        """Set, or with None reset; its name as PostgreSQL writes it."""
        known = self._called(name) if value is None else self._checked(name, value)
        for values in (self._now,) if self._lasting is None else (self._now, self._lasting):
            self._put(values, known, value)
        return known

    def set_local(self, name: str, value: str | None) -> str:
        """Set until the transaction is over."""
        known = self._called(name) if value is None else self._checked(name, value)
        self._lasting = dict(self._now) if self._lasting is None else self._lasting
        self._put(self._now, known, value)
        return known

    def restore(self) -> bool:
        """Undo what was set for the transaction that is over; whether there was anything."""
        if self._lasting is None:
            return False
        self._now, self._lasting = self._lasting, None
        return True

    def _put(self, values: dict[str, str], known: str, value: str | None) -> None:
        if known in _SPENDS and value:  # the last word holds: a question is paid in one way
            values |= dict.fromkeys(_SPENDS, "")
        values[known] = self._start.get(known, "") if value is None else value
        if known in _SPENDS and not any(values[name] for name in _SPENDS):
            values |= {name: self._start[name] for name in _SPENDS}

    def reset(self) -> None:
        """All of them as they were after the startup packet."""
        self._now, self._lasting = dict(self._start), None

    def show(self, name: str) -> tuple[str, str]:
        """Its name and its value."""
        known = self._called(name, change=False)
        return known, FIXED.get(known, self._now.get(known, ""))

    def all(self) -> Iterator[tuple[str, str]]:
        """Every setting and its value, by name."""
        for name in sorted({*FIXED, *self._now}, key=str.lower):
            yield self.show(name)

    @property
    def spending(self) -> dict[str, str]:
        """How questions are paid on this connection, as far as it was said."""
        return {name: self._now[f"deniable.{name}"] for name in KNOWN if self._now[f"deniable.{name}"]}

    @property
    def intervals(self) -> bool:
        """Whether answers have their intervals beside them."""
        return self._now["deniable.intervals"].lower() in _ON

    @property
    def quiet(self) -> bool:
        """Whether the client wants to hear no notices."""
        return self._now["client_min_messages"].lower() in {"warning", "error", "fatal", "panic"}

    def _called(self, name: str, *, change: bool = True) -> str:
        known = _CALLED.get(name.lower(), "session_authorization" if name.lower() == "session_authorization" else None)
        if known is None:
            hint = f"There are: {', '.join(OWN)}." if name.lower().startswith("deniable.") else ""
            raise PgError("42704", f'unrecognized configuration parameter "{name}"', hint=hint)
        if change and known in FIXED and name.lower() not in _ONLY:
            raise _fixed(known)
        return known

    def _checked(self, name: str, value: str) -> str:
        """Its name, if the value can be right."""
        known = self._called(name, change=False)
        if known in FIXED and known not in _ONLY and not _alike(FIXED[known], value):
            raise _fixed(known)
        if known == "session_authorization" and value != self._user:
            raise PgError("42501", "permission denied to set session authorization")
        if known == "role" and value not in {"none", self._user}:
            raise PgError("42501", f'permission denied to set role "{value}"')
        if known == "deniable.intervals" and value.lower() not in _ON | _OFF:
            raise PgError("22023", f'parameter "{known}" requires a Boolean value')
        if known in _ONLY and value.strip("'\"").lower() not in _ONLY[known]:
            raise PgError(
                "22023", f'invalid value for parameter "{known}": "{value}"', hint="Only UTF8 is spoken here."
            )
        short = known.removeprefix("deniable.")
        if known.startswith("deniable.") and value and short in KNOWN:
            spend = {short: value} if short in SPENDS else {"epsilon": 1, short: value}
            try:
                Spend.of(**spend)
            except Refused as refusal:
                raise PgError("22023", refusal.reason, hint=refusal.hint) from None
        return known


def path(value: str | None) -> tuple[str, ...]:
    """The schemas that `search_path` names; the user's own is not there.

    Example:
        >>> path('"$user", public'), path("Dummy,public"), path(""), path(None)
        (('public',), ('dummy', 'public'), (), ('public',))
    """
    names = [one.strip() for one in (_FREE["search_path"] if value is None else value).split(",")]
    found = [one[1:-1] if one[:1] == '"' == one[-1:] and len(one) > 1 else one.lower() for one in names]
    return tuple(one for one in found if one and one != "$user")


def assigned(text: str) -> tuple[str, str | None]:
    """What `SET name = value` sets: its name and value, None for DEFAULT.

    Example:
        >>> assigned("SET SESSION deniable.epsilon TO 0.5"), assigned("set time zone 'UTC'")
        (('deniable.epsilon', '0.5'), ('TimeZone', 'UTC'))
    """
    parts = [token for token in tokens(text) if token.kind != "space"][1:]
    if parts and parts[0].name in {"session", "local"}:
        parts = parts[1:]
    if [part.name for part in parts[:2]] == ["time", "zone"]:
        return "TimeZone", _value(parts[2:])
    if [part.name for part in parts[:1]] == ["names"]:
        return "client_encoding", _value(parts[1:])
    if [part.name for part in parts[:1]] == ["transaction"] or [part.name for part in parts[:1]] == ["characteristics"]:
        return "transaction_isolation", "read committed"
    at = next((place for place, part in enumerate(parts) if part.text == "=" or part.name == "to"), None)
    if at is None or at + 1 >= len(parts):
        if [part.name for part in parts[:1]] in (["role"], ["authorization"]):
            return ("role" if parts[0].name == "role" else "session_authorization"), _value(parts[1:])
        raise PgError("42601", "syntax error in SET", hint="Write SET name = value.")
    return "".join(part.name for part in parts[:at]), _value(parts[at + 1 :])


def _value(parts: list[Lexeme]) -> str | None:
    if [part.text.lower() for part in parts] == ["default"]:
        return None
    words = [_unquoted(part) for part in parts if part.text != ","]
    joint = "" if any(part.text in "-+." for part in parts) else ", "
    return joint.join(words) if any(part.text == "," for part in parts) else "".join(words)


def _unquoted(part: Lexeme) -> str:
    return part.text[1:-1].replace("''", "'") if part.kind == "string" else part.text


def _startup(given: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The settings of a startup packet; those in `options` are written as on PostgreSQL's command line."""
    for name, value in given.items():
        if name == "options":
            if left := _OPTION.sub("", value).strip():
                raise PgError("42601", f"invalid command-line argument for server process: {left}", fatal=True)
            for found in _OPTION.finditer(value):
                yield found[1].replace("-", "_"), re.sub(r"\\(.)", r"\1", found[2])
        elif name not in {"user", "database", "replication"} and not name.startswith("_pq_."):
            yield name, value


def _fixed(name: str) -> PgError:
    return PgError("55P02", f'parameter "{name}" cannot be changed')


def _alike(fixed: str, value: str) -> bool:
    """Whether a client sets what holds anyway."""
    return value.lower() == fixed.lower() or any({value.lower(), fixed.lower()} <= same for same in (_ON, _OFF))
