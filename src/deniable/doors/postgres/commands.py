"""What a statement is, by its first words: a question, or something about the connection itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deniable.doors.postgres.copying import copied
from deniable.doors.postgres.errors import PgError, unsupported
from deniable.doors.postgres.lexing import Statement, tokens

_WRITES = frozenset(
    [
        "INSERT",
        "UPDATE",
        "DELETE",
        "MERGE",
        "CREATE",
        "ALTER",
        "DROP",
        "TRUNCATE",
        "GRANT",
        "REVOKE",
        "COMMENT",
        "REINDEX",
        "CLUSTER",
        "VACUUM",
        "ANALYZE",
        "REFRESH",
        "LOCK",
        "IMPORT",
        "SECURITY",
        "REASSIGN",
        "CALL",
        "DO",
        "NOTIFY",
    ]
)
_ENDS = {"COMMIT": "COMMIT", "END": "COMMIT", "ROLLBACK": "ROLLBACK", "ABORT": "ROLLBACK"}
_FETCH = re.compile(
    r"\s*+(FETCH|MOVE)\s++(?:(?P<way>NEXT|FORWARD|ALL|FIRST|PRIOR|BACKWARD|LAST|ABSOLUTE|RELATIVE)\s++)?"
    r"(?P<count>ALL|\d{1,18}+)?\s*+(?:(?:FROM|IN)\s++)?(?P<name>\"[^\"]++\"|\w++)\s*+$",
    re.IGNORECASE,
)
"""Each part takes all that it can and gives nothing back: a long one is not read again and again."""


@dataclass(frozen=True, slots=True)
class Command:
    """A statement, understood as far as a connection must."""

    kind: str
    text: str = ""
    """The question in it, or what follows its first words."""
    start: int = 0
    """Where that begins in the statement."""
    name: str = ""
    count: int | None = None
    """Of FETCH: how many rows; None: all."""
    binary: bool = False
    hold: bool = False
    """Of DECLARE: whether the cursor outlives its transaction."""


def understood(statement: Statement) -> Command:  # noqa: PLR0911 - one line for each kind of statement
    """What the statement wants; what nobody here does is refused."""
    text, words = statement.text, statement.words
    first = words[0] if words else ""
    if first in {"SELECT", "WITH", "VALUES", "TABLE"} or (not first and text.lstrip().startswith("(")):
        return Command("select", text)
    if first in {"SET", "SHOW", "RESET", "DISCARD", "DECLARE", "FETCH", "MOVE", "CLOSE", "COPY", "EXPLAIN"}:
        return _READERS[first](text, words)
    if first in {"BEGIN", "START"}:
        return Command("begin")
    if first in _ENDS:
        back = first == "ROLLBACK" and "TO" in words
        return Command("savepoint", name="ROLLBACK") if back else Command("end", name=_ENDS[first])
    if first in {"SAVEPOINT", "RELEASE"}:
        return Command("savepoint", name=first)
    if first == "DEALLOCATE":
        return Command("deallocate", name=_last(text))
    if first in {"UNLISTEN", "LISTEN"}:
        return Command("nothing", name=first)
    if first in _WRITES:
        raise PgError("25006", f"cannot execute {first} in a read-only transaction", hint="Only SELECT is answered.")
    if first in {"PREPARE", "EXECUTE"}:
        raise unsupported(f"{first} is not supported as a statement.", "Use the driver's prepared statements.")
    place = next((token.start for token in tokens(text) if token.kind != "space"), 0)
    found = next((token.text for token in tokens(text) if token.kind != "space"), "")
    raise PgError("42601", f'syntax error at or near "{found}"', place=place)


def _explain(text: str, words: Sequence[str]) -> Command:
    if "ANALYZE" in words[:3] or "ANALYSE" in words[:3]:
        raise unsupported("EXPLAIN ANALYZE is not supported.", "EXPLAIN shows the price; running it is SELECT.")
    parts = [token for token in tokens(text) if token.kind != "space"]
    at = 2 if len(parts) > 1 and parts[1].name == "verbose" else 1
    if len(parts) > at and parts[at].text == "(":
        end = next((place for place in range(at, len(parts)) if parts[place].text == ")"), len(parts) - 1)
        options = {part.name for part in parts[at:end]}
        if options & {"analyze", "analyse", "json", "xml", "yaml"}:
            raise unsupported("EXPLAIN shows the price as text.", "Write EXPLAIN SELECT ... .")
        at = end + 1
    start = parts[at].start if len(parts) > at else len(text)
    return Command("explain", text[start:], start)


def _declare(text: str, words: Sequence[str]) -> Command:
    del words
    parts = [token for token in tokens(text) if token.kind != "space"]
    names = [part.name for part in parts]
    if "cursor" not in names or "for" not in names[names.index("cursor") :]:
        raise PgError("42601", "syntax error in DECLARE", hint="Write DECLARE name CURSOR FOR SELECT ... .")
    cursor = names.index("cursor")
    if "scroll" in names[:cursor] and "no" not in names[:cursor]:
        raise unsupported("Cursors go forward only.", "Write DECLARE name NO SCROLL CURSOR FOR ... .")
    behind = names.index("for", cursor)
    after, hold = parts[behind].end, names[cursor + 1 : behind] == ["with", "hold"]
    return Command("declare", text[after:], after, parts[1].name, binary="binary" in names[:cursor], hold=hold)


def _fetch(text: str, words: Sequence[str]) -> Command:
    found = _FETCH.match(text)
    if found is None:
        raise PgError("42601", f"syntax error in {words[0]}", hint="Write FETCH 100 FROM name.")
    way, count = (found["way"] or "").upper(), (found["count"] or "").upper()
    if way in {"FIRST", "PRIOR", "BACKWARD", "LAST", "ABSOLUTE", "RELATIVE"}:
        raise PgError("55000", "cursor can only scan forward", hint="Write FETCH 100 FROM name.")
    most = None if "ALL" in {way, count} else int(count) if count else 1
    name = found["name"]
    return Command(words[0].lower(), name=name[1:-1] if name[0] == '"' else name.lower(), count=most)


def _close(text: str, words: Sequence[str]) -> Command:
    del words
    return Command("close", name=_last(text))


def _copy(text: str, words: Sequence[str]) -> Command:
    del words
    question, start, _ = copied(text)
    return Command("copy", question, start)


def _plain(text: str, words: Sequence[str]) -> Command:
    return Command(words[0].lower(), text)


def _last(text: str) -> str:
    found = [token for token in tokens(text) if token.kind in {"word", "quoted"}]
    return found[-1].name if len(found) > 1 else ""


_READERS = {
    **dict.fromkeys(("SET", "SHOW", "RESET", "DISCARD"), _plain),
    **dict.fromkeys(("FETCH", "MOVE"), _fetch),
    "DECLARE": _declare,
    "CLOSE": _close,
    "COPY": _copy,
    "EXPLAIN": _explain,
}
