"""The whole product in random order: two analysts ask, repeat, batch and release while everything around them changes.

A model beside it predicts what happens at each step: what is paid and by whom, what is free, what is refused. Whatever
happens: what the population has lost is the sum of what was charged and within its cap, and what each analyst was shown
is within their share; an answer is free only if the same question was answered before on the same data under the same
policy, and is then the same; nobody pays twice for it; and every charge was made under the terms in force.
"""

import json
import os
import pickle
import shutil
import signal
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import deniable
from deniable.accounting import Filter
from deniable.core.errors import Failed, Refused
from deniable.core.loss import Loss
from deniable.curator import Curator, adopt
from deniable.ledger import Ledger
from deniable.ledger.sums import plus, short
from deniable.policy import digest_of, load
from deniable.releases import Workload
from tests.support.ledgers import forget

POLICY = """
[population]
name = "product"
[budget]
epsilon = {cap}
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
COUNTS = [("batch", 0, 0)]
"""What is bought and rests on no bounds, besides the first question."""
SPENDS = [{"epsilon": "0.1"}, {"epsilon": "0.3"}, {"rho": "0.01"}, {"epsilon": "0.1", "confidence": "0.9"}]
WORK = Workload.histogram("town")
NAMES = ("alice", "bob")
PATIENCE = 120

analysts = st.sampled_from(NAMES)
questions = st.integers(0, len(QUESTIONS) - 1)
spellings = st.integers(0, 1)
spends = st.integers(0, len(SPENDS) - 1)

Shown = tuple[bool, list[pa.Table]]


def asked(house: Curator, question: int, spelling: int, spend: int) -> Shown:
    """Whether it was free, and what was seen."""
    answer = house.ask(QUESTIONS[question][spelling], **SPENDS[spend])
    return answer.free or answer.share, [answer.noisy]


def named(question: int, spend: int) -> tuple[str, int, int]:
    """How sure an interval is does not change a count or a mean, which are noisy once; of a median it is a part."""
    return "ask", question, 0 if spend == 3 and question < 2 else spend


def ending(step: Callable[[], Shown]) -> tuple[str, list[pa.Table]]:
    """How a purchase ended, in one word, and what was seen."""
    try:
        free, tables = step()
    except Refused as refusal:
        return refusal.code, []
    except Failed:
        return "failed", []
    return ("free" if free else "paid"), tables


def elsewhere(step: Callable[[], Shown]) -> Callable[[], tuple[str, list[pa.Table]]]:
    """Begin it in a process of its own, which inherits everything; the call waits for how it ended there."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(PATIENCE)
            word, tables = ending(step)
            with os.fdopen(here, "wb") as pipe:
                pickle.dump((word, tables), pipe)
        finally:
            os._exit(0)
    os.close(here)

    def wait() -> tuple[str, list[pa.Table]]:
        with os.fdopen(there, "rb") as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        return pickle.loads(said) if said else ("killed", [])  # noqa: S301 - our own child wrote it

    return wait


