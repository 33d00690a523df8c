"""`simultaneous`, `after`, `rows` and `contribution` are the same words in every door, and mean the same there."""

import psycopg
import pytest

import deniable
from deniable.service.hints import hinted
from tests.support.doors import http, postgres

BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
TOTALS = """SELECT region, COUNT(*) AS n FROM visits WHERE region IN ('north', 'east', 'south', 'west')
    GROUP BY ROLLUP (region)"""
AT_ONCE = "all intervals of this answer hold at once with 95% confidence"


def test_a_hint_has_them():
    _, said = hinted("SELECT /*+ epsilon=1, simultaneous=on, after=nonnegative+whole, rows=10 */ COUNT(*) FROM visits")
    assert said == {"epsilon": "1", "simultaneous": "on", "after": "nonnegative+whole", "rows": "10"}


def test_over_http_they_are_those_of_the_local_curator(tmp_path):
    with http(tmp_path, pace=None) as door, deniable.connect(door.url, token=door.tokens["alice"]) as curator:
        local = door.service.populations["clinic"].curator
        words = {"simultaneous": True, "after": ["nonnegative", "whole"]}
        answer = curator.ask(BY_REGION, epsilon="0.5", **words)
        same = local.ask(BY_REGION, analyst="alice", epsilon="0.5", **words)
        alone = local.ask(BY_REGION, analyst="alice", epsilon="0.5")
        assert answer.intervals == same.intervals != alone.intervals
        assert answer.notes == same.notes
        assert AT_ONCE in answer.notes
        (*parts, total) = curator.ask(TOTALS, epsilon="0.5", after="consistent").table["n"].to_pylist()
        assert sum(parts) == total
        with pytest.raises(deniable.Refused, match="ROLLUP"):
            curator.ask(BY_REGION, epsilon="0.5", after="consistent")
        with pytest.raises(deniable.Refused, match="on or off"):
            curator.ask(BY_REGION, epsilon="0.5", simultaneous="perhaps")


def test_the_sql_door_has_them_as_settings(tmp_path):
    with postgres(tmp_path) as door, psycopg.connect(door.dsn(), autocommit=True) as connection:
        heard = []
        connection.add_notice_handler(lambda notice: heard.append(notice.message_primary))
        connection.execute("SET deniable.epsilon = 0.5")
        connection.execute("SET deniable.simultaneous = on")
        connection.execute("SET deniable.after = 'nonnegative'")
        rows = connection.execute(BY_REGION).fetchall()
        assert all(count >= 0 for _, count in rows)
        assert any(AT_ONCE in text for text in heard)
        assert any("nonnegative, after the noise" in text for text in heard)
        connection.execute("SET deniable.simultaneous = off")
        connection.execute("SET deniable.after = 'consistent'")
        (*parts, total) = (count for _, count in connection.execute(TOTALS).fetchall())
        assert sum(parts) == total
        hinted_too = TOTALS.replace("SELECT", "SELECT /*+ epsilon=0.5 after=consistent */", 1)
        assert [count for _, count in connection.execute(hinted_too).fetchall()] == [*parts, total]
