"""PostgreSQL's types: their numbers, and values of them as text and in binary."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from math import isinf, isnan

from deniable.core.algebra.expression import Kind
from deniable.doors.postgres.errors import PgError, unsupported

Value = object
BOOL, CHAR, NAME, INT8, INT2, INT4, TEXT, OID = 16, 18, 19, 20, 21, 23, 25, 26
FLOAT4, FLOAT8, UNKNOWN, BPCHAR, VARCHAR, DATE, TIME, TIMESTAMP = 700, 701, 705, 1042, 1043, 1082, 1083, 1114
NUMERIC = 1700
_TEXTS = {CHAR, NAME, TEXT, UNKNOWN, BPCHAR, VARCHAR, 0, 114}
_SIZES = {BOOL: 1, CHAR: 1, NAME: 64, INT8: 8, INT2: 2, INT4: 4, OID: 4, FLOAT4: 4, FLOAT8: 8, DATE: 4, TIMESTAMP: 8}
_SIZES |= {TIME: 8}
ARRAYS = {1000: BOOL, 1005: INT2, 1007: INT4, 1009: TEXT, 1016: INT8, 1021: FLOAT4, 1022: FLOAT8, 1028: OID}
ARRAYS |= {1003: NAME, 1015: VARCHAR, 1115: TIMESTAMP, 1182: DATE, 1183: TIME, 1231: NUMERIC}
"""Arrays, and what is in them."""
ARRAY_OF = {element: oid for oid, element in ARRAYS.items()}
_FORMS = {INT2: "!h", INT4: "!i", INT8: "!q", OID: "!I", FLOAT4: "!f", FLOAT8: "!d"}
_DAY_ZERO, _TIME_ZERO = date(2000, 1, 1), datetime(2000, 1, 1)  # noqa: DTZ001 - a time without a zone
_MICROSECOND = timedelta(microseconds=1)
_DIGITS, _POSITIVE, _NEGATIVE = 4, 0x0000, 0x4000

OF_KIND = {Kind.INTEGER: INT8, Kind.NUMBER: FLOAT8, Kind.TEXT: TEXT, Kind.BOOLEAN: BOOL, Kind.DATE: DATE}
OF_KIND |= {Kind.TIMESTAMP: TIMESTAMP, Kind.TIME: TIME}
"""What the policy's kinds are called here; a kind that is not among them is a text."""


def oid_of(kind: Kind) -> int:
    """The type in which values of a kind are sent."""
    return OF_KIND.get(kind, TEXT)


def size_of(oid: int) -> int:
    """In bytes; -1 where it varies."""
    return _SIZES.get(oid, -1)


def to_text(value: Value) -> bytes | None:
    r"""As PostgreSQL writes it.

    Example:
        >>> to_text(True), to_text(3.0), to_text(0.1), to_text(None), to_text(["a", None, 'b"c'])
        (b't', b'3', b'0.1', None, b'{a,NULL,"b\\"c"}')
    """
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return ("{" + ",".join(_element(one) for one in value) + "}").encode()
    return _written(value).encode("utf-8", "replace")


def to_binary(value: Value, oid: int) -> bytes | None:
    r"""In the type's binary form.

    Example:
        >>> to_binary(7, INT8), to_binary(date(2000, 1, 2), DATE), to_binary("x", TEXT)
        (b'\x00\x00\x00\x00\x00\x00\x00\x07', b'\x00\x00\x00\x01', b'x')
    """
    if value is None:
        return None
    if oid in _TEXTS:
        return to_text(value)
    if oid in ARRAYS:
        return _array(value, ARRAYS[oid])  # type: ignore[arg-type]  # a list, by its type
    if (write := _WRITERS.get(oid)) is None:
        raise unsupported(f"There is no binary form of the type {oid} here.", "Ask for text.")
    try:
        return write(value)
    except (struct.error, TypeError, ValueError, OverflowError):
        raise PgError("22003", "A value is out of the range of its type.") from None


def from_wire(raw: bytes | None, oid: int, *, binary: bool) -> Value:
    """A parameter's value; what is not one of its type is refused."""
    if raw is None:
        return None
    try:
        if not binary or oid in _TEXTS:
            return _read(raw.decode(), oid)
        if oid in _READERS:
            return _READERS[oid](raw)
        if oid in ARRAYS:
            return _from_array(raw)
    except (struct.error, UnicodeDecodeError, ValueError, InvalidOperation, OverflowError, IndexError):
        raise PgError("22P02", f"A parameter is not a value of its type ({oid}).") from None
    raise unsupported(f"Parameters of the type {oid} are not supported in binary.", "Send them as text.")


def _read(text: str, oid: int) -> Value:  # noqa: PLR0911 - same
    """From its text form."""
    if oid in {INT2, INT4, INT8, OID}:
        return int(text)
    if oid in {FLOAT4, FLOAT8}:
        return float(text)
    if oid == NUMERIC:
        return Decimal(text)
    if oid == BOOL:
        return _BOOLEANS[text.strip().lower()] if text.strip().lower() in _BOOLEANS else _not_boolean()
    if oid == DATE:
        return day(text)
    if oid in {TIMESTAMP, TIME}:
        return datetime.fromisoformat(text) if oid == TIMESTAMP else time.fromisoformat(text)
    if oid in ARRAYS:
        return [_read(one, ARRAYS[oid]) for one in elements(text)]
    return text


def day(text: str) -> date:
    """A day; behind it a time or a zone may stand, as some drivers send them, and is not read.

    Example:
        >>> day("2025-02-01 +01"), day("2025-02-01T00:00:00Z")
        (datetime.date(2025, 2, 1), datetime.date(2025, 2, 1))
    """
    found = re.fullmatch(r"\s*(\d{4}-\d\d-\d\d)(?:[ T+-][\d:.+\- ]*Z?)?\s*", text)
    if found is None:
        raise ValueError
    return date.fromisoformat(found[1])


