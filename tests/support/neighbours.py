"""Two curators over neighbouring tables, and what an analyst can see of the difference."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.core.algebra.query import DistinctValues, Kept, Key, Units
from deniable.core.errors import Failed, Refused
from deniable.curator import Curator
from deniable.curator.answers.answer import Answer
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.factory import engine_of
from deniable.curator.groups import counted, laid_out
from deniable.engines import Engine
from deniable.ledger import Ledger
from deniable.mechanisms import Laplace
from deniable.planner import Plan, Spend, bind, parse, price
from deniable.planner.choices.histogram import Choice
from deniable.planner.plan import Noisy, Parallel, Part, singly
from deniable.policy import Policy
from tests.support.choosing import apart, histogram
from tests.support.limits import LOOSE

SOMEONE = 17
"""The person who is in one of the tables."""
PRICE = Fraction(1, 1000)
_prices = (PRICE + Fraction(place, 10**9) for place in count())
"""Each a little more than the last, so that no question is a repeat."""
WORDS = ["one", "two", "three"]

_DAY_0 = dt.date(2025, 1, 1)
_FIELDS = [
    ("person", pa.int64()),
    ("age", pa.int64()),
    ("serial", pa.int64()),
    ("wide", pa.int64()),
    ("cost", pa.float64()),
    ("score", pa.float64()),
    ("heat", pa.float32()),
    ("town", pa.string()),
    ("word", pa.string()),
    ("day", pa.date32()),
    ("moment", pa.timestamp("us")),
    ("urgent", pa.bool_()),
]
SCHEMA = pa.schema(_FIELDS)

_COLUMNS = {
    "person": {"type": "integer"},
    "age": {"type": "integer", "bounds": [0, 110]},
    "serial": {"type": "integer"},
    "wide": {"type": "integer", "bounds": [-(2**50), 2**50]},
    "cost": {"type": "number", "bounds": [0, 500], "step": 0.01},
    "score": {"type": "number", "bounds": [-100, 100]},
    "heat": {"type": "number", "bounds": [0, 50]},
    "town": {"type": "text", "values": ["north", "south", "Zürich"]},
    "word": {"type": "text"},
    "day": {"type": "date", "bounds": [dt.date(1900, 1, 1), dt.date(2025, 12, 31)]},
    "moment": {"type": "timestamp"},
    "urgent": {"type": "boolean"},
}


def row(person: int | None, **values: object) -> dict[str, object]:
    """An ordinary row, but for the values that are given."""
    number = person or 0
    ordinary = {
        "person": person,
        "age": 20 + number % 70,
        "serial": number,
        "wide": number,
        "cost": 1.25 * (number % 80),
        "score": float(number % 50),
        "heat": 0.5 * (number % 60),
        "town": ("north", "south")[number % 2],
        "word": WORDS[number % 3],
        "day": _DAY_0 + dt.timedelta(days=number % 300),
        "moment": dt.datetime(2025, 1, 1 + number % 28, 12),
        "urgent": number % 3 == 0,
    }
    return ordinary | values


def people(many: int = 40) -> list[dict[str, object]]:
    """Ordinary rows of people, of whom nobody is the one that matters."""
    return [row(100 + number) for number in range(many)]


def rules(folder: Path, *, contribution: int | None = None, neighbours: str = "add-remove", **budget: object) -> Policy:
    """The policy over these rows; each its own unit, or people that weigh at most so many rows."""
    table: dict[str, object] = {"source": "visits.parquet", "columns": _COLUMNS}
    if contribution is not None:
        table |= {"unit": "person", "contribution": contribution}
    limits = {"epsilon": 10**6, "delta": 1e-6, "delta_for_keys": 5e-7} | budget
    return Policy.from_mapping(
        {
            "population": {"name": "adversary", "neighbours": neighbours},
            "budget": limits,
            "limits": LOOSE,
            "tables": {"visits": table},
        },
        origin="adversary",
        folder=folder,
    )


def house(folder: Path, rows: list[dict[str, object]], policy: Policy | None = None) -> Curator:
    """A curator over a file of these rows, with a ledger in memory."""
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), folder / "visits.parquet")
    policy = policy or rules(folder)
    return Curator(policy, engine_of(policy), Ledger.memory(policy.population))


@dataclass(frozen=True)
class Outcome:
    """Everything about an answer that must not depend on one unit: not the numbers, which are noisy."""

    status: str
    text: tuple[object, ...]
    charged: Fraction | None


def outcome(curator: Curator, sql: str, **spend: object) -> Outcome:
    """What an analyst sees. Exceptions that are neither a refusal nor a failure pass through, and fail the test."""
    before = curator.budget().spent.epsilon
    text: tuple[object, ...]
    try:
        answer = curator.ask(sql, **spend or {"epsilon": PRICE})
        status, text = "answered", (answer.table.schema.to_string(), _shape(answer))
    except Refused as refusal:
        status, text = "refused", (refusal.code, refusal.reason, refusal.hint, refusal.position)
    except Failed as failure:
        status, text = "failed", (str(failure), failure.__cause__, failure.__context__)
    after = curator.budget().spent.epsilon
    return Outcome(status, text, None if before is None or after is None else after - before)


def _shape(answer: NoisyAnswer) -> tuple[object, ...]:
    """How many rows there are and with which keys; of what is computed from noisy answers, neither is fixed."""
    if not isinstance(answer, Answer) or answer.plan.selection is not None:
        return ()
    keys = {key.name for key in answer.plan.bound.keys}
    return answer.noisy.num_rows, *(answer.noisy[name].to_pylist() for name in sorted(keys))


@dataclass(frozen=True)
class Outcomes:
    """What an analyst sees of two populations."""

    without: Curator
    having: Curator

    def same(self, sql: str, **spend: object) -> Outcome:
        """The outcome, which must be the same of both."""
        one, other = (outcome(curator, sql, **spend) for curator in (self.without, self.having))
        assert one == other
        return one


@dataclass(frozen=True)
class Pair(Outcomes):
    """The table without someone, and the one with them."""

    def refused(self, sql: str, code: str | None = None, **spend: object) -> None:
        """Refused on both in the same words, and nothing is charged."""
        found = self.same(sql, **spend)
        assert found.status == "refused"
        assert found.charged == 0
        assert code in (None, found.text[0])

    def total(self, sql: str) -> None:
        """Answered on both in the same shape, charged in full, and no farther apart than the noise hides."""
        paid = next(_prices)
        found = self.same(sql, epsilon=paid)
        assert found.status == "answered"
        assert found.charged == paid
        assert self.distance(sql) <= 1

    def distance(self, sql: str) -> Fraction:
        """How far apart the exact answers are, as a part of what the noise is made for."""
        one, other = exact(self.without, sql), exact(self.having, sql)
        plan = price(bind(parse(sql), self.without.policy), Spend.of(epsilon=1, delta="1e-9"))
        farthest = Fraction(0)
        for part in plan.noise:
            if not isinstance(part, Noisy | Parallel):
                counts = (np.array(table[histogram(part)]) for table in (one, other))
                farthest = max(farthest, apart(part, *counts))
                continue
            together = Fraction(0)
            for noisy in singly((part,)):
                name = noisy.statistic.name
                cells = {*one[name], *other[name]}
                taxi = sum(abs(one[name].get(cell, 0) - other[name].get(cell, 0)) for cell in cells)
                together += taxi / noisy.mechanism.sensitivity
            farthest = max(farthest, together)
        return farthest

    def close(self) -> None:
        self.without.close()
        self.having.close()


def exact_vectors(engine: Engine, plan: Plan) -> dict[str, np.ndarray]:
    """The exact integers of every statistic, over all groups, and of every histogram; for known keys."""
    totals: dict[str, np.ndarray] = {}
    keys = tuple(Key(key.name, key.value) for key in plan.bound.keys)
    for query in plan.queries:
        table = engine.run(query)
        if len(query.keys) > len(keys):
            for choice in plan.bound.statistics:
                if isinstance(choice, Choice) and choice.histogram.query(plan.bound.source, keys) == query:
                    totals[choice.name] = counted(table, plan.bound.keys, choice)
            continue
        names = [query.name] if hasattr(query, "name") else [total.name for total in query.totals]
        totals |= laid_out(table, plan.bound.keys, names)
    return totals


def moved(part: Part, mine: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> Fraction:
    """How far neighbours are apart, as a part of the claim, in the norm that the noise is made for; l2 is squared."""
    if isinstance(part, Parallel):
        return sum(moved(member, mine, theirs) for member in part.members)
    if not isinstance(part, Noisy):
        return apart(part, mine[histogram(part)], theirs[histogram(part)])
    difference = (mine[part.statistic.name] - theirs[part.statistic.name]).astype(object)
    if isinstance(part.mechanism, Laplace):
        return sum(abs(entry) for entry in difference) / part.mechanism.sensitivity
    return sum(entry * entry for entry in difference) / part.mechanism.sensitivity**2


def exact(curator: Curator, sql: str) -> dict[str, dict[object, int]]:
    """The exact whole numbers of each statistic by group: what nobody but a test sees."""
    plan = price(bind(parse(sql), curator.policy), Spend.of(epsilon=1, delta="1e-9"))
    totals: dict[str, dict[object, int]] = {}
    keys = tuple(Key(key.name, key.value) for key in plan.bound.keys)
    for query in plan.queries:
        table = curator.engine.run(query)
        if len(query.keys) > len(keys):
            for choice in plan.bound.statistics:
                if isinstance(choice, Choice) and choice.histogram.query(plan.bound.source, keys) == query:
                    totals[choice.name] = counted(table, plan.bound.keys, choice).tolist()
            continue
        names = [query.name] if isinstance(query, Units | DistinctValues) else [total.name for total in query.totals]
        if isinstance(query, Kept):
            cells = list(zip(*(table[key.name].to_pylist() for key in plan.bound.keys), strict=True))
            names = [*names, query.units]
            totals |= {name: dict(zip(cells, table[name].to_pylist(), strict=True)) for name in names}
        else:
            vectors = laid_out(table, plan.bound.keys, names)
            totals |= {name: dict(enumerate(map(int, np.asarray(vector)))) for name, vector in vectors.items()}
    return totals


def pair(folder: Path, *extra: dict[str, object], contribution: int | None = None, **more: object) -> Pair:
    """Ordinary people, and the same people with someone's rows; `common` are rows that both have."""
    common = [*people(), *more.pop("common", ())]
    houses = []
    for name, rows in (("without", common), ("having", [*common, *extra])):
        folder.mkdir(exist_ok=True)
        (folder / name).mkdir()
        houses.append(house(folder / name, rows, rules(folder / name, contribution=contribution, **more)))
    return Pair(*houses)
