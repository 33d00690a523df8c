"""Random expressions over the columns of `odd`, in two spellings: ours, and plain DuckDB's with our declared rules.

Declared rules: what has no value is NULL (division by zero, logarithms of zero, casts that fail, NaN, whole numbers of
more than 64 bits), and where bounds say that a whole number is longer still, it is computed with as a double. Where
neither can matter, both spellings are the same text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

INT, REAL, TEXT, BOOL, DATE = "int", "real", "text", "bool", "date"
MOMENT, CLOCK = "moment", "clock"
_ENDS = "TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
_SAFE, _LONG = 2.0**53, 2.0**62
INFINITE = float("inf")


@dataclass(frozen=True)
class Term:
    """An expression: as it is asked, as plain DuckDB computes it, and between what it lies."""

    sql: str
    plain: str
    kind: str
    low: float = -INFINITE
    high: float = INFINITE
    fuzzy: bool = False
    """Whether it is a sum of real numbers, which is rounded to a grid: not to be cut into pieces."""

    @property
    def bounded(self) -> bool:
        return self.low > -INFINITE and self.high < INFINITE

    @property
    def width(self) -> float:
        """How far it reaches: the larger of the range and its distance from zero."""
        return max(self.high - self.low, abs(self.low), abs(self.high))


def column(name: str, kind: str, low: float = -INFINITE, high: float = INFINITE) -> Term:
    return Term(name, name, kind, low, high)


@dataclass(frozen=True)
class Terms:
    """Grows expressions from columns."""

    chance: Random
    columns: list[Term]

    def of(self, kind: str, depth: int = 2) -> Term:
        """An expression of this kind."""
        leaves = [term for term in self.columns if term.kind == kind and not term.fuzzy]
        if depth <= 0 or (leaves and self.chance.random() < 0.3):
            return self.chance.choice(leaves) if leaves and self.chance.random() < 0.85 else self._constant(kind)
        rules = {INT: self._whole, REAL: self._real, TEXT: self._text, BOOL: self._truth, DATE: self._date}
        rules |= {MOMENT: self._moment, CLOCK: self._clock}
        return rules[kind](depth - 1)

    def number(self, depth: int = 2) -> Term:
        """A number between bounds, as a sum needs it."""
        loose = [term for term in self.columns if term.fuzzy]
        if loose and self.chance.random() < 0.4:
            return self.within(self.chance.choice(loose))
        found = self.of(self.chance.choice([INT, REAL]), depth)
        return found if found.bounded and found.width < 1e6 and found.high > found.low else self.within(found)

    def within(self, term: Term) -> Term:
        """Cut to bounds; a missing value becomes the lower one, as LEAST and GREATEST pass over NULL."""
        low, high = self.chance.choice([(0, 1), (-10, 10), (0, 500), (-1000, 1000)])
        pattern = f"LEAST(GREATEST({{}}, {low}), {high})"
        return Term(pattern.format(term.sql), pattern.format(term.plain), term.kind, low, high, term.fuzzy)

    def condition(self, depth: int = 1) -> Term:
        """A condition that is not always the same."""
        loose = [term for term in self.columns if term.fuzzy]
        if loose and self.chance.random() < 0.3:
            edge = f"{self.chance.uniform(0, 300):.5f}7e0"
            return self._both("({} > {})", BOOL, self.chance.choice(loose), Term(edge, edge, REAL))
        return self._truth(depth)

    def _constant(self, kind: str) -> Term:
        chance = self.chance
        if kind == INT:
            value = chance.choice([0, 1, 2, 3, 7, 10, 50, -1, -4, 2**53 + 1])
            return Term(f"({value})", f"({value})", INT, value, value)
        if kind == REAL:
            value = chance.choice([0.5, 1.25, -2.5, 0.1, 0.3, 0.7, 100.0])
            return Term(f"({value}e0)", f"({value}e0)", REAL, value, value)
        options = {
            TEXT: ["'a'", "''", "'north'", "'é'", "'it''s'", "'%'"],
            BOOL: ["TRUE", "FALSE"],
            DATE: ["DATE '2025-03-01'", "DATE '1969-12-31'", "DATE '2024-02-29'"],
            MOMENT: ["TIMESTAMP '2025-01-15 10:30:00'", "TIMESTAMP '1969-12-31 23:59:59.999999'"],
            CLOCK: ["TIME '09:30:00'", "TIME '23:59:59.999999'"],
        }
        text = chance.choice(options[kind])
        return Term(text, text, kind)

    def _both(self, pattern: str, kind: str, *terms: Term, low: float = -INFINITE, high: float = INFINITE) -> Term:
        """The same text for both."""
        parts = (pattern.format(*(getattr(term, side) for term in terms)) for side in ("sql", "plain"))
        return Term(*parts, kind, low, high)

    def _arithmetic(self, sign: str, one: Term, other: Term) -> Term:
        ends = [_apply(sign, a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
        low, high = (min(ends), max(ends)) if one.bounded and other.bounded else (-INFINITE, INFINITE)
        safe = one.bounded and other.bounded and max(-low, high) < _SAFE / 2
        kind = INT if safe and (one.kind, other.kind) == (INT, INT) else REAL
        sql = f"({one.sql} {sign} {other.sql})"
        if safe:
            return Term(sql, f"({one.plain} {sign} {other.plain})", kind, low, high)
        if (one.kind, other.kind) == (INT, INT) and (high == INFINITE or max(-low, high) < _LONG):
            wide = f"CAST({one.plain} AS HUGEINT) {sign} CAST({other.plain} AS HUGEINT)"
            return Term(sql, f"TRY_CAST({wide} AS BIGINT)", INT, low, high)
        return Term(sql, f"clean(CAST({one.plain} AS DOUBLE) {sign} CAST({other.plain} AS DOUBLE))", REAL)

    def _divided(self, one: Term, other: Term) -> Term:
        divisor = f"NULLIF(CAST({other.plain} AS DOUBLE), 0)"
        return Term(f"({one.sql} / {other.sql})", f"clean(CAST({one.plain} AS DOUBLE) / {divisor})", REAL)

    def _whole(self, depth: int) -> Term:  # noqa: C901, PLR0911, PLR0912 - one case for each function
        chance, one = self.chance, self.of(INT, depth)
        match chance.randrange(14):
            case 12:
                name = chance.choice(["DOW", "DOY", "WEEK", "ISOYEAR", "DECADE", "HOUR", "MINUTE", "SECOND"])
                kind = chance.choice([MOMENT, CLOCK] if name in ("HOUR", "MINUTE", "SECOND") else [MOMENT, DATE])
                return self._both(f"EXTRACT({name} FROM {{}})", INT, self.of(kind, depth), low=0, high=10_000)
            case 13:
                unit = chance.choice(["year", "quarter", "month", "day", "hour", "minute"])
                pair = self.of(MOMENT, depth), self.of(MOMENT, depth)
                return self._both(f"DATE_DIFF('{unit}', {{}}, {{}})", INT, *pair, low=-1e10, high=1e10)
            case 0 | 1:
                return self._arithmetic(chance.choice("+-*"), one, self.of(INT, depth))
            case 2:
                by = chance.choice([2, 3, 7, 10, -3])
                sign = chance.choice(["//", "%"])
                if not one.bounded:
                    return self._both(f"({{}} {sign} {by})", INT, one)
                size = max(abs(one.low), abs(one.high))
                return self._both(f"({{}} {sign} {by})", INT, one, low=-size, high=size)
            case 3:
                return self._choice(INT, depth)
            case 4:
                name = chance.choice(["YEAR", "QUARTER", "MONTH", "DAY", "ISODOW"])
                most = {"YEAR": 9999, "QUARTER": 4, "MONTH": 12, "DAY": 31, "ISODOW": 7}[name]
                return self._both(f"EXTRACT({name} FROM {{}})", INT, self.of(DATE, depth), low=1, high=most)
            case 5:
                pattern = chance.choice(["LENGTH({})", "STRLEN({})", "STRPOS({}, 'a')", "POSITION('o' IN {})"])
                return self._both(pattern, INT, self.of(TEXT, depth), low=0, high=2.0**31)
            case 6:
                return self._both("SIGN({})", INT, self.of(chance.choice([INT, REAL]), depth), low=-1, high=1)
            case 7:
                truth = self.of(BOOL, depth)
                return self._both("CAST({} AS INTEGER)", INT, truth, low=0, high=1)
            case 8:
                value = self.of(REAL, depth)
                if not value.bounded:
                    value = self.within(value)
                name = chance.choice(["FLOOR", "CEIL", "ROUND"])
                both = self._both(f"{name}({{}})", INT, value, low=value.low - 1, high=value.high + 1)
                return replace(both, plain=f"CAST({both.plain} AS BIGINT)")
            case 9:
                day = self.of(DATE, depth)
                return self._both("({} - DATE '2025-01-01')", INT, day, low=-800_000, high=3_000_000)
            case 10:
                word = self.of(TEXT, depth)
                sql = f"LEAST(GREATEST(CAST({word.sql} AS INTEGER), -99), 99)"
                return Term(sql, f"LEAST(GREATEST(TRY_CAST({word.plain} AS BIGINT), -99), 99)", INT, -99, 99)
            case _:
                return self._unary("ABS({})", one) if one.bounded else one

    def _unary(self, pattern: str, one: Term) -> Term:
        size = max(abs(one.low), abs(one.high))
        return self._both(pattern, one.kind, one, low=-size, high=size)

    def _real(self, depth: int) -> Term:  # noqa: C901, PLR0911 - as above
        chance = self.chance
        one = self.of(chance.choice([REAL, REAL, INT]), depth)
        match chance.randrange(13):
            case 11:
                pair = self.of(MOMENT, depth), self.of(MOMENT, depth)
                plain = " - ".join(f"EPOCH_US({each.plain})" for each in pair)
                return Term(f"({pair[0].sql} - {pair[1].sql})", f"(({plain}) / 1e6)", REAL, -1e12, 1e12)
            case 12:
                return self._both("EXTRACT(EPOCH FROM {})", REAL, self.of(MOMENT, depth), low=-1e12, high=1e12)
            case 0 | 1:
                return self._arithmetic(chance.choice("+-*"), one, self.of(REAL, depth))
            case 2:
                return self._divided(one, self.of(chance.choice([REAL, INT]), depth))
            case 3:
                return self._choice(REAL, depth)
            case 4:
                real = self.of(REAL, depth)
                return Term(f"SQRT({real.sql})", f"CASE WHEN {real.plain} >= 0 THEN SQRT({real.plain}) END", REAL, 0)
            case 5:
                real = self.of(REAL, depth)
                return Term(f"LN({real.sql})", f"CASE WHEN {real.plain} > 0 THEN LN({real.plain}) END", REAL)
            case 6:
                real = self.of(REAL, depth)
                real = real if real.bounded and real.width < 600 else self.within(real)
                return self._both("EXP({} / 300e0)", REAL, real, low=0, high=40)
            case 7:
                real = self.of(REAL, depth)
                return Term(f"POW({real.sql}, 2)", f"clean(POW(CAST({real.plain} AS DOUBLE), 2))", REAL)
            case 8:
                real = self.of(REAL, depth)
                real = real if real.bounded else self.within(real)
                return self._both("ROUND({}, 1)", REAL, real, low=real.low - 1, high=real.high + 1)
            case 9:
                word = self.of(TEXT, depth)
                return Term(f"CAST({word.sql} AS DOUBLE)", f"clean(TRY_CAST({word.plain} AS DOUBLE))", REAL)
            case _:
                real = self.of(REAL, depth)
                return Term(f"(-{real.sql})", f"(-{real.plain})", REAL, -real.high, -real.low)

    def _choice(self, kind: str, depth: int) -> Term:
        """CASE, IF, COALESCE, NULLIF, LEAST, GREATEST."""
        one, other = self.of(kind, depth), self.of(kind, depth)
        low, high = min(one.low, other.low), max(one.high, other.high)
        match self.chance.randrange(5):
            case 0:
                truth = self._truth(depth - 1)
                return self._both("CASE WHEN {} THEN {} ELSE {} END", kind, truth, one, other, low=low, high=high)
            case 1:
                truth = self._truth(depth - 1)
                return self._both("CASE WHEN {} THEN {} END", kind, truth, one, low=one.low, high=one.high)
            case 2:
                return self._both("COALESCE({}, {})", kind, one, other, low=low, high=high)
            case 3:
                return self._both("NULLIF({}, {})", kind, one, other, low=one.low, high=one.high)
            case _:
                name = self.chance.choice(["LEAST", "GREATEST"])
                return self._both(f"{name}({{}}, {{}})", kind, one, other, low=low, high=high)

    def _text(self, depth: int) -> Term:  # noqa: PLR0911 - as above
        chance, one = self.chance, self.of(TEXT, depth)
        match chance.randrange(9):
            case 7:
                patterns = ["LPAD({}, 4, 'x')", "RPAD({}, 2, 'ab')", "REPLACE({}, 'a', 'xy')", "SPLIT_PART({}, '-', 2)"]
                patterns += ["LEFT({}, 2)", "RIGHT({}, 1)", "LTRIM({})", "RTRIM({}, 'a2')", "REVERSE({})"]
                return self._both(chance.choice(patterns), TEXT, one)
            case 8:
                return self._both("CONCAT_WS('-', {}, {})", TEXT, one, self.of(TEXT, depth))
            case 6:
                pattern = chance.choice(["%Y-%m", "%d.%m.%y %H:%M", "%A %j", "%G-W%V"])
                return self._both(f"strftime({{}}, '{pattern}')", TEXT, self.of(chance.choice([DATE, MOMENT]), depth))
            case 0:
                return self._both(chance.choice(["LOWER({})", "UPPER({})", "TRIM({})"]), TEXT, one)
            case 1:
                return self._both("SUBSTRING({}, 1, 2)", TEXT, one)
            case 2:
                return self._both("({} || {})", TEXT, one, self.of(TEXT, depth))
            case 3:
                return self._both("CONCAT({}, '-', {})", TEXT, one, self.of(TEXT, depth))
            case 4:
                return self._both("CAST({} AS VARCHAR)", TEXT, self.of(INT, depth))
            case _:
                return self._choice(TEXT, depth)

    def _truth(self, depth: int) -> Term:  # noqa: PLR0911 - as above
        chance = self.chance
        kind = chance.choice([INT, INT, REAL, TEXT, DATE, MOMENT, MOMENT, CLOCK])
        one = self.of(kind, depth)
        match chance.randrange(10):
            case 9:
                sign = chance.choice(["=", "<>", "<", "<=", ">", ">="])
                return self._both(f"({{}} {sign} {{}})", BOOL, self.of(DATE, depth), self.of(MOMENT, depth))
            case 0 | 1 | 2:
                sign = chance.choice(["=", "<>", "<", "<=", ">", ">="])
                return self._both(f"({{}} {sign} {{}})", BOOL, one, self.of(kind, depth))
            case 3:
                return self._both(chance.choice(["({} IS NULL)", "({} IS NOT NULL)"]), BOOL, one)
            case 4:
                return self._both(
                    chance.choice(["({} AND {})", "({} OR {})"]), BOOL, self.of(BOOL, depth), self.of(BOOL, depth)
                )
            case 5:
                return self._both("(NOT {})", BOOL, self.of(BOOL, depth))
            case 6:
                options = [self._constant(kind) for _ in range(3)]
                return self._both("({} IN ({}, {}, {}))", BOOL, one, *options)
            case 7:
                low, high = self._constant(kind), self._constant(kind)
                return self._both("({} BETWEEN {} AND {})", BOOL, one, low, high)
            case _:
                pattern = chance.choice(["({} LIKE '%a%')", "STARTS_WITH({}, 'n')", "CONTAINS({}, 'o')"])
                pattern = chance.choice([pattern, "({} ILIKE 'A%')", "regexp_matches({}, '^[a-z]+|[0-9]{{2}}')"])
                return self._both(pattern, BOOL, self.of(TEXT, depth))

    def _date(self, depth: int) -> Term:
        chance, one = self.chance, self.of(DATE, depth)
        match chance.randrange(4):
            case 3:
                return self._both("CAST({} AS DATE)", DATE, self.of(MOMENT, depth))
            case 0:
                unit = chance.choice(["year", "quarter", "month", "week"])
                return self._both(f"CAST(DATE_TRUNC('{unit}', {{}}) AS DATE)", DATE, one)
            case 1:
                word = self.of(TEXT, depth)
                plain = f"TRY_CAST({word.plain} AS DATE)"
                inside = f"CASE WHEN {plain} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {plain} END"
                return Term(f"CAST({word.sql} AS DATE)", inside, DATE)
            case _:
                return self._choice(DATE, depth)

    def _moment(self, depth: int) -> Term:
        """What leads beyond the calendar is NULL."""
        chance, one = self.chance, self.of(MOMENT, depth)
        match chance.randrange(4):
            case 0:
                unit = chance.choice(["year", "month", "week", "day", "hour", "minute", "second", "millisecond"])
                return self._both(f"DATE_TRUNC('{unit}', {{}})", MOMENT, one)
            case 1:
                span = chance.choice(["3 days", "1 month", "13 months", "90 minutes", "1 year 2 months", "1 second"])
                moved = self._both(f"({{}} {chance.choice('+-')} INTERVAL '{span}')", MOMENT, one)
                plain = f"CASE WHEN {moved.plain} BETWEEN {_ENDS} THEN {moved.plain} END"
                return Term(moved.sql, plain, MOMENT)
            case 2:
                return self._both("CAST({} AS TIMESTAMP)", MOMENT, self.of(DATE, depth))
            case _:
                return self._choice(MOMENT, depth)

    def _clock(self, depth: int) -> Term:
        if self.chance.random() < 0.5:
            return self._both("CAST({} AS TIME)", CLOCK, self.of(MOMENT, depth))
        return self._choice(CLOCK, depth)


def _apply(sign: str, one: float, other: float) -> float:
    if INFINITE in (abs(one), abs(other)):
        return INFINITE
    return {"+": one + other, "-": one - other, "*": one * other}[sign]