_BOOLEANS = {
    **dict.fromkeys(("t", "true", "y", "yes", "on", "1"), True),
    **dict.fromkeys(("f", "false", "n", "no", "off", "0"), False),
}


def _not_boolean() -> bool:
    raise ValueError


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, float):
        if isnan(value) or isinf(value):
            return "NaN" if isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return repr(value).removesuffix(".0")
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    return str(value)


def _element(value: Value) -> str:
    """One entry of an array, in quotes where it needs them."""
    if value is None:
        return "NULL"
    text = _written(value)
    plain = text and text.upper() != "NULL" and not set(text) & set('{},"\\ \t\n\r')
    return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def elements(text: str) -> list[str]:
    """The entries of an array of one dimension, as a client writes it."""
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError
    found: list[str] = []
    entry, quoted, escaped, begun = "", False, False, False
    for one in text[1:-1]:
        if escaped:
            entry, escaped = entry + one, False
        elif one == "\\":
            escaped = True
        elif one == '"':
            quoted, begun = not quoted, True
        elif one == "," and not quoted:
            found.append(entry)
            entry = ""
        elif one in "{}" and not quoted:
            raise ValueError  # an array of arrays
        else:
            entry += one
    return [*found, entry] if entry or found or begun else []


def _numeric(value: Value) -> bytes:
    """A decimal number in digits of ten thousand."""
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    if not number.is_finite():
        return struct.pack("!hhHh", 0, 0, 0xC000, 0)
    sign, digits, exponent = number.as_tuple()
    scale = max(0, -int(exponent))
    text = "".join(map(str, digits)) + "0" * max(0, int(exponent))
    whole, part = (text[:-scale], text[-scale:].rjust(scale, "0")) if scale else (text, "")
    whole = whole.rjust(-(-len(whole) // _DIGITS) * _DIGITS, "0")
    part = part.ljust(-(-len(part) // _DIGITS) * _DIGITS, "0")
    words = [int((whole + part)[at : at + _DIGITS]) for at in range(0, len(whole + part), _DIGITS)]
    weight = len(whole) // _DIGITS - 1
    while words and words[0] == 0:
        words, weight = words[1:], weight - 1
    while words and words[-1] == 0:
        words = words[:-1]
    head = struct.pack("!hhHh", len(words), weight if words else 0, _NEGATIVE if sign else _POSITIVE, scale)
    return head + struct.pack(f"!{len(words)}H", *words)


def _from_numeric(raw: bytes) -> Decimal:
    count, weight, sign, scale = struct.unpack("!hhHh", raw[:8])
    if sign not in {_POSITIVE, _NEGATIVE}:
        raise ValueError
    words = struct.unpack(f"!{count}H", raw[8:])
    if any(word >= 10**_DIGITS for word in words):
        raise ValueError
    digits = "".join(f"{word:0{_DIGITS}}" for word in words) or "0"
    number = Decimal(f"{'-' if sign else ''}{digits}E{(weight - count + 1) * _DIGITS}")
    return number.quantize(Decimal(1).scaleb(-scale))


def _array(values: Sequence[Value], element: int) -> bytes:
    """An array of one dimension."""
    if not values:
        return struct.pack("!iiI", 0, 0, element)
    parts = [struct.pack("!iiIii", 1, int(None in values), element, len(values), 1)]
    for value in values:
        raw = to_binary(value, element)
        parts.append(b"\xff\xff\xff\xff" if raw is None else struct.pack("!I", len(raw)) + raw)
    return b"".join(parts)


def _from_array(raw: bytes) -> list[Value]:
    dimensions, _, element = struct.unpack("!iiI", raw[:12])
    if dimensions == 0:
        return []
    if dimensions != 1 or element in ARRAYS:
        raise ValueError
    count, at, found = struct.unpack("!i", raw[12:16])[0], 20, []
    for _ in range(count):
        size = struct.unpack("!i", raw[at : at + 4])[0]
        at += 4
        found.append(from_wire(None if size == -1 else raw[at : at + size], element, binary=True))
        at += max(0, size)
    return found


def _whole(form: str, raw: bytes) -> int:
    return int(struct.unpack(form, raw)[0])


def _moment(raw: bytes) -> datetime:
    return _TIME_ZERO + timedelta(microseconds=_whole("!q", raw))


_READERS: dict[int, Callable[[bytes], Value]] = {
    **{oid: lambda raw, form=form: struct.unpack(form, raw)[0] for oid, form in _FORMS.items()},  # type: ignore[misc]
    BOOL: lambda raw: raw != b"\0",
    DATE: lambda raw: date.fromordinal(_DAY_ZERO.toordinal() + _whole("!i", raw)),
    TIMESTAMP: _moment,
    TIME: lambda raw: _moment(raw).time(),
    NUMERIC: _from_numeric,
}
_WRITERS: dict[int, Callable[[Value], bytes]] = {
    BOOL: lambda value: b"\1" if value else b"\0",
    DATE: lambda value: struct.pack("!i", value.toordinal() - _DAY_ZERO.toordinal()),  # type: ignore[attr-defined]
    TIMESTAMP: lambda value: struct.pack("!q", (value - _TIME_ZERO) // _MICROSECOND),  # type: ignore[operator]
    TIME: lambda value: struct.pack("!q", (datetime.combine(_TIME_ZERO, value) - _TIME_ZERO) // _MICROSECOND),  # type: ignore[arg-type]
    NUMERIC: _numeric,
    **{oid: partial(struct.pack, form) for oid, form in _FORMS.items()},
}
