"""What may change from afar: any sequence of plain changes protects the same people, from the same rows, as much."""

from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.policy import Policy, Weight
from deniable.policy.amendments import amendments
from deniable.policy.shares import with_share
from tests.support.served import declared

FOLDER = Path("/clinic")


def policy(change=dict):
    said = declared()
    change(said)
    return Policy.from_mapping(said, origin="clinic.toml", folder=FOLDER)


def visits(**settings):
    return lambda said: said["tables"]["visits"].update(settings)


PLAIN = {
    "bounds": lambda said: said["tables"]["visits"]["columns"]["age"].update(bounds=[0, 90]),
    "contribution": visits(contribution=1, keys=2),
    "share": lambda said: said["analysts"]["alice"].update(epsilon=600),
    "analyst": lambda said: said["analysts"].update(dora={"epsilon": 1}),
    "smaller budget": lambda said: said["budget"].update(epsilon=900),
    "column": lambda said: said["tables"]["visits"]["columns"].pop("cost"),
    "a table less": lambda said: said["tables"].pop("hospitals"),
}
FIXED = {
    "population": lambda said: said["population"].update(name="other"),
    "neighbours": lambda said: said["population"].update(neighbours="replace"),
    "budget": lambda said: said["budget"].update(epsilon=1001),
    "delta": lambda said: said["budget"].update(delta=1e-5),
    "division of delta": lambda said: said["budget"].update(delta_for_keys=1e-7),
    "engine": lambda said: said.update(engine={"kind": "duckdb", "seconds": 5}),
    "ledger": lambda said: said.update(ledger={"url": "sqlite:///other.ledger"}),
    "serving": lambda said: said["serve"].update(release_after="0s"),
    "source": visits(source="other.parquet"),
    "unit": visits(unit="age"),
    "keys": visits(keys=1),
    "key": visits(key="age"),
    "public": lambda said: said["tables"]["hospitals"].update(public=False),
    "new table": lambda said: said["tables"].update(more=dict(said["tables"]["hospitals"])),
}


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_asked_can_change(name):
    found = amendments(policy(), policy(PLAIN[name]))
    assert found
    assert {change.weight for change in found} == {Weight.PLAIN}


@pytest.mark.parametrize("name", FIXED)
def test_what_a_promise_rests_on_cannot(name):
    if name == "unit":
        changed = policy(
            lambda said: (visits(unit="age")(said), said["tables"]["visits"]["columns"]["age"].pop("bounds"))
        )
    else:
        changed = policy(FIXED[name])
    assert any(change.weight is not Weight.PLAIN for change in amendments(policy(), changed))


def test_the_same_policy_changes_nothing():
    assert amendments(policy(), policy()) == []


TEXT = """\
[analysts."a.b"]
epsilon = 1.0

[analysts.alice]   # hers
delta = 0
epsilon = 2  # so far
[serve]
epsilon = 9"""


@pytest.mark.parametrize(
    ("name", "line"), [("alice", "epsilon = 2.5  # so far"), ("a.b", "epsilon = 2.5")], ids=["plain", "quoted"]
)
def test_a_share_changes_in_its_own_line_and_nowhere_else(name, line):
    before, after = TEXT.split("\n"), with_share(TEXT, name, "2.5").split("\n")
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [line]


@pytest.mark.parametrize("name", ["serve", "nobody", "analysts"])
def test_a_share_that_has_no_line_of_its_own_is_refused(name):
    with pytest.raises(Refused, match="no-plain-share"):
        with_share(TEXT, name, 1)
