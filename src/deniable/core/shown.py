"""Numbers and labels as people read them: rounded to their error, with nothing that a terminal would obey.

Rounded for reading only: whoever computes takes the numbers themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, floor, inf, isfinite, isnan, log10

_ONE_DIGIT_FROM = 3.55
"""An error that starts with less keeps two digits, and one that starts with more keeps one (the rule of the Particle
Data Group's reviews); before the decimal point it keeps two."""
_LOPSIDED = 0.8
"""An interval whose shorter side is less than this part of the longer one is written with both its ends."""
_LARGE, _SMALL = 1e12, 1e-4
"""Beyond these, numbers are written with an exponent."""
_IN_FULL = 1000
_BEYOND = 10**30
_DIGITS = 4


def measured(
    value: float | None, low: float | None = None, high: float | None = None, *, whole: bool = False
) -> tuple[str, str]:
    """A number, and behind it how far off it may be: rounded to one or two digits of the error; whole ones stay whole.

    Example:
        >>> measured(6.06, 5.2287, 6.8913), measured(1234567, 1234561, 1234573, whole=True)
        (('6.1', '± 0.8'), ('1,234,567', '± 6'))
        >>> measured(20.0, 3.1, 20.0), measured(1.5e-7, 1.2e-7, 1.8e-7)
        (('20', '(3 to 20)'), ('1.50e-7', '± 0.30e-7'))
    """
    if value is None or isnan(value):
        return "NULL", ""
    if low is None or high is None or isnan(low) or isnan(high):
        return (f"{round(value):,}" if whole else plain(value)), ""
    if whole:
        least, most = floor(low) if isfinite(low) else low, ceil(high) if isfinite(high) else high
        return f"{round(value):,}", _suffix(value, least, most, lambda number: f"{round(number):,}")
    half = (high - low) / 2 or max(value - low, high - value)
    if not isfinite(half) or half <= 0:
        return plain(value), _suffix(value, low, high, plain)
    power = _exponent(max(abs(value), half))
    power = power if power >= round(log10(_LARGE)) or power < round(log10(_SMALL)) else 0
    first = _exponent(half)
    place = first - (first - power > 0 or half / 10.0**first < _ONE_DIGIT_FROM)

    def rounded(number: float) -> str:
        scaled = round(number, -place) / 10.0**power
        text = f"{scaled + 0.0:,.{max(0, power - place)}f}"  # + 0.0: no minus before a zero
        return f"{text}e{power}" if power else text

    return rounded(value), _suffix(value, low, high, rounded)


def many(number: int) -> str:
    """A count in full; in words where it is beyond reading (Python does not write numbers of thousands of digits).

    Example:
        >>> many(1234567), many(10**5000)
        ('1,234,567', 'very many')
    """
    return f"{number:,}" if number < _BEYOND else "very many"


def error(size: float) -> str:
    """Plus or minus so much, to two digits at most; what is whole and below a thousand is written in full.

    Example:
        >>> error(6.0), error(0.8313), error(12345.6), error(float("inf"))
        ('± 6', '± 0.8', '± 12,000', '± ∞')
    """
    if isfinite(size) and size == round(size) and size < _IN_FULL:
        return f"± {round(size)}"
    return f"± {measured(size, 0.0, 2 * size)[0]}"


def plain(number: float | Fraction) -> str:
    """A number alone, to four digits.

    Example:
        >>> plain(1000.0), plain(0.123456), plain(123456.7), plain(1e-9), plain(float("inf"))
        ('1,000', '0.1235', '123,457', '1e-9', '∞')
    """
    if isinstance(number, float) and not isfinite(number):
        return "NULL" if isnan(number) else "∞" if number == inf else "-∞"
    if float(10**_DIGITS) <= abs(float(number)) < _LARGE:
        return f"{float(number):,.0f}"
    return _written(Context(prec=_DIGITS), Fraction(number))


def at_most(number: Fraction | float) -> str:
    """What was spent, to four digits, rounded up: privacy is never overstated.

    Example:
        >>> at_most(Fraction(1, 3)), at_most(Fraction(1, 2)), at_most(Fraction(1, 10**7))
        ('0.3334', '0.5', '1e-7')
    """
    return _written(Context(prec=_DIGITS, rounding=ROUND_CEILING), Fraction(number))


def at_least(number: Fraction | float) -> str:
    """What is left, to four digits, rounded down: so much can be spent indeed.

    Example:
        >>> at_least(Fraction(2, 3)), at_least(0)
        ('0.6666', '0')
    """
    return _written(Context(prec=_DIGITS, rounding=ROUND_FLOOR), Fraction(number))


def label(value: object) -> str:
    r"""A key as it is, without thousands: years stay years. A text that could be mistaken for something else is quoted.

    Example:
        >>> [label(value) for value in (None, "NULL", "", 2025, True, "a\x1b[31m\n")]
        ['NULL', "'NULL'", "''", '2025', 'true', 'a\\x1b[31m\\n']
    """
    if value is None or (isinstance(value, float) and isnan(value)):
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.15g}"
    text = str(value)
    return f"'{text}'" if text in ("", "NULL") else printable(text)


def printable(text: str) -> str:
    """The text with escapes for whatever is not a visible character: a terminal must not obey a name."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def percent(confidence: Fraction) -> str:
    """A confidence in percent, with as many digits as it has.

    Example:
        >>> percent(Fraction(95, 100)), percent(Fraction(9999, 10000))
        ('95%', '99.99%')
    """
    return f"{float(confidence * 100):.10g}%"


def _suffix(value: float, low: float, high: float, rounded: Callable[[float], str]) -> str:
    """Plus or minus the farther end; of a lopsided interval, both ends."""
    below, above = value - low, high - value
    if below == above == 0:
        return ""
    if min(below, above) >= _LOPSIDED * max(below, above) or (not isfinite(below) and not isfinite(above)):
        return f"± {rounded(max(below, above))}" if isfinite(max(below, above)) else "± ∞"
    ends = [rounded(end) if isfinite(end) else "∞" if end > 0 else "-∞" for end in (low, high)]
    return f"({ends[0]} to {ends[1]})"


def _exponent(number: float) -> int:
    """The power of ten of the first digit."""
    return int(f"{number:e}".partition("e")[2])


def _written(context: Context, number: Fraction) -> str:
    """A fraction by the rules of a decimal context; no digits that say nothing."""
    found = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    if found == 0:
        return "0"
    digits = found.normalize(context)
    if _SMALL <= abs(digits) < _LARGE:
        return f"{digits:,f}"
    power = digits.adjusted()
    return f"{digits.scaleb(-power).normalize(context):f}e{power}"
