"""A plan as short text for reviewers: what is read, what one unit can move, what noise is drawn, what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression, Literal, names
from deniable.core.algebra.query import WEIGHT, ExactQuery
from deniable.mechanisms import Gaussian
from deniable.planner import Plan
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.price import Chosen
from deniable.planner.expressions.keys import Domain, GroupKey
from deniable.planner.plan import Parallel, Part

_ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "quotient": "//", "remainder": "%"}
_COMPARISON = {"equal": "=", "unequal": "<>", "less": "<", "at_most": "<=", "more": ">", "at_least": ">="}
_SIGNS = _ARITHMETIC | _COMPARISON | {"and": "AND", "or": "OR", "like": "LIKE"}
_FEW = 6
"""So many values of a key are all shown."""
_MANY = 10
"""So many factors of two are worth a power."""
_EXPRESSION = (Column, Literal, Call)


class PlanText:
    """The lines of one plan. Statistics are called s1, s2, ... in the order in which the answer uses them."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.names = plan, {base.name: "" for base in plan.bound.statistics}
        used = [output.value for output in plan.bound.outputs]
        used += [term.value for term in plan.bound.order]
        used += [] if plan.bound.having is None else [plan.bound.having]
        order = {name: place for place, value in reversed(list(enumerate(used))) for name in names(value)}
        self.statistics = sorted(
            plan.bound.statistics,
            key=lambda base: (
                min(order.get(name, len(used)) for name in base.names),
                base.label,
                *self._statistic(base),
            ),
        )
        histograms = dict.fromkeys(base.histogram.name for base in self.statistics if not isinstance(base, Statistic))
        self.names = {name: f"h{place}" for place, name in enumerate(histograms, 1)}
        self.names |= {base.name: f"s{place}" for place, base in enumerate(self.statistics, 1)}

    def text(self) -> str:
        """All of it."""
        return "\n".join(line.rstrip() for line in self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        bound = self.plan.bound
        yield f"unit        {self._unit()}; {bound.neighbours.value}"
        yield from _section("rows", [*self.tree(bound.source.table), *self._where(bound.source.where)])
        yield from _section("keys", [self._key(key) for key in bound.keys])
        yield from _section("statistics", [line for base in self.statistics for line in self._statistic(base)])
        yield from _section("queries", [self._query(query) for query in self.plan.queries])
        yield from _section("noise", [self._noise(part) for part in self._parts()])
        if self.plan.selection is not None:
            chosen = self.plan.selection
            yield f"            keys: PartitionSelection, {self._settings(chosen.event.settings)}"
        yield from _section("answer", [f"{output.name} = {self.shown(output.value)}" for output in bound.outputs])
        yield from _section("having", [] if bound.having is None else [self.shown(bound.having)])
        yield from _section("order", [f"{self.shown(by.value)}{' DESC' * by.descending}" for by in bound.order])
        yield from _section("limit", [] if bound.limit is None else [f"{bound.limit} from {bound.offset}"])
        yield from _section("price", list(self._price()))

    # --------------------------------------------------------------------------------------------- what a unit moves

    def _unit(self) -> str:
        source = self.plan.bound.source
        whose = "a person" if self.plan.bound.person else "a row"
        if source.unit is None:
            return f"{whose}, not weighed: has one row"
        return f"{whose}, by {source.unit}, weighs at most {source.contribution} row{'s' * (source.contribution > 1)}"

    def _statistic(self, base: Base) -> Iterator[str]:
        name = self.names[base.name]
        if isinstance(base, Statistic):
            signed = ", signed" if base.signed else ""
            yield f"{name} {base.label}: {self._of(base)}"
            yield f"   reach {_exact(base.reach)} of {_exact(base.worth)} = {_short(base.reach * base.worth)}{signed}"
            return
        histogram = base.histogram
        cell = f"{self.shown(histogram.cell)}{self._if(histogram.where)}"
        among = f"{base.candidates} cells of {self.named(histogram.name)}, {cell}"
        yield f"{name} {base.label}: {base.uses} {'choice' if base.uses == 1 else 'choices'} among {among}"
        if isinstance(base, Quantile):
            cells = base.cells
            yield f"   cells of {_short(cells.step)} from {_short(cells.low)} to {_short(cells.high)}"
        yield f"   reach {_exact(histogram.reach)}, a row {_exact(histogram.row)}"

    def _of(self, base: Statistic) -> str:
        if base.total is not None:
            shift = f" // {_exact(1 << base.total.shift)}" if base.total.shift else ""
            return f"{self.shown(base.total.row)}{shift} per row{self._if(base.total.where)}"
        counted = "units" if base.distinct is None else f"different {self.shown(base.distinct)}"
        return f"{counted}{self._if(base.filter)}"

    # ---------------------------------------------------------------------------------------- what runs and is drawn

    def _query(self, query: ExactQuery) -> str:
        """Its kind and what is its own; rows, keys and totals stand above."""
        own = [name for field in fields(query) if (name := field.name) not in ("source", "keys", "totals", "filter")]
        given = [f"{name} {self._plain(getattr(query, name))}" for name in own]
        totals = [self.named(total.name) for total in getattr(query, "totals", ())]
        by = [key.name if key.name != "cell" else f"cell {self.shown(key.value)}" for key in query.keys]
        parts = [", ".join(sorted(totals)), "by " + ", ".join(by) if by else "", *given]
        return f"{type(query).__name__} " + "; ".join(part for part in parts if part)

    def _parts(self) -> list[Part]:
        places = {base.name: place for place, base in enumerate(self.statistics)}
        first = {name: places[base.name] for base in self.statistics for name in base.names}
        return sorted(self.plan.noise, key=lambda part: min(first[name] for name in part.names))

    def _noise(self, part: Part) -> str:
        if isinstance(part, Parallel):
            which = "parts of rows" if part.names == self.plan.bound.divided else "different rows"
            return f"for one price, of {which}: {' | '.join(self._noise(member) for member in part.members)}"
        found = sorted(self.names[base.name] for base in self.statistics if base.names <= part.names)
        mechanism = part.mechanism
        times = f" x {part.choice.uses}" if isinstance(part, Chosen) else ""
        width = f"{'sigma' if isinstance(mechanism, Gaussian) else 'scale'} {_short(part.scale)}"
        aside = f", ends {_short(part.ranks)} rows aside" if isinstance(part, Chosen) and part.offset else ""
        if isinstance(part, Chosen) and part.around is not None:
            counts = f"{part.around.summed.cells} counts around it"
            beside = f"{type(part.around.mechanism).__name__}, {self._settings(part.around.mechanism.event.settings)}"
            aside = f"; {counts}: {beside}, ends {_short(part.ranks)} rows aside"
        settings = self._settings(mechanism.event.settings)
        name = type(mechanism).__name__
        return f"{', '.join(found)}: {name}{times}, {settings}; one unit {_short(part.sensitivity)}, {width}{aside}"

    @staticmethod
    def _settings(settings: dict[str, object]) -> str:
        return ", ".join(f"{name} {_exact(value)}" for name, value in settings.items() if name not in _ALWAYS)

    def _price(self) -> Iterator[str]:
        quote = self.plan.quote
        forms = {"epsilon": quote.loss.epsilon, "rho": quote.loss.rho, "delta": quote.loss.delta or None}
        yield ", ".join(f"{name} {_short(value)}" for name, value in forms.items() if value is not None)
        if self.plan.bound.keys:
            yield "groups only the data knows" if quote.groups is None else f"{quote.groups} groups"
        if quote.shown_from is not None:
            yield f"keys shown from {quote.shown_from} units on"
        for line in quote.lines:
            yield f"{line.column} +- {_short(line.error)} at {_short(quote.confidence)}"

    # ----------------------------------------------------------------------------------------------------- expressions

    def named(self, name: str) -> str:
        """A column: statistics by their short names."""
        known = [long for long in self.names if name.startswith(long)]
        return self.names[known[0]] + name.removeprefix(known[0]) if known else name

    def shown(self, value: Expression) -> str:
        """An expression, infix where people write it so."""
        match value:
            case Column(name=name):
                return self.named(name)
            case Literal(value=constant):
                return _constant(constant)
            case Call(function=function, arguments=arguments) if function in _SIGNS:
                return "(" + f" {_SIGNS[function]} ".join(self.shown(one) for one in arguments) + ")"
            case _:
                return f"{value.function}({', '.join(self.shown(one) for one in value.arguments)})"

    def _key(self, key: GroupKey) -> str:
        return f"{key.name} = {self.shown(key.value)}: {_values(key.domain)}"

    def _where(self, where: Expression | None) -> list[str]:
        return [] if where is None else [f"WHERE {self.shown(where)}"]

    def _if(self, where: Expression | None) -> str:
        return "" if where is None else f" if {self.shown(where)}"

    def tree(self, node: object, label: str = "") -> Iterator[str]:
        """A relation: every field that says something, so that a new one is seen."""
        if not is_dataclass(node) or isinstance(node, _EXPRESSION):
            yield f"{label}{self._plain(node)}"
            return
        plain, nested = [], []
        for field in fields(node):
            value = getattr(node, field.name)
            many = value if isinstance(value, tuple) else (value,)
            if any(is_dataclass(one) and not isinstance(one, _EXPRESSION) for one in many):
                nested += [line for one in many for line in self.tree(one, f"{field.name}: ")]
            elif value not in (None, (), False):
                plain.append(f"{field.name} {self._plain(value)}")
        yield f"{label}{type(node).__name__} {'; '.join(plain)}".rstrip()
        yield from (f"  {line}" for line in nested)

    def _plain(self, value: object) -> str:
        if isinstance(value, _EXPRESSION):
            return self.shown(value)
        if isinstance(value, tuple):
            return ", ".join(self._plain(one) for one in value)
        if isinstance(value, Enum):
            return str(value.value)
        return self.named(value) if isinstance(value, str) else str(value)


_ALWAYS = ("step", "coordinates")


def _section(title: str, lines: list[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield f"{title if place == 0 else '':<12}{line}"


def _values(domain: Domain | None) -> str:
    if domain is None:
        return "private"
    shown = [_constant(value) for value in domain]
    listed = shown if len(shown) <= _FEW else [*shown[:2], "...", *shown[-2:]]
    return f"{', '.join(listed)} ({len(domain)})"


def _constant(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, str):
        return f"'{value}'"
    return value.isoformat() if isinstance(value, date) else _number(Fraction(value))


def _number(value: Fraction) -> str:
    """A decimal where that is short and exact."""
    if value.denominator == 1:
        return str(value)
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else _exact(value)


def _exact(value: object) -> str:
    """A fraction, with large powers of two taken out: of weights, which are whole multiples of 2^20, just that."""
    number = Fraction(value)
    if number.denominator == 1 and number and number % WEIGHT == 0:
        return f"{number // WEIGHT} x 2^20"
    top, bottom = _twos(number.numerator), _twos(number.denominator)
    power = (top if top >= _MANY else 0) - (bottom if bottom >= _MANY else 0)
    rest = number / Fraction(2) ** power
    return str(rest) if not power else f"2^{power}" if rest == 1 else f"{rest} x 2^{power}"


def _twos(number: int) -> int:
    return (number & -number).bit_length() - 1 if number else 0


def _short(value: Fraction | float) -> str:
    """A few digits: exact where that is short."""
    number = Fraction(value)
    return str(number) if number.denominator == 1 and abs(number) < 10**9 else f"{float(value):.6g}"
