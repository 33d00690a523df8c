"""What an order begins with can be priced as it stands, whatever columns are called."""

import tomllib
from pathlib import Path

from deniable.doors.console.custodian.orders import EXAMPLES
from deniable.policy import Policy

NAMES = ("Net Gain", 'the "quoted" one', "a.b", "plain_one")


def test_an_example_is_toml_whatever_columns_are_called():
    columns = {name: {"type": "integer", "bounds": [0, 9]} for name in NAMES}
    tables = {'an "odd" table': {"source": "rows.parquet", "columns": columns}}
    said = {"population": {"name": "odd"}, "budget": {"epsilon": 1}, "tables": tables}
    policy = Policy.from_mapping(said, origin="odd.toml", folder=Path())
    assert tuple(tomllib.loads(EXAMPLES["anonymized"](policy))["quasi_identifiers"]) == NAMES[:3]
    workload = tomllib.loads(EXAMPLES["workload"](policy))
    assert (workload["table"], workload["parts"][0]["histogram"]) == ('an "odd" table', [NAMES[0]])
