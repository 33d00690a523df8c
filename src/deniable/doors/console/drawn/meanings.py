"""What a change of the policy means for whoever asks, and for the people in the data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

from deniable.core.shown import plain

_CHANGE = re.compile(r"(?P<where>.*?):? (?P<what>\w+) (?P<old>\[.*?\]|\S+) -> (?P<new>\[.*\]|\S+)\Z")


def meaning(change: str) -> str:
    """One or two sentences; nothing, where the change says all there is to say.

    Example:
        >>> meaning('visits.age: bounds ["0", "110"] -> ["0", "95"]')
        'Less noise in sums and averages; what is outside counts as the nearest end.'
        >>> meaning("table visits: contribution 2 -> 4")
        'More rows of each person count, and the noise grows with them: 2 times as much.'
    """
    found = _CHANGE.match(change)
    if found is None:
        who = "analyst" if change.startswith("analyst ") else "data"
        return next(
            (words for (kind, ending), words in _ENDINGS.items() if kind == who and change.endswith(ending)), ""
        )
    explain = _MEANINGS.get(found["what"])
    if found["where"].startswith("analyst ") and found["what"] == "epsilon":
        explain = _SHARE
    return "" if explain is None else explain(found["old"], found["new"])


_ENDINGS = {
    ("data", " is gone"): "Nobody can ask about it any more; what was answered stays on record.",
    ("data", " is new"): "It can be asked about from the next question on.",
    ("analyst", " is gone"): "They can ask nothing more. What they have spent stays spent.",
    ("analyst", " is new"): "They can ask as soon as they have a token. What all analysts together may learn stays.",
}


def _bounds(old: str, new: str) -> str:
    before, after = _ends(old), _ends(new)
    if after is None:
        return "Without bounds it can be counted and compared, and no longer added up."
    if isinstance(after[0], date):
        return "What is outside counts as the nearest end; an answer by it has a line for each part of the calendar."
    if before is None:
        return "Now it can be added up and averaged; what is outside counts as the nearest end."
    if after[0] >= before[0] and after[1] <= before[1]:
        return "Less noise in sums and averages; what is outside counts as the nearest end."
    if after[0] <= before[0] and after[1] >= before[1]:
        return "More noise in sums and averages; fewer values are cut off."
    return "Other values are cut off, and the noise in sums and averages changes with the larger end."


def _contribution(old: str, new: str) -> str:
    before, after = _fraction(old), _fraction(new)
    if not before or not after:
        return ""
    if after > before:
        return f"More rows of each person count, and the noise grows with them: {plain(after / before)} times as much."
    return f"Fewer rows of each person count, and the noise falls with them: to {100 * float(after / before):.0f}%."


def _either(more: str, less: str) -> Callable[[str, str], str]:
    """What a larger number means, and a smaller one."""

    def explained(old: str, new: str) -> str:
        before, after = _fraction(old), _fraction(new)
        if before is None or after is None:
            return ""
        return more if after > before else less

    return explained


def _always(words: str) -> Callable[[str, str], str]:
    return lambda _old, _new: words


_MEANINGS: dict[str, Callable[[str, str], str]] = {
    "bounds": _bounds,
    "contribution": _contribution,
    "keys": _either(
        "One person counts in more groups, with more noise in each.",
        "One person counts in fewer groups, with less noise in each.",
    ),
    "most_rows": _always("Where tables are joined, so many rows of one person count at most."),
    "epsilon": _either(
        "More could be learned about everybody in the data.",
        "Less can be learned about anybody in the data, by all analysts together; and less can be asked.",
    ),
    "values": _always(
        "An answer by it has a line for each of these values, also where nobody is; other values count as missing."
    ),
    "step": _always("Values are rounded to it before they are added up: a coarser step, a coarser sum."),
    "nulls": _always("Whether an answer by it has a line for what is missing."),
    "type": _always("It is read, compared and shown as this from now on."),
    "least_spend": _always("Cheaper questions are refused: so nobody can ask any number of them."),
    "most_spend": _always("Dearer questions are refused: so nobody uses up an account with one."),
    "answer_size": _always("Answers with more numbers than that are refused."),
    "questions_per_day": _always("So many charges an analyst has on one day, whatever they cost."),
}
"""By what the ledger calls it."""
_SHARE = _either(
    "They can ask more, or more exactly. What all analysts together may learn stays as it is.",
    "They can ask less. What they have spent stays spent.",
)


def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(text.strip('"'))
    except (ValueError, ZeroDivisionError):
        return None


def _ends(text: str) -> tuple[Any, Any] | None:
    """Both bounds, as numbers or as days; None, where there are none."""
    try:
        low, high = json.loads(text)
        if (number := _fraction(low)) is not None:
            return number, _fraction(high)
        return date.fromisoformat(low[:10]), date.fromisoformat(high[:10])
    except (ValueError, TypeError, AttributeError):
        return None
