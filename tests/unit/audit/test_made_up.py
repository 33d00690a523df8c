"""Made-up neighbours differ in one unit and nothing else, and fit the policy that they are made for."""

from pathlib import Path

import pyarrow as pa
import pytest

from deniable.audit.made_up import UNITS, neighbours
from deniable.files.kinds import misfit
from tests.support import odd, world
from tests.support.tables import policy


def others(table: pa.Table, unit: str) -> list[str]:
    """The rows of everybody but the one who matters; as text, since NaN differs from itself."""
    return [repr(row) for row in table.to_pylist() if row[unit] != UNITS]


def _policies() -> dict[str, object]:
    nowhere = Path("nowhere")
    return {
        f"{relation} {name}": made
        for relation in ("add-remove", "replace")
        for name, made in {
            "rows": policy(nowhere, contribution=None, neighbours=relation),
            "people": policy(nowhere, contribution=3, neighbours=relation),
            "many tables": world.policy(nowhere, contribution=2, neighbours=relation),
            "odd values": odd.policy(nowhere, contribution=2, neighbours=relation),
        }.items()
    }


POLICIES = _policies()


@pytest.mark.parametrize("name", POLICIES)
def test_neighbours_differ_in_one_unit_and_nothing_else(name):
    rules = POLICIES[name]
    for first, second in neighbours(rules, "visits").values():
        for title, declared in rules.tables.items():
            one, other = first[title], second[title]
            for column in declared.columns.values():
                assert not misfit(one.schema.field(column.name).type, column.kind)
            owner = declared.path[0].column if declared.path else declared.unit
            if declared.public or (owner is None and title != "visits"):
                assert repr(one.to_pylist()) == repr(other.to_pylist())
            elif owner is not None:
                assert others(one, owner) == others(other, owner)
                assert one.num_rows != other.num_rows or repr(one.to_pylist()) != repr(other.to_pylist())
            else:
                size = min(one.num_rows, other.num_rows) - ("replace" in name)
                assert repr(one.slice(0, size).to_pylist()) == repr(other.slice(0, size).to_pylist())
                assert other.num_rows - one.num_rows == (0 if "replace" in name else 1)


@pytest.mark.parametrize("name", [name for name in POLICIES if "rows" not in name])
def test_one_of_them_is_far_too_heavy(name):
    *_, (_, heavy) = neighbours(POLICIES[name], "visits").values()
    declared = POLICIES[name].tables["visits"]
    mine = [row for row in heavy["visits"].to_pylist() if row[declared.unit] == UNITS]
    assert len(mine) == 50 * declared.contribution


def test_the_same_seed_makes_the_same_tables():
    rules = POLICIES["add-remove people"]
    one, other, third = (neighbours(rules, "visits", seed=seed) for seed in (1, 1, 2))
    assert repr(one) == repr(other) != repr(third)
