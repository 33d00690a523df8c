"""UNION, INTERSECT and EXCEPT: planning takes as long as they are, and not twice as long for each part."""

import pytest

from deniable.planner import bind, parse
from deniable.planner.relations import from_clause
from tests.support.world import policy


@pytest.mark.parametrize("operation", ["UNION", "INTERSECT", "EXCEPT"])
def test_each_part_is_understood_once(operation, tmp_path, monkeypatch):
    seen = []
    declared = from_clause.declared
    monkeypatch.setattr(from_clause, "declared", lambda node, rules: seen.append(node.name) or declared(node, rules))
    parts = ["SELECT patient_id FROM visits", *["SELECT patient_id FROM stays"] * 13]
    bind(parse(f"SELECT COUNT(*) FROM ({f' {operation} '.join(parts)}) t"), policy(tmp_path, contribution=2))
    assert len(seen) == len(parts)
