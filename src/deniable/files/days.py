"""How a CSV file writes its days, shown by one of them: the parts of 31 December 2025 cannot be mistaken."""

from __future__ import annotations

import re

_PLACES = {"2025": "year", "12": "month", "31": "day"}
_SHOWN = re.compile(r"(2025|31|12)([ ./-]?)(12|31)\2(2025|31)")
_ISO = r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}(\s.*|T.*)?"
_FIRST_OR_SECOND = re.compile(r"\s*([0-9]{1,2})([./-])([0-9]{1,2})\2[0-9]{4}(\s.*)?")
_LAST_MONTH = 12


def is_shown(example: str) -> bool:
    """Whether this is 31 December 2025, with the same sign, or none, between its parts, and the month not at the end.

    Example:
        >>> [is_shown(example) for example in ("31.12.2025", "12/31/2025", "20251231", "31.12.25", "1.12.2025")]
        [True, True, True, False, False]
    """
    found = _SHOWN.fullmatch(example)
    return found is not None and {found[1], found[3], found[4]} == set(_PLACES)


def as_iso(cell: str, example: str) -> str:
    """SQL for a text that has a day as in the example, and maybe a time of day behind it: with 2025-12-31 instead.

    What has 2025-12-31 already stays. Any other text becomes a mark that is no day: nothing is read in another order
    than the policy says.
    """
    found = _SHOWN.fullmatch(example)
    if found is None:
        raise ValueError(example)
    parts, sign = (found[1], found[3], found[4]), found[2]
    short = "{1,2}" if sign else "{2}"
    digits = ("([0-9]{4})" if part == "2025" else f"([0-9]{short})" for part in parts)
    pattern = rf"^\s*{re.escape(sign).join(digits)}(\s+\S.*?)?\s*$"
    place = {_PLACES[part]: number for number, part in enumerate(parts, 1)}

    def cut(part: str) -> str:
        return f"lpad(regexp_extract({cell}, '{pattern}', {place[part]}), 2, '0')"

    year = f"regexp_extract({cell}, '{pattern}', {place['year']})"
    time = f"regexp_extract({cell}, '{pattern}', 4)"
    day = f"concat({year}, '-', {cut('month')}, '-', {cut('day')}, {time})"
    kept = f"{cell} IS NULL OR regexp_full_match({cell}, '{_ISO}')"
    return f"CASE WHEN {kept} THEN {cell} WHEN regexp_full_match({cell}, '{pattern}') THEN {day} ELSE '?' END"


def shown_by(cells: list[str]) -> str | None:
    """31 December 2025, as these cells would write it; None if they are no days, or could be read both ways.

    Those among them that write 2025-12-31 say nothing: they are read in any case.

    Example:
        >>> shown_by(["3.4.2025", "7.4.2025"]), shown_by(["3/14/2025 10:30", "2025-04-03"]), shown_by(["3/4/2025"])
        ('31.12.2025', '12/31/2025', None)
    """
    found = [_FIRST_OR_SECOND.fullmatch(cell) for cell in cells if not re.fullmatch(_ISO, cell)]
    days = [one for one in found if one is not None]
    signs = {one[2] for one in days}
    if not days or len(days) < len(found) or len(signs) > 1:
        return None
    (sign,) = signs
    first, second = (max(int(one[group]) for one in days) > _LAST_MONTH for group in (1, 3))
    if second:
        return None if first else f"12{sign}31{sign}2025"
    return f"31{sign}12{sign}2025" if first or sign == "." else None
