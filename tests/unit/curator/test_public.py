"""Public tables say what is in them, and answer questions about themselves exactly and for nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.curator.public import tables as room
from deniable.curator.public.answer import PublicAnswer
from deniable.engines.engine import Broken
from deniable.ledger import Ledger
from deniable.policy import Policy

VISITS = "person,hospital,cost\n" + "".join(f"{row},{row % 3 + 1},{row % 10}\n" for row in range(90))
HOSPITALS = "hospital,city,beds,secret,opened\n1,Ulm,100,x,2001-01-01\n2,Bonn,250,y,\n3,Ulm,40,z,2003-01-01\n"


def curator(folder: Path, hospitals: dict[str, object] | None = None, **more: object) -> Curator:
    (folder / "visits.csv").write_text(VISITS)
    (folder / "hospitals.csv").write_text(HOSPITALS)
    declared = {
        "hospital": {"type": "integer"},
        "city": {"type": "text"},
        "beds": {"type": "integer"},
        "opened": {"type": "date"},
    }
    visits = {"person": {"type": "integer"}, "hospital": {"type": "integer"}, "cost": {"type": "integer"}}
    policy = Policy.from_mapping(
        {
            "population": {"name": "p"},
            "budget": {"epsilon": 1e9},
            "ledger": {"url": "sqlite://"},
            "tables": {
                "visits": {"source": "visits.csv", "unit": "person", "contribution": 1, "columns": visits},
                "hospitals": {
                    "source": "hospitals.csv",
                    "public": True,
                    "columns": declared if hospitals is None else hospitals,
                },
            },
            **more,
        },
        origin="test",
        folder=folder,
    )
    return Curator(policy, engine_of(policy), Ledger.memory("p"))


JOINED = "FROM visits JOIN hospitals ON visits.hospital = hospitals.hospital"


def test_columns_that_a_group_key_determines_are_shown_as_the_table_says_now(tmp_path: Path) -> None:
    with curator(tmp_path) as asked:
        tables = dict(asked.policy.tables)
        tables["hospitals"] = replace(tables["hospitals"], key="hospital")
        keyed = replace(asked.policy, tables=tables)
    sql = f"SELECT hospitals.hospital AS h, city, COUNT(*) AS n {JOINED} GROUP BY hospitals.hospital"
    with Curator(keyed, engine_of(keyed), Ledger.memory("p")) as asked:
        for cities in (["Ulm", "Bonn", "Ulm"], ["Bonn", "Ulm", "Bonn"]):
            lines = [f"{place},{city},1,x,2001-01-01\n" for place, city in enumerate(cities, start=1)]
            (tmp_path / "hospitals.csv").write_text("".join(["hospital,city,beds,secret,opened\n", *lines]))
            answer = asked.ask(sql, epsilon=10**6).table.to_pylist()
            assert [row["city"] for row in answer if row["h"] is not None] == cities


def test_group_keys_and_bounds_from_a_public_table_are_known(tmp_path: Path) -> None:
    """Without delta, without listed values, without declared bounds."""
    with curator(tmp_path) as asked:
        answer = asked.ask(f"SELECT city, COUNT(*) AS n, SUM(beds) AS b {JOINED} GROUP BY city", epsilon=10**6)
        rows = {row["city"]: (row["n"], round(row["b"])) for row in answer.table.to_pylist()}
        assert rows == {"Bonn": (30, 7500), "Ulm": (60, 4200)}
        quote = asked.explain(f"SELECT city, COUNT(*) AS n {JOINED} GROUP BY city", epsilon=10**6)
        assert quote.loss.epsilon == 10**6


def test_keys_are_those_of_the_version_that_is_asked(tmp_path: Path) -> None:
    sql = f"SELECT city, COUNT(*) AS n {JOINED} GROUP BY city"
    with curator(tmp_path) as asked:
        first = asked.ask(sql, epsilon=10**6)
        assert asked.ask(sql, epsilon=10**6).free
        (tmp_path / "hospitals.csv").write_text(HOSPITALS.replace("Bonn", "Jena"))
        second = asked.ask(sql, epsilon=10**6)
        assert not second.free
        assert (first.table["city"].to_pylist(), second.table["city"].to_pylist()) == (["Bonn", "Ulm"], ["Jena", "Ulm"])


def test_too_many_values_are_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_VALUES", 1)
    with curator(tmp_path) as asked, pytest.raises(Refused) as refused:
        asked.ask(f"SELECT city, COUNT(*) AS n {JOINED} GROUP BY city", epsilon=10**6)
    assert refused.value.code == "private-keys"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT COUNT(*) AS n, SUM(beds) AS b FROM hospitals", [{"n": 3, "b": 390}]),
        ("SELECT city, beds FROM hospitals WHERE beds > 50 ORDER BY beds DESC", [("Bonn", 250), ("Ulm", 100)]),
        ("WITH h AS (SELECT * FROM hospitals) SELECT MAX(a.beds) AS b FROM h AS a, Hospitals AS z", [(250,)]),
        ('SELECT h."city" FROM public."hospitals" AS h JOIN p.main.hospitals USING (hospital) LIMIT 0', []),
        ("SELECT MIN(public.hospitals.beds) AS b FROM main.hospitals", [(40,)]),
        ("SELECT year(opened) AS y FROM hospitals ORDER BY y NULLS LAST", [(2001,), (2003,), (None,)]),
        (
            "SELECT beds // 0 AS a, (beds - 80) // 30 AS b, CAST(city AS INTEGER) AS c FROM hospitals WHERE beds = 40",
            [(None, -1, None)],
        ),
        ("SELECT COUNT(*) AS n FROM hospitals WHERE opened < CURRENT_DATE", [(2,)]),
    ],
)
def test_questions_about_public_tables_alone_are_exact_and_free(tmp_path: Path, sql: str, rows: list[object]) -> None:
    with curator(tmp_path) as asked:
        answer = asked.ask(sql, epsilon=10**6)
        assert isinstance(answer, PublicAnswer)
        found = answer.table.to_pylist()
        assert [tuple(row.values()) for row in found] == [
            tuple(row.values()) if isinstance(row, dict) else row for row in rows
        ]
        assert answer.free
        assert asked.budget().spent.epsilon == 0
        assert asked.history() == asked.history()[:1]
        assert "exact" in str(answer)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT secret FROM hospitals",
        "SELECT current_setting('allowed_paths') AS x FROM hospitals",
        "SELECT getvariable('x') AS x FROM hospitals",
        "SELECT version() AS x FROM hospitals",
        "SELECT current_user AS x FROM hospitals",
        "SELECT current_database() AS x FROM hospitals",
        "SELECT beds FROM hospitals ORDER BY random()",
        "SELECT uuid() AS x FROM hospitals",
        "SELECT UNNEST(range(1000000000)) AS x FROM hospitals",
        "SELECT beds FROM hospitals TABLESAMPLE 10%",
        "SELECT beds FROM hospitals FOR UPDATE",
        "SELECT hospitals FROM hospitals",
        "SELECT repeat(city, 1000000000) AS x FROM hospitals",
        "SELECT format('{{:1000000000}}', beds) AS x FROM hospitals",
        "WITH RECURSIVE r AS (SELECT 1 AS n FROM hospitals UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
        "SELECT * FROM hospitals, read_text('{folder}/visits.csv')",
        "SELECT * FROM hospitals, '{folder}/visits.csv'",
        "SELECT * FROM hospitals, other.hospitals AS h",
        "SELECT * FROM hospitals, duckdb_settings()",
        "SELECT (SELECT age FROM visits) AS n FROM hospitals",
        "SELECT * FROM hospitals, information_schema.tables",
    ],
)
def test_nothing_but_declared_public_columns_is_shown(tmp_path: Path, sql: str) -> None:
    with curator(tmp_path) as asked, pytest.raises(Refused) as refused:
        asked.ask(sql.format(folder=tmp_path), epsilon=10**6)
    codes = {"public-table", "unknown-function", "unknown-table", "unsupported-clause", "unsupported-form", "subquery"}
    assert refused.value.code in codes | {"bad-constant"}


def test_an_answer_about_public_tables_has_limits_as_others_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its cells, while they are fetched, and of the time that it takes, after which the next is answered."""
    crowd = ", ".join(f"hospitals AS h{place}" for place in range(30))
    with curator(tmp_path) as asked:
        for most, seconds, sql in ((10**6, 0.5, f"SELECT COUNT(*) FROM {crowd}"), (7, 10.0, "FROM hospitals")):
            monkeypatch.setattr(room, "_CELLS", most)
            monkeypatch.setattr(room, "_SECONDS", seconds)
            with pytest.raises(Refused) as refused:
                asked.ask(sql, epsilon=1)
            assert refused.value.code == "public-table"
        assert asked.ask("SELECT COUNT(*) AS n FROM hospitals", epsilon=1).table["n"].to_pylist() == [3]


