"""What one engine's SQL calls things: the smallest parts, of which everything else is put together alike for all.

The rooms' shared code decides what has to be computed, and whether a guard is needed, by kinds and ranges. A dialect
spells the parts: the functions of rows in its primitives, and everything else here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import FIRST_MOMENT, LAST_MOMENT, day_of, moment_of, time_of
from deniable.engines.sql.primitives import VARIADIC


class Storage(Enum):
    """What a stored type is, whatever the engine calls it."""

    BOOLEAN = "boolean"
    WHOLE = "whole numbers that fit 64 bits"
    WIDE = "exact numbers that need not: longer ones, decimals"
    UNSIGNED = "longer ones that cannot be compared with negative numbers"
    REAL = "doubles, and shorter"
    TEXT = "texts, compared by their bytes once they are read"
    WORD = "texts with rules of their own, which are compared as texts instead"
    DATE = "days"
    TIMESTAMP = "moments without a zone"
    INSTANT = "moments with a zone"
    TIME = "times of day"
    SPAN = "lengths of time"
    BYTES = "what is equal if its bytes are: bytes, identifiers"
    OTHER = "what has another equality, or an unknown one"


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a column is found in a statement, and its type there, by the engine's name."""

    place: str
    type: str


class Weighing(Enum):
    """How the rows of heavy units come to weigh less; what is fastest depends on the engine."""

    CORRECTED = "all rows in full, and those of the heavy once more"
    JOINED = "each row beside its unit's weight"
    WINDOW = "each row by a window over its unit's rows"


@dataclass(frozen=True, slots=True)
class Arrays:
    """How an engine that groups by an array, where it knows how far keys reach, is told so; as patterns."""

    bits: int
    """Of all keys together, at most."""
    placed: str
    """A text as its place among texts; NULL if it is none of them."""
    numbers: str
    """The list of all whole numbers from one on and before another."""
    picked: str
    """What stands in a list at a place, counted from 1."""


