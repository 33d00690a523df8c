"""What a custodian orders is refused before it is read or paid, if it is not right; and made once, if it is."""

import asyncio

import pytest

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.service.custodian.publishing import Publishing
from deniable.service.orders import Order
from tests.support.served import served, session

COUNTS = 'table = "visits"\n[[parts]]\nhistogram = ["region"]\n'
PAID = {"rho": "0.001", "delta": "1e-9"}


def played(folder, who, *orders):
    """What becomes of all of these at once, and by how many entries the ledger grows."""

    async def play():
        with served(folder, "1ms") as (service, secrets):
            publishing = Publishing(await session(service, secrets[who]))
            ledger = publishing.session.population.curator.ledger
            before = ledger.head.sequence
            found = await asyncio.gather(*(publishing.make(one) for one in orders), return_exceptions=True)
            grown = ledger.head.sequence - before
            await service.close()
            return found, grown

    return asyncio.run(play())


@pytest.mark.parametrize(
    "order",
    [
        Order("synthetic", "bob", PAID, rows="9" * 5000),
        Order("synthetic", "bob", PAID, rows="0"),
        Order("synthetic", "bob", PAID, rows="many"),
        Order("workload", "bob", {"rho": "0.001"}, text="a = " + "[" * 100_000),
        Order("workload", "bob", {"rho": "nan"}, text=COUNTS),
        Order("workload", "mallory", {"rho": "0.001"}, text=COUNTS),
        Order("anonymized", tables=("visits",), text="k = 1\n[quasi_identifiers]\nage = {}\n", reason="a study"),
    ],
    ids=["long rows", "no rows", "words for rows", "deep", "not a number", "a stranger's share", "k of 1"],
)
def test_what_is_not_right_is_refused_and_costs_nothing(tmp_path, order):
    (found,), grown = played(tmp_path, "carol", order)
    assert isinstance(found, Refused | InvalidArgumentError)
    assert grown == 0


def test_the_same_order_several_times_at_once_is_charged_once(tmp_path):
    found, grown = played(tmp_path, "carol", *[Order("workload", "bob", {"rho": "0.001"}, text=COUNTS)] * 4)
    assert len({str(one.tables["answers"].to_pydict()) for one in found}) == 1
    assert grown == 2  # the charge and the answer


def test_nobody_else_publishes(tmp_path):
    (found,), grown = played(tmp_path, "alice", Order("workload", "alice", {"rho": "0.001"}, text=COUNTS))
    assert (found.code, grown) == ("wrong-role", 0)
