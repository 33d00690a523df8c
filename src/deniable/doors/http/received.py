"""What `deniable.connect` gets: answers and budgets that show themselves as those of a local curator do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.doors.http.formats import KEY


@dataclass(frozen=True, repr=False)
class ServedAnswer(Tabular):
    """A noisy answer from a server. Everything in it is public: compute with it whatever you like."""

    with_intervals_: pa.Table
    said: dict[str, Any]

    @property
    def with_intervals(self) -> pa.Table:
        """The answer, and behind it low and high of each noisy column."""
        return self.with_intervals_

    @property
    def table(self) -> pa.Table:
        """The answer."""
        ends = set(self._ends)
        return self.with_intervals_.select([name for name in self.with_intervals_.column_names if name not in ends])

    @property
    def intervals(self) -> pa.Table:
        """Low and high of each noisy column, row by row, at the confidence that was asked for."""
        return self.with_intervals_.select(self._ends)

    @property
    def loss(self) -> Loss:
        """What was paid for it when it was first asked."""
        return loss_of(self.said["loss"])

    @property
    def free(self) -> bool:
        """Whether it cost nothing now: it was recorded earlier, or is about public tables."""
        return bool(self.said["free"])

    @property
    def share(self) -> bool:
        """Whether the analyst's share alone has paid."""
        return bool(self.said.get("share", False))

    @property
    def confidence(self) -> Fraction:
        """Of the intervals."""
        return exact(self.said.get("confidence", 1))

    @property
    def meaning(self) -> str:
        """The guarantee in words."""
        return str(self.said.get("meaning", ""))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer leaves out besides noise: bias, which no interval covers."""
        return tuple(self.said["notes"])

    def plot(self, column: str | None = None) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Bars with error bars, of one noisy column (the first, unless named). Returns matplotlib's axes."""
        from deniable.display.picture import plotted  # noqa: PLC0415 - drawing is needed only here

        return plotted(self.table, self.intervals, column, self.confidence)

    def sheet(self) -> Sheet:
        """What is shown of it."""
        shown, ends = self.table.slice(0, MOST_ROWS), self.intervals.slice(0, MOST_ROWS)
        columns = []
        for name, values in zip(shown.column_names, shown.columns, strict=True):
            if name in self.said["noisy"]:
                low, high = (ends[f"{name}_{side}"].to_pylist() for side in ("low", "high"))
                if pa.types.is_temporal(values.type):
                    columns.append(SheetColumn.moments(name, values.to_pylist(), low, high))
                    continue
                whole = pa.types.is_integer(values.type)
                columns.append(SheetColumn.noisy(name, values.to_pylist(), low, high, whole=whole))
            else:
                columns.append(SheetColumn.keys(name, values.to_pylist()))
        paid = (Paid.BEFORE if self.free else Paid.SHARE if self.share else Paid.NOW).words(self.loss)
        price = (
            f"± noise, {percent(self.confidence)} confidence · {paid}" if "confidence" in self.said else "exact · free"
        )
        return Sheet(tuple(columns), price, self.notes, more=max(0, self.table.num_rows - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say."""
        return {"rows": to_rows(self.with_intervals), **{key: self.said[key] for key in self.said if key != "noisy"}}

    @property
    def _ends(self) -> list[str]:
        return [f"{name}_{side}" for name in self.said["noisy"] for side in ("low", "high")]


@dataclass(frozen=True, repr=False)
class ServedBudget(Tabular):
    """The account of a population, or of one analyst's share of it."""

    said: dict[str, Any]

    @property
    def name(self) -> str:
        """Of the account."""
        return str(self.said["name"])

    @property
    def total(self) -> Loss:
        """The caps of the sums, of which one must hold."""
        return loss_of(self.said["total"])

    @property
    def spent(self) -> Loss:
        """Everything that was ever charged to it."""
        return loss_of(self.said["spent"])

    @property
    def remaining(self) -> Loss:
        """What each sum still has room for."""
        return loss_of(self.said["remaining"])

    @property
    def largest_epsilon(self) -> float:
        """The largest single question with Laplace noise that still fits."""
        return float(self.said["largest_epsilon"])

    @property
    def largest_rho(self) -> float:
        """The largest single question with Gaussian noise that still fits."""
        return float(self.said["largest_rho"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What may still be asked."""
        return tuple(self.said["notes"])

    @property
    def rules(self) -> tuple[str, ...]:
        """What holds for every question, whatever is left."""
        return tuple(self.said["rules"])

    @property
    def table(self) -> pa.Table:
        """A row for each sum: its cap, what was spent, what is left."""
        total, spent, left = (self.said[part] for part in ("total", "spent", "remaining"))
        return pa.table(
            {
                "sum": list(total),
                "cap": [total[form] for form in total],
                "spent": [spent.get(form) for form in total],
                "left": [left.get(form) for form in total],
            }
        )

    @property
    def with_intervals(self) -> pa.Table:
        """The table: nothing in it is noisy."""
        return self.table

    def sheet(self) -> Sheet:
        """What is shown of it."""
        first, *numbers = self.table.column_names
        columns = [SheetColumn.keys(first, self.table[first].to_pylist())]
        columns += [SheetColumn.keys(name, [_short(one) for one in self.table[name].to_pylist()]) for name in numbers]
        owner = "the population" if self.name == "population" else self.name.removeprefix("analyst:")
        return Sheet(tuple(columns), "\n".join((*self.notes, *self.rules)), title=f"Budget of {owner}")

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say."""
        return dict(self.said)


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"


def received(body: bytes) -> list[ServedAnswer]:
    """The answers in a body: Arrow streams, one after the other."""
    source, found = pa.BufferReader(body), []
    while source.tell() < len(body):
        table = pa.ipc.open_stream(source).read_all()
        found.append(ServedAnswer(table.replace_schema_metadata(None), json.loads(table.schema.metadata[KEY])))
    return found


def exact(number: float) -> Fraction:
    """The fraction that the server has written."""
    return Fraction(str(number))


def loss_of(said: dict[str, float]) -> Loss:
    """A loss, by the forms that are proven."""
    forms = {name: exact(said[name]) if name in said else None for name in ("epsilon", "rho")}
    mu = said.get("mu")
    return Loss(forms["epsilon"], forms["rho"], None if mu is None else exact(mu) ** 2, exact(said.get("delta", 0)))