@dataclass(frozen=True, slots=True)
class Dialect(ABC):
    """One engine's words. It has no state, and is passed to whoever spells."""

    spellings: ClassVar[Mapping[str, str | Callable[..., str]]]
    """The primitives, each as a pattern, or as a function of its arguments where a pattern is not enough."""
    types: ClassVar[Mapping[Kind, str]]
    """How each kind is computed with."""
    infinities: ClassVar[tuple[str, str]]
    """Below all doubles, and above."""
    instants: ClassVar[tuple[str, str]]
    """Two instants between which every clock is within the calendar, wherever it hangs."""
    widest: ClassVar[int] = 1 << 126
    """Whole constants from here on are written as doubles."""
    kept: ClassVar[str] = "MATERIALIZED "
    """Before a step that must be computed once."""
    apart: ClassVar[str] = ""
    """Behind a sub-select whose columns must not be put in place of their names, where that would compute them anew."""
    small: ClassVar[Mapping[str, int]] = {}
    """Types that take a byte or two, and what they hold, if that makes grouping faster; the smallest first."""
    grouping: ClassVar[str] = "GROUPING"
    """Which of several keys a row of grouping sets lacks, in bits; the last key is the lowest."""
    grouped: ClassVar[int] = 31
    """Of so many keys it says that at once; PostgreSQL takes no more."""
    underflows: ClassVar[bool] = False
    """Whether a quotient that is too small to be a double raises."""
    groups_by_label: ClassVar[bool] = True
    """Whether the names that a SELECT gives to its columns can stand in its own GROUPING SETS."""
    weighing: ClassVar[Weighing] = Weighing.CORRECTED
    """How rows are weighed that are looked at, where no index finds those of a unit."""

    arrays: ClassVar[Arrays | None] = None
    """How it groups by an array, if it does."""

    def primitive(self, name: str, *arguments: str) -> str:
        """One of the primitives, of arguments that are spelled already."""
        if name in VARIADIC:
            return f"{VARIADIC[name]}({', '.join(arguments)})"
        spelling = self.spellings[name]
        return spelling.format(*arguments) if isinstance(spelling, str) else spelling(*arguments)

    def guarded(self, name: str, *arguments: str) -> str:
        """A primitive in doubles that may overflow, or vanish: infinite then, or zero, as IEEE 754 says."""
        return self.primitive(name, *arguments)

    @abstractmethod
    def quoted(self, name: str) -> str:
        """A name of a column or a table, whatever it consists of."""

    @abstractmethod
    def text(self, value: str) -> str:
        """A text constant."""

    def label(self, name: str) -> str:
        """What a column of an answer is called that should be called so."""
        return name

    def pattern(self, written: str) -> str:
        """A regular expression, as RE2 reads it, in the engine's words."""
        return written

    @abstractmethod
    def formatted(self, value: str, written: str) -> str:
        """A date or a timestamp, in a format of signs that the planner knows."""

    @abstractmethod
    def rounded(self, value: str, places: int) -> str:
        """A double to so many places, at most 15 of them, halves away from zero."""

    @abstractmethod
    def rounded_whole(self, value: str, places: int) -> str:
        """The same of a whole number below 2^62."""

    @abstractmethod
    def double(self, digits: str) -> str:
        """A constant of 64 bits, by the digits that Python shows of it."""

    def moment(self, number: int, kind: Kind) -> str:
        """A date, a timestamp or a time of day by its number; those beyond the calendar are its ends."""
        match kind:
            case Kind.DATE:
                return f"DATE '{day_of(number).isoformat()}'"
            case Kind.TIMESTAMP:
                return f"TIMESTAMP '{moment_of(number).isoformat(sep=' ')}'"
            case _:
                return f"TIME '{time_of(number).isoformat()}'"

    def is_number(self, double: str) -> str:
        """Whether a double is one, and not NaN; NULL is not. Most engines put NaN above infinity."""
        return f"{double} <= {self.infinities[1]}"

    @abstractmethod
    def cast(self, spelled: str, kind: Kind, wanted: Kind) -> str:
        """A value of one kind where another is wanted, as CASTS lists them; never from or to a text."""

    def floored(self, double: str) -> str:
        """The largest whole number that is not above a double within 2^62."""
        return self.primitive("nearest", self.primitive("floor", double))

    @abstractmethod
    def parsed(self, spelled: str, kind: Kind) -> str:
        """What a text says, as a value of a kind; NULL if it says none. Dates and moments may lie anywhere."""

    @abstractmethod
    def written(self, spelled: str, kind: Kind) -> str:
        """A value of a kind as a text."""

    @abstractmethod
    def widened(self, whole: str) -> str:
        """A whole number of 64 bits as one that has room for every product and sum."""

    @abstractmethod
    def narrowed(self, wide: str, kind: Kind) -> str:
        """A wide whole number as a value of a kind; NULL if it is no number of 64 bits."""

    # --------------------------------------------------------------------------------------------- what is stored

    @abstractmethod
    def storage(self, type_name: str) -> Storage:
        """What a stored type is."""

    @abstractmethod
    def found(self, place: str, type_name: str) -> Stored:
        """A column of a table. Texts are compared by their bytes, whatever collation the table asks for."""

    @abstractmethod
    def converted(self, column: Stored, kind: Kind, zone: str | None) -> str:
        """What is stored as a value of a kind, NULL if it is none; in a zone, if it is an instant. Not yet bounded."""

    @abstractmethod
    def local(self, instant: str, zone: str) -> str:
        """What the clocks of a zone show at one of the instants between those of the dialect."""

    def by_clock(self, instant: str, zone: str | None) -> str:
        """What the clocks of a zone show at any instant, within the calendar; without a zone, nobody knows."""
        kind = Kind.TIMESTAMP
        if zone is None:
            return f"CAST(NULL AS {self.types[kind]})"
        (low, high), first, last = self.instants, self.moment(FIRST_MOMENT, kind), self.moment(LAST_MOMENT, kind)
        inside = f"WHEN {instant} BETWEEN {low} AND {high} THEN {self.local(instant, zone)}"
        return f"CASE {inside} WHEN {instant} < {low} THEN {first} WHEN {instant} > {high} THEN {last} END"

    @abstractmethod
    def same_double(self, place: str) -> str:
        """A stored double as what tells values apart: one zero, one NaN."""

    # --------------------------------------------------------------------------------------------- statements

    def told_apart(self, double: str) -> str:
        """A double as a text, which tells one zero from the other."""
        return f"CAST({double} AS {self.types[Kind.TEXT]})"

    @abstractmethod
    def hashed(self, parts: Iterable[str]) -> str:
        """A number that follows from the values, and looks like chance. NULL is a value among others."""

    @abstractmethod
    def quotient(self, one: str, other: str, *, wide: bool = False) -> str:
        """Of whole numbers, towards zero; both must be such that no brackets are needed."""

    @abstractmethod
    def shifted(self, product: str, places: int, *, wide: bool = False) -> str:
        """A whole number that is not negative, divided by 2^places; as quotient."""

    def added(self, whole: str, *, once: bool = False) -> str:
        """The sum of whole numbers, with as many digits as it needs; each different one once, if so."""
        return f"SUM({'DISTINCT ' if once else ''}{whole})"

    def summed(self, row: str, within: int, where: str) -> str:
        """The sum over rows of a whole number that is nowhere further from zero than `within`; `where` is a FILTER."""
        del within
        return f"{self.added(row)}{where}"

    def numbered(self) -> str:
        """A whole number that is different for each row of a SELECT."""
        return "ROW_NUMBER() OVER ()"

    @abstractmethod
    def among(self, rows: str, others: str, column: str) -> str:
        """The rows whose value in a column is one of the others'; behind FROM, and without a WHERE behind it."""

    def extreme(self, value: str, kind: Kind, *, greatest: bool) -> str:
        """The least or the greatest of a group's values, as an aggregate; false is less than true."""
        del kind
        return f"{'MAX' if greatest else 'MIN'}({value})"
