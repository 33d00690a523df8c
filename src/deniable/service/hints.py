"""What a question says about its price in its own text: `SELECT /*+ epsilon=0.7 */ ...`."""

from __future__ import annotations

import re

from deniable.core.errors import Refused

_HINT = re.compile(r"/\*\+(.*?)\*/", re.DOTALL)
_PART = re.compile(r"\s*([A-Za-z_]+)\s*=\s*([^\s,;=]+)\s*[,;]?")
SPENDS = ("epsilon", "rho", "accuracy")
"""Of these a question has one."""
KNOWN = (*SPENDS, "delta", "confidence", "rows", "contribution", "simultaneous", "after")


def hinted(sql: str) -> tuple[str, dict[str, str]]:
    """The question with its hint blanked out, so that every place stays where it is; and what the hint says.

    Example:
        >>> hinted("SELECT /*+ epsilon=0.7 */ COUNT(*) FROM visits")
        ('SELECT                     COUNT(*) FROM visits', {'epsilon': '0.7'})
    """
    found = _HINT.search(_without_quotes(sql))
    if found is None:
        return sql, {}
    said, at = {}, 0
    text = sql[found.start(1) : found.end(1)]
    while text[at:].strip():
        part = _PART.match(text, at)
        if part is None or part[1].lower() not in KNOWN:
            start = found.start(1) + at
            raise Refused(
                "bad-spend",
                "The hint cannot be read.",
                f"Write, for example, /*+ epsilon=0.1 */; a hint may have: {', '.join(KNOWN)}.",
                (start, found.end(1)),
                sql,
            )
        said[part[1].lower()] = part[2]
        at = part.end()
    return sql[: found.start()] + " " * (found.end() - found.start()) + sql[found.end() :], said


def merged(*layers: dict[str, str]) -> dict[str, str]:
    """What holds when each layer yields to the ones before it: a spend of one kind hides spends of every other.

    Example:
        >>> merged({"rho": "0.1"}, {"epsilon": "1", "confidence": "0.9"})
        {'rho': '0.1', 'confidence': '0.9'}
    """
    found: dict[str, str] = {}
    for layer in layers:
        spent = any(key in found for key in SPENDS)
        found |= {key: value for key, value in layer.items() if key not in found and not (spent and key in SPENDS)}
    return found


def _without_quotes(sql: str) -> str:
    """The same length, with literals and plain comments blanked, in which nobody gives hints."""
    return re.sub(
        r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*(?!\+).*?\*/",
        lambda found: " " * len(found[0]),
        sql,
        flags=re.DOTALL,
    )
