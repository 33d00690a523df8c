"""The whole product in random order: two analysts ask, repeat, batch and release while everything around them changes.

A model beside it knows what was paid for. Whatever happens: what the population has lost is the sum of what was
charged and within its cap, so is what each analyst was shown within their share; an answer is free only if the same
question was answered before on the same data under the same policy; and then it costs the population nothing.
"""

import shutil
import tempfile
from functools import reduce
from operator import add
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import deniable
from deniable.accounting import Filter
from deniable.core.errors import Failed, Refused
from deniable.core.loss import Loss
from deniable.policy import load
from deniable.releases import Workload

POLICY = """
[population]
name = "product"
[budget]
epsilon = 2.0
delta = 1e-6
delta_for_keys = 3e-7
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = {{ type = "integer", bounds = [0, {most}] }}
town = {{ type = "text", values = ["north", "south"] }}
[analysts.alice]
epsilon = 1.5
[analysts.bob]
epsilon = 1.0
"""
QUESTIONS = [
    ("SELECT COUNT(*) AS n FROM visits", "select count(*) as other from visits"),
    ("SELECT town, AVG(age) AS a FROM visits GROUP BY town", "SELECT town, AVG(age) FROM visits GROUP BY 1"),
    ("SELECT MEDIAN(age) AS m FROM visits WHERE town = 'north'", "SELECT median(AGE) FROM visits WHERE 'north' = town"),
]
"""Each in two spellings."""
SPENDS = [{"epsilon": "0.1"}, {"epsilon": "0.3"}, {"rho": "0.01"}, {"epsilon": "0.1", "confidence": "0.9"}]
WORK = Workload.histogram("town")
HARMLESS = {"over-budget", "data-unavailable"}

analysts = st.sampled_from(["alice", "bob"])
questions = st.integers(0, len(QUESTIONS) - 1)
spellings = st.integers(0, 1)
spends = st.integers(0, len(SPENDS) - 1)


