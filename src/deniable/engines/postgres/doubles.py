"""Doubles in PostgreSQL, which raises where IEEE 754 has an infinity, and where a result is too small to be one.

Each guard gives what IEEE gives, to the last bit, and each arm of it is total by itself: PostgreSQL computes constants
before it knows which arm is taken. Operands are bound by a sub-select that is not pulled up, so that they are spelled
once and no arm is constant.

Why the products are right: scaled by powers of two, which is exact, they can neither overflow nor vanish, and are
rounded as the product itself would be, had exponents no ends; so they say on which side of an end it lies.
"""

from __future__ import annotations

from fractions import Fraction

INFINITY, MINUS_INFINITY, _ZERO = "'Infinity'::float8", "'-Infinity'::float8", "'0'::float8"
_MOST = "'1.7976931348623157e308'"


def bound(body: str, **operands: str) -> str:
    """A value that is computed from operands, each of which is spelled once. In the body they stand as q.name."""
    listed = ", ".join(f"{value} AS {name}" for name, value in operands.items())
    return f"(SELECT {body} FROM (SELECT {listed} OFFSET 0) AS q)"  # noqa: S608 - our own algebra


def power_of_two(exponent: int) -> str:
    """2 to a whole power, exactly."""
    return f"'{float(Fraction(2) ** exponent)!r}'::float8"


def _signed(size: str) -> str:
    """With the sign of a product or a quotient."""
    return f"CASE WHEN (q.a < 0) = (q.b < 0) THEN {size} ELSE -{size} END"


def added(sign: str, one: str, other: str) -> str:
    """Only two large numbers that draw the same way overflow; their halves do not."""
    same = "(q.a > 0) = (q.b > 0)" if sign == "+" else "(q.a > 0) <> (q.b > 0)"
    large = f"abs(q.a) BETWEEN '1e290' AND {_MOST} AND abs(q.b) BETWEEN '1e290' AND {_MOST}"
    beyond = f"abs(q.a / 2 {sign} q.b / 2) >= {power_of_two(1023)}"
    over = f"CASE WHEN q.a > 0 THEN {INFINITY} ELSE {MINUS_INFINITY} END"
    inner = f"CASE WHEN {beyond} THEN {over} ELSE q.a {sign} q.b END"
    return bound(f"CASE WHEN {large} AND {same} THEN {inner} ELSE q.a {sign} q.b END", a=one, b=other)


def _between(low: int, high: int, *names: str) -> str:
    """Whether the sizes lie between two powers of two."""
    return " AND ".join(f"abs(q.{name}) BETWEEN {power_of_two(low)} AND {power_of_two(high)}" for name in names)


def multiplied(one: str, other: str) -> str:
    """Overflows if both are large, vanishes if both are small."""
    odd = "q.a = 0 OR q.b = 0 OR abs(q.a) >= 'Infinity' OR abs(q.b) >= 'Infinity'"
    down, up = power_of_two(-512), power_of_two(600)
    large = f"abs((q.a * {down}) * (q.b * {down})) >= 1"
    small = f"abs((q.a * {up}) * (q.b * {up})) <= {power_of_two(125)}"
    return bound(
        f"CASE WHEN q.a IS NULL OR q.b IS NULL THEN NULL "
        f"WHEN {_between(-500, 500, 'a', 'b')} OR {odd} OR (abs(q.a) >= 1) <> (abs(q.b) >= 1) THEN q.a * q.b "
        f"WHEN abs(q.a) >= 1 THEN CASE WHEN {large} THEN {_signed(INFINITY)} ELSE q.a * q.b END "
        f"WHEN {small} THEN {_signed(_ZERO)} ELSE q.a * q.b END",
        a=one,
        b=other,
    )


