"""protect, init and check call every type the same, and the engine reads it as that."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError
from deniable.curator.custodian.check import check, look
from deniable.curator.custodian.draft import draft
from deniable.curator.factory import engine_of, protect
from deniable.files.kinds import is_instant, kind_of, misfit, unit_kind_of, unit_misfit
from deniable.policy import Policy, load

LATE = datetime(2025, 1, 1, 23, 30)
ARROW: list[tuple[pa.DataType, Any, str | None]] = [
    (pa.bool_(), True, "boolean"),
    *((kind, 1, "integer") for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((kind, 1, "integer") for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    *((kind, 1.5, "number") for kind in (pa.float32(), pa.float64())),
    *((kind, Decimal("1.5"), "number") for kind in (pa.decimal128(10, 2), pa.decimal256(50, 2))),
    *((kind, "a", "text") for kind in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.dictionary(pa.int32(), pa.string()), "a", "text"),
    (pa.dictionary(pa.int8(), pa.int64()), 3, "integer"),
    (pa.uuid(), b"0123456789abcdef", "text"),
    (pa.json_(), "{}", "text"),
    (pa.null(), None, "text"),
    (pa.time32("s"), time(9, 30), "time"),
    (pa.time64("us"), time(9, 30), "time"),
    *((kind, LATE.date(), "date") for kind in (pa.date32(), pa.date64())),
    *((pa.timestamp(unit), LATE, "timestamp") for unit in ("s", "ms", "us", "ns")),
    *((pa.timestamp(unit, "Europe/Berlin"), LATE, None) for unit in ("ms", "us", "ns")),
    *((kind, b"ab", None) for kind in (pa.binary(), pa.large_binary(), pa.binary(2))),
    (pa.list_(pa.int64()), [1], None),
    (pa.struct([("x", pa.int64())]), {"x": 1}, None),
    (pa.map_(pa.string(), pa.int64()), [("a", 1)], None),
    (pa.list_(pa.timestamp("us")), [LATE], None),
]
DUCKDB = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(38,0)"), "number"),
    **dict.fromkeys(("VARCHAR", "UUID", "JSON", "ENUM('a', 'b)')"), "text"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp"),
    "DATE": "date",
    "TIME": "time",
    "INTERVAL": "number",
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIME WITH TIME ZONE", "BLOB", "BIT"), None),
    **dict.fromkeys(("BIGINT[]", "DATE[3]", "TIMESTAMP[]", "ENUM('a')[]", "VARCHAR[2]", "BOOLEAN[]"), None),
    **dict.fromkeys(("STRUCT(x BIGINT)", "MAP(VARCHAR, BIGINT)", "UNION(a BIGINT, b VARCHAR)", "BIGNUM"), None),
}


def called(kind: Kind | None) -> str | None:
    return None if kind is None else kind.value


def drafted(source: str) -> dict[str, str | None]:
    """What init calls each column; None: it is left out, with a reason."""
    text = draft(source)
    declared = dict(re.findall(r'^(\w+) = \{ type = "(\w+)"', text, flags=re.MULTILINE))
    return declared | dict.fromkeys(re.findall(r"^# (\w+) is stored as ", text, flags=re.MULTILINE))


def accepted(source: str, names: list[str]) -> dict[str, set[str]]:
    """What check lets each column be declared as."""
    said: dict[str, set[str]] = {name: set() for name in names}
    for kind in Kind:
        table = {"source": source, "columns": {name: {"type": kind.value} for name in names}}
        written = {"population": {"name": "p"}, "budget": {"epsilon": 1}, "tables": {"t": table}}
        policy = Policy.from_mapping(written, origin="test", folder=Path())
        engine = engine_of(policy)
        for seen in check(policy, engine):
            said[seen.column] |= set() if seen.problem else {kind.value}
        engine.close()
    return said


def also(kind: str | None) -> set[str]:
    """A whole number may be declared a number, a date a timestamp, and everything a text."""
    if kind is None:
        return set()
    return {kind, "text"} | {"integer": {"number"}, "date": {"timestamp"}}.get(kind, set())


def test_a_frame_its_file_and_its_draft_agree(tmp_path: Path) -> None:
    table = pa.table({f"x{place}": pa.array([value, None], stored) for place, (stored, value, _) in enumerate(ARROW)})
    expected = {f"x{place}": kind for place, (_, _, kind) in enumerate(ARROW)}
    assert {column.name: called(kind_of(column.type)) for column in table.schema} == expected
    with protect(table, epsilon=10**6) as curator:
        declared = curator.policy.tables["data"].columns
        shown = {column.name: "timestamp" for column in table.schema if is_instant(column.type)}
        assert {
            name: called(declared[name].kind) if name in declared else None for name in expected
        } == expected | shown
        counts = ", ".join(f"COUNT({name}) AS {name}" for name in declared)
        (answer,) = curator.ask(f"SELECT {counts} FROM data", epsilon=10**5).table.to_pylist()
        assert answer == {name: 0 if table[name].null_count == 2 else 1 for name in declared}
    pq.write_table(table, tmp_path / "t.parquet")
    assert drafted(str(tmp_path / "t.parquet")) == expected | shown
    found = accepted(str(tmp_path / "t.parquet"), list(expected))
    assert found == {name: also(kind) for name, kind in expected.items()}


def test_values_that_are_stored_once_have_the_type_of_the_values() -> None:
    assert kind_of(pa.dictionary(pa.int8(), pa.timestamp("us"))) is Kind.TIMESTAMP
    assert kind_of(pa.dictionary(pa.int8(), pa.timestamp("us", "UTC"))) is None
    assert kind_of(pa.dictionary(pa.int8(), pa.decimal128(10, 2))) is Kind.NUMBER


def test_a_table_and_its_draft_agree(tmp_path: Path) -> None:
    source, expected = f"{tmp_path}/t.duckdb::t", {f"x{place}": kind for place, kind in enumerate(DUCKDB.values())}
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'x{place} {kind}' for place, kind in enumerate(DUCKDB))})")
        connection.execute(f"INSERT INTO t VALUES ({', '.join('NULL' for _ in DUCKDB)})")
        stored = connection.execute("DESCRIBE t").fetchall()
    assert {name: called(kind_of(kind)) for name, kind, *_ in stored} == expected
    assert drafted(source) == expected | {name: "timestamp" for name, kind, *_ in stored if is_instant(kind)}
    assert accepted(source, list(expected)) == {name: also(kind) for name, kind in expected.items()}


def test_the_day_of_a_timestamp_is_the_day_on_which_it_falls() -> None:
    days = [LATE + timedelta(hours=hours) for hours in range(100)]
    frame = pa.table({"seen": pa.array(days, pa.timestamp("ns"))})
    with protect(frame, epsilon=10**6, bounds={"seen": ("2025-01-01", "2025-01-10")}) as curator:
        answer = curator.ask("SELECT CAST(seen AS DATE) AS d, COUNT(*) AS n FROM data GROUP BY d", epsilon=10**5)
        found = {row["d"]: row["n"] for row in answer.table.to_pylist() if row["n"]}
        before, full, three = (
            curator.ask(f"SELECT COUNT(*) AS n FROM data WHERE {question}", epsilon=10**5).table["n"][0].as_py()
            for question in ("seen < '2025-01-02 12:00'", "DATE_TRUNC('hour', seen) = seen", "HOUR(seen) = 3")
        )
    assert found == {day: sum(one.date() == day for one in days) for day in {one.date() for one in days}}
    assert before == sum(one < datetime(2025, 1, 2, 12) for one in days)
    assert (full, three) == (0, sum(one.hour == 3 for one in days))


def test_a_timestamp_is_never_cut_to_a_date_nor_moved_to_a_zone_unasked(tmp_path: Path) -> None:
    """What check names: a time of day that would be cut off, and an instant that nobody said where to read."""
    frame = pa.table(
        {"seen": pa.array([LATE], pa.timestamp("us")), "sent": pa.array([LATE], pa.timestamp("us", "UTC"))}
    )
    pq.write_table(frame, tmp_path / "t.parquet")
    said = {}
    for name, declared in {"seen": {"type": "date"}, "sent": {"type": "timestamp"}}.items():
        table = {"source": "t.parquet", "columns": {name: declared}}
        written = {"population": {"name": "p"}, "budget": {"epsilon": 1}, "tables": {"t": table}}
        policy = Policy.from_mapping(written, origin="test", folder=tmp_path)
        engine = engine_of(policy)
        (said[name],) = [seen.problem for seen in check(policy, engine)]
        engine.close()
        zoned = Policy.from_mapping(
            written | {"population": {"name": "p", "zone": "Asia/Tokyo"}}, origin="test", folder=tmp_path
        )
        engine = engine_of(zoned)
        (again,) = [seen.problem for seen in check(zoned, engine)]
        engine.close()
        assert bool(again) is (name == "seen")
    assert "time of day would be cut off" in said["seen"]
    assert 'zone = "Europe/Berlin"' in said["sent"]


def test_an_instant_is_read_in_the_frames_zone_or_in_another_that_is_said() -> None:
    """Late in Berlin is earlier in London: what hour it was depends on the zone, which the policy says."""
    frame = pa.table({"seen": pa.array([LATE], pa.timestamp("us", "Europe/Berlin")), "x": [1]})
    hours = {}
    for zone in (None, "Europe/London", "UTC"):
        with protect(frame, epsilon=10**6, zone=zone) as curator:
            asked = curator.ask(
                "SELECT EXTRACT(hour FROM seen) AS h, COUNT(*) AS n FROM data GROUP BY h", epsilon=10**5
            )
            (hours[curator.policy.zone],) = [row["h"] for row in asked.table.to_pylist() if row["n"]]
    utc = LATE.hour
    assert hours == {"Europe/Berlin": (utc + 1) % 24, "Europe/London": utc, "UTC": utc}


def test_an_instant_names_nobody_and_several_zones_are_not_guessed() -> None:
    frame = pa.table({"seen": pa.array([LATE], pa.timestamp("us", "Europe/Berlin")), "x": [1]})
    with pytest.raises(InvalidArgumentError, match="depends on where one stands"):
        protect(frame, epsilon=1, unit="seen", contribution=1)
    two = frame.append_column("sent", pa.array([LATE], pa.timestamp("us", "UTC")))
    with pytest.raises(InvalidArgumentError, match="Europe/Berlin, UTC"):
        protect(two, epsilon=1)
    protect(two, epsilon=1, zone="UTC").close()


def test_a_csv_column_is_what_the_engine_reads_it_as(tmp_path: Path) -> None:
    """3/12/25 looks like a date, but the engine's cast reads NULL: it would be missing from every answer."""
    lines = [
        "iso,slashes,short,time,code,whole,real,flag,blank,mixed",
        "2025-01-01,31/12/2025,3/12/25,2025-01-01 23:30:00,02138,1,1.5,yes,,1",
        "2025-01-02,3/12/2025,4/12/25,2025-01-02T00:30:00,02139,-2,1e3,no,,x",
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    text = draft(tmp_path / "t.csv")
    declared = dict(re.findall(r'^(\w+) = \{ type = "(\w+)"', text, flags=re.MULTILINE))
    assert declared == {
        "iso": "date",
        "slashes": "date",
        "short": "text",
        "time": "timestamp",
        "code": "text",
        "whole": "integer",
        "real": "number",
        "flag": "boolean",
        "blank": "text",
        "mixed": "text",
    }
    (tmp_path / "t.toml").write_text(text)
    policy = load(tmp_path / "t.toml")
    engine = engine_of(policy)
    assert not [seen.problem for seen in check(policy, engine) if seen.problem]
    wrong = Policy.from_mapping(
        {
            "population": {"name": "p"},
            "budget": {"epsilon": 1},
            "tables": {"t": {"source": str(tmp_path / "t.csv"), "columns": {"slashes": {"type": "date"}}}},
        },
        origin="test",
        folder=tmp_path,
    )
    other = engine_of(wrong)
    assert [(one.what, one.wrong) for one in look(wrong, other)] == [
        ("2 of 2 rows cannot be read as date, and count as missing", True)
    ]
    engine.close()
    other.close()


def test_what_names_the_unit_is_never_cut() -> None:
    assert called(unit_kind_of(pa.int64())) == "integer"
    for stored, kind in ((pa.uint64(), Kind.INTEGER), ("HUGEINT", Kind.INTEGER), (pa.timestamp("ns"), Kind.TIMESTAMP)):
        assert unit_kind_of(stored) is Kind.TEXT
        assert not misfit(stored, kind)
        assert "different units would become one" in unit_misfit(stored, kind)
        assert not unit_misfit(stored, Kind.TEXT)


def test_units_of_more_than_64_bits_are_all_counted(tmp_path: Path) -> None:
    """Half of all 64-bit hashes do not fit into a signed integer."""
    hashes = [2**63 + number // 2 for number in range(200)]
    frame = pa.table({"person_id": pa.array(hashes, pa.uint64())})
    with protect(frame, epsilon=10**6, unit="person_id", contribution=2) as curator:
        answer = curator.ask("SELECT COUNT(DISTINCT person_id) AS n FROM data", epsilon=10**5)
        assert answer.table["n"].to_pylist() == [100]
    pq.write_table(frame, tmp_path / "t.parquet")
    text = draft(tmp_path / "t.parquet")
    assert 'person_id = { type = "text" }' in text
    (tmp_path / "t.toml").write_text(text.replace('"text"', '"integer"'))
    with pytest.raises(ValueError, match="different units would become one"):
        deniable.open(tmp_path / "t.toml")
