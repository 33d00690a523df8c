"""What a custodian publishes: a profile, synthetic tables, a workload, an anonymized table; each with its price before.

The first three are releases on the curator's one path: priced from public facts, charged before a row is read, and
recorded. The last is another promise, which no budget covers: it is written into the ledger, with its reason, before
anybody has it.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.core.number import exact, whole
from deniable.display import Sheet, SheetColumn
from deniable.planner import Spend
from deniable.service.custodian.anonymizing import anonymized, anonymizing, not_promised
from deniable.service.orders import Order
from deniable.service.session import Session, Stage
from deniable.service.tokens import Role

if TYPE_CHECKING:  # releases are slow to load, and questions do without
    from deniable.releases import Synthesis, Workload

PAID = ("profile", "synthetic", "workload")
KINDS = (*PAID, "anonymized")


@dataclass(frozen=True, slots=True)
class OrderPrice:
    """What it would cost. Reads no private row, and costs nothing."""

    sheet: Sheet
    loss: Loss | None
    """None: it is charged to no budget."""


@dataclass(frozen=True, slots=True)
class Published:
    """What was made, and can be taken away."""

    order: Order
    sheet: Sheet
    page: str
    """A page that needs nothing else; empty, where there is none."""
    tables: Mapping[str, pa.Table]


@dataclass(frozen=True, slots=True)
class Publishing:
    """A custodian's right to publish. Every method refuses whoever has another role."""

    session: Session

    @property
    def payers(self) -> tuple[str, ...]:
        """Whose share can pay; nobody's, where the policy gives none: then the population's budget pays alone."""
        return tuple(self.session.policy.analysts)

    async def price(self, order: Order) -> OrderPrice:
        """What it would cost, and how exact it would be."""
        self.require()
        work = {
            "profile": self._profile_price,
            "synthetic": self._synthetic_price,
            "workload": self._workload_price,
            "anonymized": self._anonymized_price,
        }[order.kind]

        def priced() -> OrderPrice:
            found = work(order)
            if found.loss is None:
                return found
            warned = self.session.population.curator.budget(order.payer or None).warns(found.loss)
            sheet = found.sheet
            notes = (*sheet.notes, *warned)
            return OrderPrice(Sheet(sheet.columns, sheet.price, notes, sheet.title, sheet.more), found.loss)

        return await self.session.free("price-release", priced)

    async def make(self, order: Order, told: Stage = lambda _stage: None) -> Published:
        """Charge, make and record it; what is charged to a budget leaves when its deadline comes.

        Raises:
            Refused: nothing was read or spent.
            Failed: the charge stays spent.
        """
        self.require()
        self.session.admit()
        if order.kind == "anonymized":
            return await self._anonymized(order, told)
        work = {"profile": self._profile, "synthetic": self._synthetic, "workload": self._workload}[order.kind]
        return await self.session.paid("publish", lambda: self._kept(work(order)), told)

    async def before(self) -> dict[str, Order]:
        """What was ordered before, by digest, the last first; also before the server was started."""
        self.require()
        return await self.session.free("orders", self.session.population.orders.all)

    def require(self) -> None:
        """Refuses whoever is no custodian."""
        if self.session.token.role is not Role.CUSTODIAN:
            hint = "Ask the custodian for a token."
            raise Refused("wrong-role", "This takes the role of a custodian.", hint)

    def _kept(self, made: Published) -> Published:
        """Its settings are remembered; a full disk must not take away what has been paid for."""
        with suppress(OSError):
            self.session.population.orders.keep(made.order)
        return made

    def _profile_price(self, order: Order) -> OrderPrice:
        from deniable.curator.profiling.purchase import plan_profile  # noqa: PLC0415 - slow to load
        from deniable.curator.profiling.texts import unlisted_texts  # noqa: PLC0415 - same

        policy, curator, payer = self.session.policy, self.session.population.curator, order.payer or None
        policy.accounts(payer)
        questions, each, rest = unlisted_texts(policy, Spend.of(**_spending(order)).alone())
        first = [
            curator.explain(sql, analyst=payer, rho=each.rho, delta=each.delta, contribution=1)
            for sql in questions.values()
        ]
        plan = plan_profile(policy, rest)
        loss = sum((one.loss for one in first), plan.loss)
        names = [*((part.name, one.column.name) for part in plan.parts for one in part.columns), *questions]
        people = [(part.name, "rows per person") for part in plan.parts if part.people is not None]
        columns = (
            SheetColumn.texts("table", [table for table, _ in (*people, *names)]),
            SheetColumn.texts("counted", [column for _, column in (*people, *names)]),
        )
        note = "later answers to whoever has paid for it say, for nothing, what bounds and contributions cut off"
        return OrderPrice(Sheet(columns, f"price {loss}", (note,)), loss)

    def _profile(self, order: Order) -> Published:
        from deniable.releases.profile.page import page  # noqa: PLC0415 - same

        found = self.session.population.curator.profile(analyst=order.payer or None, **_spending(order))
        return Published(order, found.sheet(), page(found), {"profile": found.table})

    def _synthetic_price(self, order: Order) -> OrderPrice:
        curator = self.session.population.curator
        quote = curator.explain(self._wanted(order), analyst=order.payer or None, **_spending(order))
        return OrderPrice(quote.sheet(), quote.loss)

    def _synthetic(self, order: Order) -> Published:
        wanted = self._wanted(order)
        found = self.session.population.curator.synthesize(
            wanted.tables,
            columns=dict(wanted.columns) or None,
            rows=wanted.rows,
            constraints=dict(wanted.constraints) or None,
            analyst=order.payer or None,
            **_spending(order),
        )
        return Published(order, found.sheet(), found.report(), dict(found.tables))

    def _wanted(self, order: Order) -> Synthesis:
        """Conditions begin with their table and a colon, unless there is one table."""
        from deniable.releases import Synthesis  # noqa: PLC0415 - same

        private = [name for name, table in self.session.policy.tables.items() if not table.public]
        names = list(order.tables) or private
        conditions: dict[str, list[str]] = {}
        for line in filter(None, map(str.strip, order.text.splitlines())):
            table, colon, rest = line.partition(":")
            if colon and table.strip() in names:
                conditions.setdefault(table.strip(), []).append(rest.strip())
            elif len(names) == 1:
                conditions.setdefault(names[0], []).append(line)
            else:
                raise InvalidArgumentError("conditions", f"must begin with a table, as in '{names[0]}: {line}'")
        rows = whole("rows", exact("rows", order.rows)) if order.rows.strip() else None
        return Synthesis(order.tables or None, None, rows, conditions)

    def _workload_price(self, order: Order) -> OrderPrice:
        quote = self.session.population.curator.explain(
            _workload(order), analyst=order.payer or None, **_spending(order)
        )
        return OrderPrice(quote.sheet(), quote.loss)

    def _workload(self, order: Order) -> Published:
        found = self.session.population.curator.release(
            _workload(order), analyst=order.payer or None, **_spending(order)
        )
        return Published(order, found.sheet(), "", {"answers": found.with_intervals})

    def _anonymized_price(self, order: Order) -> OrderPrice:
        table, _ = anonymizing(order.tables, _toml(order, "settings"), self.session.policy)
        return OrderPrice(Sheet((), "charged to no budget", not_promised(table)), None)

    async def _anonymized(self, order: Order, told: Stage) -> Published:
        """Not in a place of the engine: how long it takes depends on rows, and analysts wait for those places."""
        ledger, loop = self.session.population.curator.ledger, asyncio.get_running_loop()
        if not order.reason.strip():
            raise Refused("no-reason", "What no budget covers needs a reason.", "Say why: the ledger keeps it.")

        def progress(done: int, of: int) -> None:
            loop.call_soon_threadsafe(told, f"{done:,} of {of:,}")

        def work() -> Published:
            from deniable.releases.syntactic.report.page import page  # noqa: PLC0415 - same

            table, asked = anonymizing(order.tables, _toml(order, "settings"), self.session.policy)
            found = anonymized(table, asked, progress)
            words = ", ".join(found.demands.words())
            ledger.publish(self.session.who, f"anonymized table of {table.name}: {words}", order.reason)
            return self._kept(Published(order, found.sheet(), page(found), {table.name: found.table}))

        return await self.session.free("anonymize", work)


def _spending(order: Order) -> dict[str, Any]:
    return {name: number for name, number in order.spending.items() if number}


def _toml(order: Order, what: str) -> dict[str, Any]:
    try:
        return tomllib.loads(order.text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgumentError(what, f"is not TOML: {error}") from None
    except RecursionError:
        raise InvalidArgumentError(what, "is nested too deeply") from None


def _workload(order: Order) -> Workload:
    from deniable.releases.linear.toml import read_workload  # noqa: PLC0415 - slow to load

    return read_workload(_toml(order, "workload"))