def divided(one: str, other: str) -> str:
    """By what is not zero. Can overflow if the divisor is below one, and vanish if it is above."""
    odd = "q.a = 0 OR abs(q.a) >= 'Infinity' OR abs(q.b) >= 'Infinity'"
    far = f"abs((q.a * {power_of_two(-600)}) / (q.b * {power_of_two(600)})) >= {power_of_two(-176)}"
    near = f"abs((q.a * {power_of_two(-300)}) / (q.b * {power_of_two(600)})) >= {power_of_two(124)}"
    small = f"abs((q.a * {power_of_two(600)}) / (q.b * {power_of_two(-500)})) <= {power_of_two(25)}"
    return bound(
        f"CASE WHEN q.a IS NULL OR q.b IS NULL THEN NULL WHEN {_between(-500, 500, 'a', 'b')} OR {odd} THEN q.a / q.b "
        f"WHEN abs(q.b) < 1 THEN CASE WHEN abs(q.a) >= {power_of_two(500)} "
        f"THEN CASE WHEN {far} THEN {_signed(INFINITY)} ELSE q.a / q.b END "
        f"WHEN abs(q.a) >= {power_of_two(-400)} AND abs(q.b) <= {power_of_two(-500)} "
        f"THEN CASE WHEN {near} THEN {_signed(INFINITY)} ELSE q.a / q.b END ELSE q.a / q.b END "
        f"WHEN abs(q.a) >= {power_of_two(-50)} THEN q.a / q.b "
        f"WHEN {small} THEN {_signed(_ZERO)} ELSE q.a / q.b END",
        a=one,
        b=other,
    )


def exponential(value: str) -> str:
    """Beyond the logarithms of the largest and the smallest double; the smallest ones in two steps."""
    low = "exp(q.x + 100) * '3.720075976020836e-44'::float8"
    return bound(
        f"CASE WHEN q.x > 'Infinity' THEN q.x WHEN q.x > '709.782712893384' THEN {INFINITY} "
        f"WHEN q.x < '-745.1' THEN {_ZERO} WHEN q.x < '-708' THEN {low} WHEN q.x IS NOT NULL THEN exp(q.x) END",
        x=value,
    )


def raised(base: str, exponent: str) -> str:
    """IEEE's pow. NULL where that is NaN. Near the ends of the doubles, the square of half the power."""
    odd = "(abs(q.b) < 9007199254740992 AND q.b = floor(q.b) AND floor(q.b / 2) * 2 <> q.b)"
    size = "q.l"
    half = "power(abs(q.a), q.b / 2)"
    tame = f"CASE WHEN abs(q.b) < '1e-10' OR abs({size}) < 700 THEN power(q.a, q.b)"
    over = f"WHEN {size} > 709.79 OR {size} > 0 AND {half} > '1.3407807929942596e154' THEN {{0}}"
    under = f"WHEN {size} < '-745.2' OR {size} < 0 AND {half} < '1.6e-162' THEN '0'::float8"
    near = f"WHEN q.a < 0 AND {odd} THEN -({half} * {half}) ELSE {half} * {half} END"
    signed = f"CASE WHEN q.a < 0 AND {odd} THEN {MINUS_INFINITY} ELSE {INFINITY} END"
    finite = f"{tame} {over.format(signed)} {under} {near}"
    zero = (
        f"CASE WHEN q.b > 0 THEN '0'::float8 WHEN {odd} AND CAST(q.a AS text) = '-0' THEN {MINUS_INFINITY} "
        f"ELSE {INFINITY} END"
    )
    endless = (
        f"CASE WHEN abs(q.b) < 'Infinity' THEN CASE WHEN q.b < 0 THEN '0'::float8 WHEN q.a < 0 AND {odd} "
        f"THEN {MINUS_INFINITY} ELSE {INFINITY} END "
        f"WHEN abs(q.a) = 1 THEN '1'::float8 WHEN (abs(q.a) > 1) = (q.b > 0) THEN {INFINITY} ELSE '0'::float8 END"
    )
    far = (
        f"CASE WHEN abs(q.a) = 1 THEN '1'::float8 WHEN (abs(q.a) > 1) = (q.b > 0) THEN {INFINITY} ELSE '0'::float8 END"
    )
    chosen = (
        "CASE WHEN q.a IS NULL OR q.b IS NULL THEN NULL WHEN q.b = 0 OR q.a = 1 THEN '1'::float8 "
        f"WHEN q.a = 0 THEN {zero} WHEN abs(q.a) >= 'Infinity' OR abs(q.b) >= 'Infinity' THEN {endless} "
        f"WHEN q.a < 0 AND q.b <> floor(q.b) THEN NULL WHEN abs(q.b) > '1e19' THEN {far} ELSE {finite} END"
    )
    # the logarithm, where it is needed: it must not raise where it is not
    plain = "q.a <> 0 AND abs(q.a) < 'Infinity' AND abs(q.b) BETWEEN '1e-10' AND '1e19'"
    log = f"CASE WHEN {plain} THEN q.b * ln(abs(q.a)) END"
    inner = f"(SELECT q.a AS a, q.b AS b, {log} AS l FROM (SELECT {base} AS a, {exponent} AS b OFFSET 0) AS q OFFSET 0)"  # noqa: S608 - our own algebra
    return f"(SELECT {chosen} FROM {inner} AS q)"  # noqa: S608 - same