def killed_at(method: str, step: Callable[[], Shown]) -> Callable[[], Shown]:
    """The process ends the hard way just before the ledger does this."""

    def dies(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def dying() -> Shown:
        setattr(Ledger, method, dies)
        return step()

    return dying


class Product(RuleBasedStateMachine):
    """One policy file, one table, one ledger; and a handle for each analyst, both open at once."""

    ledger = ""
    """What the policy says of its ledger."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="product-"))
        self.path = self.folder / "product.toml"
        self.rows, self.most, self.cap = 50, 110, 2.0
        self.answered: dict[object, list[pa.Table]] = {}
        self.prices: dict[object, Loss] = {}
        self.paid: set[tuple[str, object]] = set()
        self.spent = dict.fromkeys(("population", *NAMES), Loss.zero())
        self.write_policy()
        self.write_data()
        deniable.create(self.path, reason="another run of the same made-up people").close()
        self.open()

    def write_policy(self) -> None:
        self.path.write_text(POLICY.format(most=self.most, cap=self.cap) + self.ledger)

    def write_data(self) -> None:
        ages = [n % 100 for n in range(self.rows)]
        pq.write_table(pa.table({"age": ages, "town": ["north"] * self.rows}), self.folder / "visits.parquet")

    def open(self) -> None:
        self.houses = {name: deniable.open(self.path, analyst=name) for name in NAMES}

    def close(self) -> None:
        for house in self.houses.values():
            house.close()

    def key(self, name: object) -> object:
        """What makes a question the same: its meaning, the data, and what it reads of the policy: counts, no bounds."""
        counts = name in COUNTS or (isinstance(name, tuple) and name[:2] == ("ask", 0))
        return name, self.rows, None if counts else self.most

    # What must happen

    def predicted(self, who: str, key: object, loss: Loss) -> str:
        """Free, paid, shown at the analyst's cost, or refused: known before it is asked."""
        payers = [] if (who, key) in self.paid and key in self.answered else [who]
        payers += [] if key in self.answered else ["population"]
        price = self.prices.get(key, short(loss)) if key in self.answered else short(loss)
        caps = {account.name: account.cap for account in load(self.path).accounts(who)}
        caps = dict(zip(("population", who), caps.values(), strict=True))
        if all(Filter(caps[payer]).admits(plus(self.spent[payer], price)) for payer in payers):
            return "free" if key in self.answered else "paid"
        return "over-budget"

    def takes(self, who: str, key: object, loss: Loss, word: str, tables: list[pa.Table]) -> None:
        """Keep in the model what happened."""
        price = short(loss)
        if word in {"paid", "failed", "killed"}:
            self.prices.setdefault(key, price)
            self.spent["population"] = plus(self.spent["population"], price)
            self.spent[who] = plus(self.spent[who], price)
            self.paid.add((who, key))
        if word == "paid":
            self.answered[key] = tables
        if word == "free":
            assert tables == self.answered[key]
            if (who, key) not in self.paid:
                self.spent[who] = plus(self.spent[who], self.prices[key])
                self.paid.add((who, key))

    def buys(self, who: str, name: object, loss: Loss, step: Callable[[], Shown]) -> None:
        """Buy something, and compare with the prediction."""
        key = self.key(name)
        word, tables = ending(step)
        assert word == self.predicted(who, key, loss)
        self.takes(who, key, loss, word, tables)

    # Who asks, and how

    @rule(who=analysts, question=questions, spelling=spellings, spend=spends)
    def ask(self, who: str, question: int, spelling: int, spend: int) -> None:
        house = self.houses[who]
        loss = house.explain(QUESTIONS[question][spelling], **SPENDS[spend]).loss
        self.buys(who, named(question, spend), loss, lambda: asked(house, question, spelling, spend))

    @rule(who=analysts, first=questions, second=questions)
    def batch(self, who: str, first: int, second: int) -> None:
        house, texts = self.houses[who], [QUESTIONS[first][0], QUESTIONS[second][0]]

        def step() -> Shown:
            answers = house.ask_all(texts, epsilon="0.2")
            return answers[0].free or answers[0].share, [answer.noisy for answer in answers]

        self.buys(who, ("batch", first, second), house.explain_all(texts, epsilon="0.2").loss, step)

    @rule(who=analysts)
    def release(self, who: str) -> None:
        house = self.houses[who]

        def step() -> Shown:
            found = house.release(WORK, epsilon="0.2", strategy="identity")
            return found.free or house.history()[-1].kind == "shown", [found.table]

        loss = house.explain(WORK, epsilon="0.2", strategy="identity").loss
        self.buys(who, "release", loss, step)

    @rule(question=questions, spend=spends, processes=st.booleans())
    def both_ask_at_once(self, question: int, spend: int, processes: bool) -> None:  # noqa: FBT001 - drawn
        """One of them is charged, or none; the other is shown what the first got, at the cost of a share."""
        key = self.key(named(question, spend))
        loss = self.houses["alice"].explain(QUESTIONS[question][0], **SPENDS[spend]).loss
        steps = [lambda name=name: asked(self.houses[name], question, 0, spend) for name in NAMES]
        if processes:
            other = elsewhere(steps[1])
            ended = [ending(steps[0]), other()]
        else:
            start = Barrier(2)

            def waits(step: Callable[[], Shown]) -> tuple[str, list[pa.Table]]:
                start.wait()
                return ending(step)

            with ThreadPoolExecutor(2) as pool:
                ended = list(pool.map(waits, steps))
        who = [NAMES[place] for place in sorted(range(2), key=lambda place: ended[place][0] != "paid")]
        outcome = dict(zip(NAMES, ended, strict=True))
        for name in who:  # whoever paid came first; if nobody did, the order does not matter
            word, tables = outcome[name]
            assert word == self.predicted(name, key, loss)
            self.takes(name, key, loss, word, tables)

    # What goes wrong

    @rule(who=analysts, question=questions, spend=spends)
    def engine_breaks(self, who: str, question: int, spend: int) -> None:
        """What may have been looked at stays paid; asked again, it is paid again."""
        house, key = self.houses[who], self.key(named(question, spend))
        loss = house.explain(QUESTIONS[question][0], **SPENDS[spend]).loss

        def broken(*_: object) -> None:
            raise RuntimeError

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(house.engine), "fetch", broken)
            word, tables = ending(lambda: asked(house, question, 0, spend))
        expected = self.predicted(who, key, loss)
        assert word == ("failed" if expected == "paid" else expected)
        self.takes(who, key, loss, word, tables)

    @rule(who=analysts, question=questions, spend=spends, moment=st.sampled_from(["charge", "record", "find"]))
    def process_is_killed(self, who: str, question: int, spend: int, moment: str) -> None:
        """Before the charge nothing is spent, after it the charge stays; after the record the answer does, too."""
        house, key = self.houses[who], self.key(named(question, spend))
        loss = house.explain(QUESTIONS[question][0], **SPENDS[spend]).loss
        expected = self.predicted(who, key, loss)
        word, tables = elsewhere(killed_at(moment, lambda: asked(house, question, 0, spend)))()
        if expected != "paid":
            assert word == expected or (moment == "charge" and word == "killed")
            self.takes(who, key, loss, expected if word == expected else "nothing", tables)
            return
        assert word == "killed"
        if moment != "charge":
            self.takes(who, key, loss, word, [])
        if moment == "find":  # recorded, and seen by nobody: so it is there to be seen
            word, tables = ending(lambda: asked(house, question, 0, spend))
            assert word == "free"
            self.answered[key] = tables

    @rule(who=analysts)
    def an_older_copy_comes_back(self, who: str) -> None:
        """A ledger that forgot the last charge is not served."""
        if self.ledger:
            return  # a database cannot be copied while it is asked
        self.close()
        (ledger,) = self.folder.glob("*.ledger")
        older, newest = self.folder / "older", self.folder / "newest"
        shutil.copy(ledger, older)
        self.open()
        before = len(self.houses[who].history())
        self.ask(who, 0, 0, 0)
        grown = len(self.houses[who].history()) > before
        self.close()
        shutil.copy(ledger, newest)
        shutil.copy(older, ledger)
        if grown:
            with pytest.raises(Refused):
                deniable.open(self.path, analyst=who)
        shutil.copy(newest, ledger)
        self.open()

    @rule()
    def a_second_account_is_opened(self) -> None:
        """On the same file it would promise the same people their budget twice."""
        second = self.folder / "second.toml"
        second.write_text(self.path.read_text().replace('name = "product"', 'name = "second"'))
        with pytest.raises(Refused):
            deniable.create(second)
        assert not list(self.folder.glob("second*.ledger*"))

    # What changes

    @rule()
    def data_change(self) -> None:
        self.rows += 1
        self.write_data()

    @rule()
    def reopened(self) -> None:
        self.close()
        self.open()

    @rule(who=analysts)
    def policy_changes(self, who: str) -> None:
        """Not served until it is adopted; a handle from before then no longer charges."""
        self.most = 230 - self.most
        self.write_policy()
        with pytest.raises(Refused):
            deniable.open(self.path, analyst=who)
        adopt(self.path, "the codebook was revised")
        early = self.houses[who]
        with pytest.raises(Refused):
            early.ask("SELECT SUM(age) AS s FROM visits", epsilon="0.05")
        self.reopened()

    @rule()
    def cap_is_raised(self) -> None:
        self.cap += 0.25
        self.write_policy()
        if self.spent["population"] != Loss.zero():
            with pytest.raises(Refused):
                adopt(self.path, "not said to be a raise")
        adopt(self.path, "the board agreed", raising=True)
        self.reopened()
        assert self.houses["alice"].budget().within.raised or self.spent["population"] == Loss.zero()

    # What always holds

    @invariant()
    def accounts_are_as_the_model_says(self) -> None:
        if not hasattr(self, "houses"):
            return
        policy = load(self.path)
        for name, house in self.houses.items():
            whole, share = policy.accounts(name)
            for known, account in (("population", whole), (name, share)):
                assert house.ledger.spent(account.name) == self.spent[known]
                assert Filter(account.cap).admits(self.spent[known])

    @rule()
    def every_charge_was_made_under_the_terms_in_force(self) -> None:
        """And the sums of what was charged, added up once more from the first entry on."""
        ledger, file = self.houses["alice"].ledger, self.folder / "export.jsonl"
        assert ledger.verify() == len(ledger.history())
        ledger.export(file)
        policy = ""
        for line in file.read_text().splitlines()[:-1]:
            body = json.loads(line)["body"]
            policy = digest_of(body["terms"]) if "terms" in body and "population" in body["terms"] else policy
            assert body.get("policy", policy) == policy
        total = Loss.zero()
        for entry in ledger.history():
            total = plus(total, entry.loss) if entry.kind == "charged" else total
        assert total == self.spent["population"]

    def teardown(self) -> None:
        if hasattr(self, "houses"):
            self.close()
            forget(self.path)
            shutil.rmtree(self.folder)


def run(examples: int, steps: int, ledger: str = "", **more: object) -> None:
    run_state_machine_as_test(
        type("Product", (Product,), {"ledger": ledger}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            **more,
        ),
    )


pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def test_nothing_is_free_nothing_is_paid_twice_and_every_cap_holds():
    run(4, 12, phases=[Phase.generate])


def test_the_same_holds_on_a_server(server_url):
    run(2, 8, f'[ledger]\nurl = "{server_url}"\n', phases=[Phase.generate])


@pytest.mark.deep
def test_the_same_for_long(ledger_section):
    run(60, 40, ledger_section)
