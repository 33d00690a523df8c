"""What a text says, as a value of another kind: one grammar for all engines, each of which reads more by itself.

The patterns are regular expressions that every engine understands alike; what does not match says nothing, and is NULL.
A number is rounded to a whole one with halves away from zero; what is too long for 64 bits is NULL. What no double can
hold is infinite, or zero. A day must be in its month.
"""

from __future__ import annotations

from deniable.core.algebra.expression import Kind

SPACE = "[ \\t\\n\\r\\f]*"
_PLAIN = "[0-9]+([.][0-9]*)?|[.][0-9]+"
_SCALED = "([0-9]{1,15}([.][0-9]{0,30})?|[.][0-9]{1,30})[eE][+-]?[0-9]{1,3}"
_DIGITS = f"[+-]?({_PLAIN}|{_SCALED})"
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?"
_DAY = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"

NUMBER = f"^{SPACE}{_DIGITS}{SPACE}$"
INFINITE = f"^{SPACE}[+-]?([iI][nN][fF]|[iI][nN][fF][iI][nN][iI][tT][yY]){SPACE}$"
TIMESTAMP = f"^{SPACE}{_DAY}([T ]{_CLOCK})?{SPACE}$"
TIME = f"^{SPACE}{_CLOCK}{SPACE}$"
TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
"""In capital letters, too."""

READS: dict[Kind, str] = {
    Kind.INTEGER: NUMBER,
    Kind.NUMBER: f"{NUMBER}|{INFINITE}",
    Kind.DATE: TIMESTAMP,
    Kind.TIMESTAMP: TIMESTAMP,
    Kind.TIME: TIME,
}
"""What a text must look like to be read as each kind; the day of a moment is a date. Truths are listed above."""