def rounded(value: str, places: int) -> str:
    """Halves away from zero, of the scaled number; what is so large that it has no such places stays."""
    scale = f"'{10 ** abs(places)}'::float8"
    if places >= 0:
        scaled, back, whole = f"q.x * {scale}", f"/ {scale}", "abs(q.x) < '1e290'"
    else:
        scaled, back, whole = f"q.x / {scale}", f"* {scale}", "abs(q.x) BETWEEN '1e-10' AND '1e290'"
    near = "trunc(q.v) + CASE WHEN abs(q.v - trunc(q.v)) >= 0.5 THEN sign(q.v) ELSE 0 END"
    inner = (
        f"(SELECT q.x AS x, CASE WHEN {whole} THEN {scaled} END AS v FROM (SELECT {value} AS x OFFSET 0) AS q OFFSET 0)"  # noqa: S608 - our own algebra
    )
    small = "" if places >= 0 else "WHEN abs(q.x) < '1e-10' THEN '0'::float8 "
    return f"(SELECT CASE WHEN q.v IS NOT NULL THEN ({near}) {back} {small}ELSE q.x END FROM {inner} AS q)"  # noqa: S608 - same


def binary_logarithm(value: str) -> str:
    """The logarithm of what is positive, to base 2; exact of a power of two."""
    quotient = "ln(q.x) / '0.6931471805599453'::float8"
    whole = f"round({quotient})"
    power = f"CASE WHEN {quotient} BETWEEN -1000 AND 1000 THEN power('2'::float8, {whole}) END"
    return bound(f"CASE WHEN {power} = q.x THEN {whole} WHEN q.x > 0 THEN {quotient} END", x=value)


LARGEST = 2**1024 - 2**970
"""From here on, whatever rounds to a double is infinite."""


def from_numeric(value: str) -> str:
    """The nearest double of a decimal number of any size."""
    return bound(
        f"CASE WHEN abs(q.n) < {LARGEST} AND abs(q.n) > '{_SMALLEST}'::numeric THEN CAST(q.n AS float8) "
        f"WHEN q.n >= {LARGEST} THEN {INFINITY} WHEN q.n <= -{LARGEST} THEN {MINUS_INFINITY} "
        "WHEN q.n IS NOT NULL THEN '0'::float8 END",
        n=value,
    )


def _decimal(value: Fraction) -> str:
    """All digits of a fraction whose denominator is a power of two."""
    places = value.denominator.bit_length() - 1
    digits = str(value.numerator * 5**places)
    return f"0.{digits.zfill(places)}"


_SMALLEST = _decimal(Fraction(1, 2**1075))
"""Up to here, whatever rounds to a double is zero."""
