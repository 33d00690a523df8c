"""The policy of one population: everything that is public about its private tables, and what may be lost about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from deniable.core.cap import Cap
from deniable.core.errors import Refused
from deniable.core.guarantee import Guarantee
from deniable.core.sensitivity import Neighbours
from deniable.policy.account import Account, read_analysts, read_budget
from deniable.policy.column import Clock, read_zone
from deniable.policy.limits import QuestionLimits, read_limits
from deniable.policy.problems import InvalidPolicyError
from deniable.policy.section import Section
from deniable.policy.serving import ServeSettings, read_serving
from deniable.policy.settings import EngineSettings, ledger_place, read_engine, read_ledger
from deniable.policy.table import DeclaredTable, read_table
from deniable.policy.units import found


@dataclass(frozen=True, slots=True)
class Policy:
    """What the custodian allows. Made by `load` or `from_mapping`, which check all of it.

    Promise:  none of its own; it holds the public facts that every promise is made from.
    Assumes:  what only the custodian can know: who is a unit, what is public. See docs/policy.md

    Example:
        >>> policy = Policy.from_mapping(
        ...     {
        ...         "population": {"name": "clinic"},
        ...         "budget": {"epsilon": 3},
        ...         "tables": {"visits": {"columns": {"age": {"type": "integer", "bounds": [0, 110]}}}},
        ...     },
        ...     origin="notebook",
        ...     folder=Path(),
        ... )
        >>> policy.budget.epsilon, policy.tables["visits"].columns["age"].high
        (Fraction(3, 1), Fraction(110, 1))
    """

    population: str
    neighbours: Neighbours
    cap: Cap
    limits: QuestionLimits
    engine: EngineSettings
    ledger: str
    tables: Mapping[str, DeclaredTable]
    analysts: Mapping[str, Guarantee]
    """Shares by name; empty: whoever asks is charged to the population alone."""
    origin: str
    zone: str | None = None
    """Where the population lives: the time zone in which instants are read, and of CURRENT_DATE."""
    clock: str = "hour"
    """To which unit now() is cut, so that the same question stays the same for a while."""
    per_question: Mapping[str, Fraction] = field(default_factory=dict)
    """What an analyst's questions cost, as epsilon, where they come through a door and do not say."""
    serving: ServeSettings = field(default_factory=ServeSettings)
    place: Path = field(default=Path("policy.ledger"))
    """What the account's files on this machine are called after: the ledger's own, or, on a server, the policy's."""
    digest: str = field(init=False, compare=False, repr=False)
    """SHA-256 of what an answer depends on: neighbours and tables, not the budget, the analysts or the places."""

    def __post_init__(self) -> None:
        """The same facts in another order are the same policy."""
        facts = {
            "neighbours": self.neighbours.value,
            "tables": {name: table.facts for name, table in self.tables.items()},
        }
        object.__setattr__(self, "digest", sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest())

    def reading(self, tables: Iterable[str]) -> str:
        """SHA-256 of how these tables are read, and of what neighbours are: see `DeclaredTable.reading`."""
        facts = {"neighbours": self.neighbours.value, "tables": {name: self.tables[name].reading for name in tables}}
        return sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    @classmethod
    def from_mapping(cls, data: Mapping[str, object], *, origin: str, folder: Path) -> Policy:
        """The policy that a mapping of the TOML's shape declares; rows and ledger may stay in memory.

        Raises:
            InvalidPolicyError: with every problem that was found.
        """
        return read_policy(Section(data), origin, folder, Path(origin).stem)

    @property
    def budget(self) -> Guarantee:
        """What everything that is ever answered loses at most, for all analysts together."""
        return self.cap.guarantee

    def weighing(self, contribution: int) -> Policy:
        """The same policy, but that a person weighs at most so many rows: an analyst may want less, never more."""
        tables = {
            name: table
            if table.unit is None and not table.path
            else replace(table, contribution=contribution)
            if contribution < table.contribution
            else table
            for name, table in self.tables.items()
        }
        return replace(self, tables=tables)

    @property
    def as_profiled(self) -> Policy:
        """The same policy, but that a person whose contribution is not named weighs one row: what a profile assumes."""
        tables = {name: replace(table, unweighed=False) for name, table in self.tables.items()}
        return replace(self, tables=tables)

    @property
    def population_account(self) -> Account:
        """Every question is charged to it, whoever asks. How many a day is its limit where nobody has a share."""
        return Account("population", self.cap, None if self.analysts else self.limits.questions_per_day)

    def accounts(self, analyst: str | None = None) -> tuple[Account, ...]:
        """What a question is charged to: always the population, and the analyst's share where the policy gives shares.

        Raises:
            Refused: the policy names its analysts, and this is none of them.
        """
        if not self.analysts:
            return (self.population_account,)
        if analyst is None or analyst not in self.analysts:
            raise Refused(
                "unknown-analyst", "Only analysts named in the policy may ask.", "Ask the custodian for a share."
            )
        share = self.cap.share(self.analysts[analyst])
        return (self.population_account, Account(f"analyst:{analyst}", share, self.limits.questions_per_day))


def read_policy(root: Section, origin: str, folder: Path, stem: str) -> Policy:
    """The policy, if nothing at all is wrong with it. Its files lie in `folder`, its ledger is called after `stem`."""
    population = root.inner("population")
    population.require("name", 'name = "clinic"')
    name = population.text("name", 'name = "clinic"')
    neighbours = population.choice("neighbours", Neighbours) or Neighbours.ADD_REMOVE
    zone, clock = read_zone(population), population.choice("clock", Clock) or Clock.HOUR
    population.finish()
    cap = read_budget(root.inner("budget"))
    limits = read_limits(root.inner("limits"))
    engine = read_engine(root.inner("engine"), folder)
    ledger = read_ledger(root.inner("ledger"), folder, stem)
    sections = root.inner("tables").each()
    tables = found(
        {title: read_table(title, section, folder, zone, remote=engine.remote) for title, section in sections.items()},
        sections,
    )
    if not tables:
        root.problem("tables", "names no table", 'write [tables.visits] with source = "visits.parquet"')
    analysts, per_question = read_analysts(root, cap)
    serving = read_serving(root.inner("serve"))
    root.finish()
    if root.problems or name is None or cap is None:
        raise InvalidPolicyError(origin, root.problems)
    return Policy(
        name,
        neighbours,
        cap,
        limits,
        engine,
        ledger,
        tables,
        analysts,
        origin,
        zone,
        clock.value,
        per_question,
        serving,
        ledger_place(ledger, folder, stem),
    )