class Product(RuleBasedStateMachine):
    """One policy file, one table, one ledger; and a handle for each analyst, both open at once."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="product-"))
        self.path = self.folder / "product.toml"
        self.rows, self.most = 50, 110
        self.answered: dict[object, pa.Table] = {}
        self.write()
        deniable.create(self.path, reason="another run of the same made-up people").close()
        self.open()

    def write(self) -> None:
        self.path.write_text(POLICY.format(most=self.most))
        ages = [n % 100 for n in range(self.rows)]
        pq.write_table(pa.table({"age": ages, "town": ["north"] * self.rows}), self.folder / "visits.parquet")

    def open(self) -> None:
        self.houses = {name: deniable.open(self.path, analyst=name) for name in ("alice", "bob")}

    def close(self) -> None:
        for house in self.houses.values():
            house.close()

    @staticmethod
    def check_refusal(refusal: Refused) -> None:
        assert refusal.code in HARMLESS

    @property
    def spent(self) -> Loss:
        return self.houses["alice"].ledger.spent("population")

    def pays(self, key, buy) -> None:
        """Buy something: what is free was answered before, what was answered before is free, and all else is paid."""
        key, before = (key, self.rows, self.most), self.spent
        try:
            free, tables, loss = buy()
        except Refused as refusal:
            self.check_refusal(refusal)
            assert self.spent == before
            return
        except Failed:
            assert self.spent != before  # looked at, perhaps: so it stays paid
            return
        if free:
            assert key in self.answered
            assert tables == self.answered[key]
            assert self.spent == before
        else:
            assert key not in self.answered
            assert self.spent == before + loss
            self.answered[key] = tables

    @rule(who=analysts, question=questions, spelling=spellings, spend=spends)
    def ask(self, who: str, question: int, spelling: int, spend: int) -> None:
        def buy():
            answer = self.houses[who].ask(QUESTIONS[question][spelling], **SPENDS[spend])
            return answer.free, [answer.noisy], answer.loss

        # how sure an interval is does not change a count or a mean, which are noisy once; of a choice it is part
        same = {0: 0, 3: 0}.get(spend, spend) if question < 2 else spend
        self.pays(("ask", question, same), buy)

    @rule(who=analysts, first=questions, second=questions)
    def batch(self, who: str, first: int, second: int) -> None:
        def buy():
            answers = self.houses[who].ask_all([QUESTIONS[first][0], QUESTIONS[second][0]], epsilon="0.2")
            loss = reduce(add, (answer.loss for answer in answers))
            return answers[0].free, [answer.noisy for answer in answers], loss

        self.pays(("batch", first, second), buy)

    @rule(who=analysts)
    def release(self, who: str) -> None:
        def buy():
            found = self.houses[who].release(WORK, epsilon="0.2", strategy="identity")
            return found.free, [found.table], found.loss

        self.pays("release", buy)

    @rule(who=analysts, question=questions)
    def engine_breaks(self, who: str, question: int) -> None:
        before = len(self.houses[who].history())

        def broken(*_: object) -> None:
            raise RuntimeError

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(self.houses[who].engine), "fetch", broken)
            try:
                assert self.houses[who].ask(QUESTIONS[question][0], epsilon="0.05").free
            except Refused as refusal:
                self.check_refusal(refusal)
            except Failed:
                assert [entry.kind for entry in self.houses[who].history()[before:]] == ["charged"]

    @rule()
    def data_change(self) -> None:
        self.rows += 1
        self.write()

    @rule()
    def reopened(self) -> None:
        self.close()
        self.open()

    @rule(wider=st.booleans())
    def policy_changes(self, wider: bool) -> None:  # noqa: FBT001 - drawn
        """Other bounds make other questions; a ledger may also refuse to go on, and then the policy goes back."""
        self.close()
        old, self.most = self.most, 120 if wider else 110
        self.write()
        try:
            self.open()
        except Refused:
            self.most = old
            self.write()
            self.open()

    @rule(who=analysts)
    def an_older_copy_comes_back(self, who: str) -> None:
        """A ledger that forgot the last charge is not served."""
        self.close()
        (ledger,) = self.folder.glob("*.ledger")
        older = self.folder / "older"
        shutil.copy(ledger, older)
        self.open()
        before = len(self.houses[who].history())
        self.ask(who, 0, 0, 0)
        grown = len(self.houses[who].history()) > before
        self.close()
        newest = self.folder / "newest"
        shutil.copy(ledger, newest)
        shutil.copy(older, ledger)
        if grown:
            with pytest.raises(Refused):
                deniable.open(self.path, analyst=who)
        shutil.copy(newest, ledger)
        self.open()

    @invariant()
    def accounts_hold(self) -> None:
        if not hasattr(self, "houses"):
            return
        policy = load(self.path)
        for house in self.houses.values():
            charged = [entry for entry in house.history() if entry.kind == "charged"]
            total = reduce(add, (entry.loss for entry in charged), Loss.zero())
            assert house.ledger.spent("population") == total
            assert Filter(policy.cap).admits(total)
        for name in self.houses:
            own = reduce(add, (entry.loss for entry in charged if entry.analyst == name), Loss.zero())
            _, share = policy.accounts(name)
            spent = self.houses[name].ledger.spent(share.name)
            assert Filter(share.cap).admits(spent)
            for form in ("epsilon", "rho", "mu_squared", "delta"):
                mine, known = getattr(own, form), getattr(spent, form)
                assert known is None or (mine is not None and known >= mine)

    def teardown(self) -> None:
        if hasattr(self, "houses"):
            self.close()
            shutil.rmtree(self.folder)


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Product,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.deep
def test_nothing_is_free_nothing_is_paid_twice_and_every_cap_holds():
    run(3, 12)


@pytest.mark.deep
def test_the_same_for_long():
    run(200, 40)
