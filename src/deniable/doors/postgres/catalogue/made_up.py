"""Made-up rows that fit the policy: to build a dashboard before a question is paid. No private row is near."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from fractions import Fraction
from hashlib import sha256

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.files.arrow import TYPES
from deniable.policy import DeclaredColumn, DeclaredTable

ROWS = 100
_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - what clocks show, in the policy's zone


def made_up(table: DeclaredTable) -> pa.Table:
    """A hundred rows, always the same, spread over the bounds and values that are declared."""
    return pa.table(
        {
            name: pa.array([_value(column, table, row) for row in range(ROWS)], TYPES.get(column.kind, pa.string()))
            for name, column in table.columns.items()
        }
    )


def _value(column: DeclaredColumn, table: DeclaredTable, row: int) -> object:  # noqa: PLR0911 - one for each kind
    part = Fraction(int.from_bytes(sha256(f"{table.name}.{column.name}.{row}".encode()).digest()[:6]), 1 << 48)
    if column.values is not None:
        return column.values[int(part * len(column.values))]
    if column.kind is Kind.BOOLEAN:
        return part < Fraction(1, 2)
    if column.kind is Kind.TEXT or column.kind not in TYPES:
        return f"{column.name} {int(part * 20)}"
    if column.kind is Kind.DATE:
        low = column.low if isinstance(column.low, date) else date(2000, 1, 1)
        high = column.high if isinstance(column.high, date) else date(2030, 12, 31)
        return low + timedelta(days=int(part * ((high - low).days + 1)))
    if column.kind in {Kind.TIMESTAMP, Kind.TIME}:
        return _moment(column, part)
    low_number = column.low if isinstance(column.low, Fraction) else Fraction(0)
    high_number = column.high if isinstance(column.high, Fraction) else Fraction(1000)
    if column.kind is Kind.INTEGER:
        return int(low_number) + int(part * (high_number - low_number + 1))
    step = column.step or Fraction(1, 100)
    return float(low_number + round(part * (high_number - low_number) / step) * step)


def _moment(column: DeclaredColumn, part: Fraction) -> datetime | time:
    """A whole second between the bounds."""
    if column.kind is Kind.TIME:
        low, high = (
            datetime.combine(_DAY, bound if isinstance(bound, time) else usual)
            for bound, usual in ((column.low, time.min), (column.high, time.max))
        )
        return _between(low, high, part).time()
    earliest = column.low if isinstance(column.low, datetime) else _DAY
    latest = column.high if isinstance(column.high, datetime) else _DAY + timedelta(days=11_000)
    return _between(earliest, latest, part)


def _between(low: datetime, high: datetime, part: Fraction) -> datetime:
    return low + timedelta(seconds=int(part * int((high - low).total_seconds() + 1)))
