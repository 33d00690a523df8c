"""What a question says about its price in its own text: `SELECT /*+ epsilon=0.7 */ ...`."""

from __future__ import annotations

import re

from deniable.core.errors import Refused

_OPENS, _CLOSES = "/*+", "*/"
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
    plain = _without_quotes(sql)
    start = plain.find(_OPENS)
    end = plain.find(_CLOSES, start + len(_OPENS))
    if start < 0 or end < 0:
        return sql, {}
    said, at = {}, start + len(_OPENS)
    text = sql[:end].rstrip()
    while at < len(text):
        part = _PART.match(text, at)
        if part is None or part[1].lower() not in KNOWN:
            raise Refused(
                "bad-spend",
                "The hint cannot be read.",
                f"Write, for example, /*+ epsilon=0.1 */; a hint may have: {', '.join(KNOWN)}.",
                (at, end),
                sql,
            )
        said[part[1].lower()] = part[2]
        at = part.end()
    past = end + len(_CLOSES)
    return sql[:start] + " " * (past - start) + sql[past:], said


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
    """The same length, with literals and plain comments blanked, in which nobody gives hints.

    What is never closed reaches to the end: so each character is looked at once, however many there are.
    """
    return re.sub(
        r"'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|--[^\n]*|/\*(?!\+).*?(?:\*/|\Z)",
        lambda found: " " * len(found[0]),
        sql,
        flags=re.DOTALL,
    )
