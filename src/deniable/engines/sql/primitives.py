"""The smallest parts of which every statement is put together, and under which condition each must be total.

A dialect spells them, in `primitives.py` of its own room. The shared code sees to the condition that stands beside each
here, the dialect to everything else. NULL makes NULL, unless something else is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from deniable.core.algebra.certain import CALENDAR_PARTS
from deniable.core.calendar import UNITS

PRIMITIVES: Mapping[str, str] = {
    **dict.fromkeys(("add", "subtract", "multiply", "negate", "absolute"), "of doubles; may give NaN and infinities"),
    "divide": "of doubles; the divisor is not zero",
    **dict.fromkeys(
        ("add_whole", "subtract_whole", "multiply_whole", "negate_whole", "absolute_whole"),
        "of whole numbers of 64 bits; so is the result",
    ),
    **dict.fromkeys(
        ("add_wide", "subtract_wide", "multiply_wide", "negate_wide", "absolute_wide"), "of widened whole numbers"
    ),
    "quotient_whole": "of whole numbers of 64 bits, towards zero; the divisor is not zero, and the result fits",
    "quotient_wide": "the same of widened ones",
    "remainder_whole": "with the sign of the dividend; as quotient_whole",
    "remainder_wide": "the same of widened ones",
    "quotient": "of doubles, cut towards zero; the divisor is not zero",
    "remainder": "of doubles, with the sign of the dividend; the divisor is not zero",
    "sign": "-1, 0 or 1, of a number of either kind",
    **dict.fromkeys(("floor", "ceiling", "truncate"), "of a double"),
    "nearest": "the whole number nearest to a double that is within 2^62",
    "sqrt": "of a double that is not negative",
    **dict.fromkeys(("ln", "log_2", "log_10"), "of a double that is positive"),
    **dict.fromkeys(("cube_root", "exp", "power"), "of doubles; may give NaN and infinities"),
    **dict.fromkeys(("least", "greatest"), "of values of one kind; NULLs are passed over"),
    **dict.fromkeys(("like", "like_any_case", "matches", "matches_fully"), "a text and a constant pattern"),
    **dict.fromkeys(("starts_with", "ends_with", "contains"), "of two texts"),
    **dict.fromkeys(("lower", "upper", "trim", "trim_start", "trim_end", "reverse"), "of a text"),
    **dict.fromkeys(("trim_characters", "trim_start_characters", "trim_end_characters"), "of two texts"),
    **dict.fromkeys(("length", "byte_length"), "of a text"),
    "substring": "a text, a place and a length, both within 2^31",
    "concat_with": "what stands between texts, then texts; those that are NULL are passed over",
    "replace": "in a text, one text by another",
    **dict.fromkeys(("fill_left", "fill_right"), "a text, a constant length below 2^31, what to fill with"),
    "split_part": "a text, what separates its parts, the constant place of one",
    "last": "a text, and a constant number of characters below 2^31",
    "position": "of one text in another; 0 if it is not there",
    "shortened": "the first so many characters of a text, of which few are longer",
    "first": "the first so many characters of a text that few rows have to themselves",
    "normal": "a text in Unicode's normal form C",
    **dict.fromkeys(CALENDAR_PARTS, "of a date, a timestamp or a time of day"),
    **{f"truncate_{unit}": "of a date or a timestamp; may lie before the calendar" for unit in UNITS},
    "later": "a timestamp, months and microseconds, which reach no farther than ten thousand years",
    "bucket": "a timestamp and the width of a bucket in microseconds; one begins with the first Monday of 2000",
    "moment": "the timestamp of so many microseconds, which lies in the calendar",
    "date": "the date of so many days, which lies in the calendar",
    "as_date": "the day of a timestamp",
    "as_timestamp": "the moment at which a day begins",
    "as_time": "the time of day of a timestamp",
}
"""What they are of, which is what the shared code promises about the arguments."""
VARIADIC = {"least": "LEAST", "greatest": "GREATEST", "concat_with": "CONCAT_WS"}
"""Those of any number of arguments: each engine calls them so."""