def test_the_process_that_answers_has_public_sources_only(tmp_path: Path) -> None:
    with curator(tmp_path) as asked:
        for sql in ("FROM visits", f"FROM read_csv('{tmp_path}/visits.csv')"):
            with pytest.raises(Broken):
                asked._public._engine.fetch(sql)


def test_types_are_looked_up_where_none_are_declared(tmp_path: Path) -> None:
    with curator(tmp_path, hospitals={}) as asked:
        answer = asked.ask(f"SELECT secret, COUNT(*) AS n {JOINED} WHERE beds > 50 GROUP BY secret", epsilon=10**6)
        assert dict(zip(*answer.table.to_pydict().values(), strict=True)) == {"x": 30, "y": 30, "z": 0}


def test_a_wrong_declaration_of_one_table_does_not_stop_questions_about_another(tmp_path: Path) -> None:
    with curator(tmp_path, hospitals={"gone": {"type": "integer"}}) as asked:
        assert asked.ask("SELECT COUNT(*) AS n FROM visits", epsilon=10**6).table["n"].to_pylist() == [90]
        for sql in ("SELECT COUNT(*) AS n FROM hospitals", f"SELECT COUNT(*) AS n {JOINED}"):
            with pytest.raises(Refused) as refused:
                asked.ask(sql, epsilon=10**6)
            assert refused.value.code == "data-unavailable"


def test_only_analysts_of_the_policy_may_ask(tmp_path: Path) -> None:
    with curator(tmp_path, analysts={"alice": {"epsilon": 1}}) as asked:
        with pytest.raises(Refused):
            asked.ask("SELECT COUNT(*) AS n FROM hospitals", epsilon=10**6)
        assert (
            asked.ask("SELECT COUNT(*) AS n FROM hospitals", analyst="alice", epsilon=10**6).table["n"][0].as_py() == 3
        )
