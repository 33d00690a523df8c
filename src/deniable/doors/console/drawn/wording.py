"""What the ledger and the counters keep in short, said in words."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from deniable.core.shown import at_least, plain

_CHANGE = re.compile(r"(?P<what>.*?) (?P<old>\[.*?\]|\S+) -> (?P<new>\[.*\]|\S+)\Z")
_COUNTED = re.compile(
    r'deniable_requests_total\{ended="(?P<ended>[a-z]+)",kind="(?P<kind>[a-z-]+)".*\} (?P<many>\d+)\Z'
)
_WORDS = {
    ": contribution": ": contribution (the most rows of one person that count)",
    ": keys": ": keys (the most groups in which one person counts)",
    ": most_rows": ": most_rows (of one person, in a join)",
}
_KINDS = {
    "ask": "questions",
    "batch": "batches of questions",
    "release": "workloads, by analysts",
    "publish": "releases, by custodians",
    "anonymize": "anonymized tables",
    "explain": "prices of questions",
    "price-release": "prices of releases",
    "find": "looks for a recorded answer",
    "describe": "looks at the columns of an answer",
    "catalogue": "looks at the catalogue, from psql and other tools",
    "budget": "looks at budgets",
    "history": "looks at histories",
    "ledger": "looks at the ledger",
    "verify": "checks of the ledger",
    "export": "exports of the ledger",
    "consider": "drafts of the policy",
    "request": "requests for more",
    "requests": "looks at requests",
    "reply": "answers to requests",
    "tokens": "looks at tokens",
    "give-token": "tokens given",
    "revoke-token": "tokens ended",
    "titles": "looks at names of questions",
    "name": "names of questions",
    "profile": "looks at the profile",
    "check": "checks of the files",
    "orders": "looks at what was made before",
}


def in_words(change: str) -> str:
    """A change as the ledger keeps it, for people.

    Example:
        >>> in_words('visits.age: bounds ["0", "110"] -> ["0", "95"]')
        'visits.age: bounds were 0 to 110, and are 0 to 95'
        >>> in_words("budget: epsilon 1 -> 1/2")
        'budget: epsilon was 1, and is 0.5'
        >>> in_words('analyst bob: epsilon "1" -> "9/10"')
        'analyst bob: epsilon was 1, and is 0.9'
        >>> in_words("table stays: is new")
        'table stays: is new'
    """
    found = _CHANGE.match(change)
    if found is None:
        return change
    old, new = _value(found["old"]), _value(found["new"])
    what = found["what"]
    for short, long in _WORDS.items():
        what = what.removesuffix(short) + long if what.endswith(short) else what
    many = found["old"].startswith("[") or found["new"].startswith("[")
    return f"{what} {'were' if many else 'was'} {old}, and {'are' if many else 'is'} {new}"


def begun(terms: Mapping[str, Any]) -> list[str]:
    """What an account's numbers meant when it began."""
    budget, tables = terms.get("budget", {}), terms.get("tables", {})
    epsilon, delta = budget.get("epsilon", "0"), budget.get("delta", "0")
    found = [f"The budget is ε {_number(epsilon)}{f' and δ {_number(delta)}' if Fraction(delta) else ''}."]
    for name, table in tables.items():
        if table.get("public"):
            found.append(f"{name} is public, and protects nobody.")
            continue
        whom = f"whoever {table['unit']} names" if table.get("unit") else "each row by itself"
        rows = table.get("contribution", 1)
        each = "1 row that counts" if rows == 1 else f"{rows} rows that count"
        found.append(f"{name} protects {whom}, with at most {each}.")
    return [*found, *(f"{name} has a share of ε {_number(one['epsilon'])}." for name, one in _shares(terms))]


@dataclass(frozen=True, slots=True)
class CountedKind:
    """Requests of one kind, by how they ended."""

    words: str
    done: int
    refused: int
    failed: int
    """Or cancelled, by whoever asked."""


def counted(lines: Sequence[str]) -> list[CountedKind]:
    """Requests by kind, those that failed and the most frequent first."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in lines:
        if (one := _COUNTED.match(line)) is not None:
            found[one["kind"]][one["ended"]] += int(one["many"])
    kinds = [
        CountedKind(_KINDS.get(kind, kind), ends["done"], ends["refused"], ends["failed"] + ends["cancelled"])
        for kind, ends in found.items()
    ]
    return sorted(kinds, key=lambda one: (-one.failed, -one.refused, -one.done))


def number_of(lines: Sequence[str], name: str) -> int:
    """All of one counter together."""
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"deniable_{name}"))


def _shares(terms: Mapping[str, Any]) -> list[tuple[str, Mapping[str, str]]]:
    return list(terms.get("analysts", {}).items())


def _value(text: str) -> str:
    try:
        values = json.loads(text) if text.startswith(("[", '"')) else None
    except ValueError:
        return text
    if isinstance(values, list):
        shown = [_number(str(one)) for one in values]
        return " to ".join(shown) if len(shown) == 2 else ", ".join(shown)  # noqa: PLR2004 - both bounds
    return _number(values if isinstance(values, str) else text)


def _number(text: str) -> str:
    try:
        return plain(Fraction(text)) if "." in text or "/" in text else str(at_least(Fraction(text)))
    except (ValueError, ZeroDivisionError):
        return text
