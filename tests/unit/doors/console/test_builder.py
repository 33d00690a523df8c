"""Buttons write the SQL that anyone could have written, and nothing that is chosen can become more than a value."""

from pathlib import Path

import pytest

from deniable.doors.console.builder import Built, quoted
from deniable.policy import Policy
from tests.support.served import declared

POLICY = Policy.from_mapping(declared(), origin="clinic.toml", folder=Path())


MONTHLY = """\
SELECT DATE_TRUNC('month', day) AS month, AVG(cost) AS average_cost
FROM visits
GROUP BY DATE_TRUNC('month', day)
ORDER BY month"""


@pytest.mark.parametrize(
    ("chosen", "sql"),
    [
        ({}, ""),
        ({"table": "visits"}, ""),
        ({"table": "nothing", "what": "rows"}, ""),
        ({"table": "visits", "what": "rows"}, "SELECT COUNT(*) AS visits_counted\nFROM visits"),
        ({"table": "visits", "what": "people"}, "SELECT COUNT(DISTINCT patient) AS people\nFROM visits"),
        (
            {"table": "visits", "what": "average cost", "by": "day month"},
            MONTHLY,
        ),
        (
            {"table": "visits", "what": "rows", "where": "reason", "sign": "is not", "value": "o'clock' OR 1=1 --"},
            "SELECT COUNT(*) AS visits_counted\nFROM visits\nWHERE reason <> 'o''clock'' OR 1=1 --'",
        ),
        (
            {"table": "visits", "what": "rows", "where": "age", "sign": "is at least", "value": "1 OR TRUE"},
            "SELECT COUNT(*) AS visits_counted\nFROM visits\nWHERE age >= '1 OR TRUE'",
        ),
        ({"table": "visits", "what": "average region"}, ""),
        ({"table": "hospitals", "what": "people", "by": "city"}, ""),
    ],
)
def test_what_is_chosen_becomes_sql(chosen, sql):
    assert Built.read(chosen).sql(POLICY) == sql


def test_public_tables_units_and_unknown_keys_are_not_offered():
    choices = Built(table="visits").choices(POLICY)
    assert choices["table"] == [("visits", "visits")]
    assert "patient" not in dict(choices["by"])
    assert "reason" not in dict(choices["by"])
    assert dict(choices["what"])["median age"] == "median of age"


def test_names_are_quoted_where_they_need_it():
    assert quoted("age") == "age"
    assert quoted("when") == '"when"'
    assert quoted("null") == '"null"'
    assert quoted('a "b"; DROP') == '"a ""b""; DROP"'
