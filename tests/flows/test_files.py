"""Files with every trouble that real ones have: drafted, checked, asked, they answer rightly or say what is wrong.

The drafts are used as they are, with a budget so large that the noise rounds to nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather

import deniable
from deniable.core.algebra.query import ExactQuery
from deniable.core.errors import Failed, InvalidArgumentError
from deniable.curator import Curator
from deniable.curator.custodian.check import check, look
from deniable.curator.custodian.draft import draft
from deniable.curator.factory import engine_of
from deniable.engines import DuckDB
from deniable.files.fingerprint import content, keyed
from deniable.files.source import DataFile
from deniable.ledger import Ledger
from deniable.policy import load

Maker = Callable[[Path], str]
"""Writes the files, and says how the source is called."""


def opened(folder: Path, source: str, *found: str) -> Curator:
    """The curator of a draft, which must fit, and about which `check` has nothing to say but what is expected."""
    text = draft(f"{folder}/{source}").replace("epsilon = 1.0", "epsilon = 1e9")
    (folder / "p.toml").write_text(text, encoding="utf-8")
    policy = load(folder / "p.toml")
    engine = engine_of(policy)
    assert [seen.problem for seen in check(policy, engine) if seen.problem] == []
    assert [one.what for one in look(policy, engine)] == list(found)
    return Curator(policy, engine, Ledger.memory(policy.population))


def asked(curator: Curator, expressions: Mapping[str, object]) -> dict[str, object]:
    """Each expression over all rows, without noise to speak of."""
    (table,) = curator.policy.tables
    answers = {}
    for expression in expressions:
        answer = curator.ask(f'SELECT {expression} AS x FROM "{table}"', epsilon=10**8)
        value = answer.table["x"][0].as_py()
        answers[expression] = round(value, 2) if isinstance(value, float) else value
    curator.close()
    return answers


def texts(name: str, *lines: str, encoding: str = "utf-8", end: str = "\n") -> Maker:
    return lambda folder: bool((folder / name).write_bytes((end.join(lines) + end).encode(encoding))) * name


def arrow(name: str, **columns: object) -> Maker:
    def make(folder: Path) -> str:
        table = pa.table(columns)
        feather.write_feather(table, str(folder / name)) if name.endswith(".feather") else pq.write_table(
            table, folder / name
        )
        return name

    return make


def zipped(folder: Path) -> str:
    (folder / "t.csv.gz").write_bytes(gzip.compress("town;cost\nKöln;1,5\n;2,5\n".encode("latin-1")))
    return "t.csv.gz"


def zstandard(folder: Path) -> str:
    with pa.output_stream(str(folder / "t.tsv.zst"), compression="zstd") as stream:
        stream.write(b"town\tcost\nUlm\t1.5\n\t2.5\n")
    return "t.tsv.zst"


def objects(folder: Path) -> str:
    rows = [
        {"who_id": 1, "cost": 1.5, "tags": [1, 2], "town": "Ulm"},
        {"who_id": 1, "cost": None, "town": ""},
        {"who_id": 2**70, "deep": {"a": 1}, "cost": 2, "town": "Jena"},
    ]
    (folder / "t.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return "t.ndjson"


def partitioned(folder: Path) -> str:
    for year, k, rows in ((2023, "a b", [1, 2]), (2024, "a b", [3]), (2024, "__HIVE_DEFAULT_PARTITION__", [4, 5])):
        place = folder / "visits" / f"year={year}" / f"k={k}"
        place.mkdir(parents=True)
        pq.write_table(pa.table({"x": rows}), place / "part.parquet")
    (folder / "visits" / "_SUCCESS").touch()
    return "visits/"


def pattern(folder: Path) -> str:
    """The same columns in another order, and one that is missing in one file."""
    (folder / "v-1.csv").write_text("a,b\n1,10\n2,20\n")
    (folder / "v-2.csv").write_text("b,a\n30,3\n")
    (folder / "v-3.csv").write_text("a\n4\n")
    (folder / "w-4.csv").write_text("a,b\n9,90\n")
    return "v-*.csv"


def database(folder: Path) -> str:
    with duckdb.connect(folder / "c.duckdb") as connection:
        connection.execute("CREATE SCHEMA sales; CREATE TYPE mood AS ENUM ('sad', 'glad')")
        connection.execute(
            "CREATE TABLE sales.visits (who_id UUID, feels mood, cost DECIMAL(9, 2), tags INT[], b BLOB)"
        )
        for number in (1, 1, 2, 3):
            connection.execute(
                "INSERT INTO sales.visits VALUES (?, ?, ?, [1], 'x')",
                [uuid.UUID(int=number), "glad" if number == 1 else None, Decimal("0.25") * number],
            )
    return "c.duckdb::sales.visits"


NAN, INF = float("nan"), float("inf")
RIGHT: dict[str, tuple[Maker, dict[str, object]]] = {
    "semicolons, decimal commas, thousands, Latin-1": (
        texts("t.csv", "Straße;Größe;n", "Köln;1.234,50;1", "Ulm;0,25;2", "Köln;;3", encoding="latin-1"),
        {'SUM("Größe")': 1234.75, 'COUNT("Größe")': 2, "SUM(n)": 6, "COUNT(*) FILTER (WHERE \"Straße\" = 'Köln')": 2},
    ),
    "days as Germans write them, in one column of two": (
        texts("t.csv", "Tag;am;n", "31.1.2025;2025-01-31;1", "1.2.2025 ;2025-02-01;2", ";;4"),
        {
            "COUNT(*) FILTER (WHERE \"Tag\" < DATE '2025-02-02')": 2,
            'COUNT("Tag")': 2,
            "COUNT(*) FILTER (WHERE am >= DATE '2025-02-01')": 1,
        },
    ),
    "what Windows writes": (
        texts("t.csv", "price,n", "5€,1", "7€,2", encoding="cp1252", end="\r\n"),
        {"COUNT(*) FILTER (WHERE price = '5€')": 1, "SUM(n)": 3},
    ),
    "a mark before UTF-8": (texts("t.csv", "\ufeffa,b", "1,2", "3,4"), {"SUM(a)": 4, "SUM(b)": 6}),
    "UTF-16": (texts("t.csv", "a;b", "ä;2", "ö;4", encoding="utf-16"), {"SUM(b)": 6, "COUNT(*)": 2}),
    "old Macs' lines": (texts("t.csv", "a,b", "1,2", "3,4", end="\r"), {"SUM(a)": 4, "SUM(b)": 6}),
    "blanks, quoted or not": (
        texts("t.csv", "tail,n", "N1,1", ",2", '"",', '" ",4'),
        {"COUNT(tail)": 2, "COUNT(n)": 3, "SUM(n)": 7, "COUNT(*)": 4},
    ),
    "other quotes": (
        texts("t.csv", "a,b", "'x,y',1", "'z',3"),
        {"COUNT(*) FILTER (WHERE a = 'x,y')": 1, "SUM(b)": 4},
    ),
    "no header": (texts("t.csv", "1,north,2025-01-01", "2,south,2025-01-03"), {"SUM(column0)": 3, "COUNT(*)": 2}),
    "a name twice, and one without letters": (
        texts("t.csv", "a,A,,b c", "1,2,3,4", "5,6,7,8"),
        {"SUM(a)": 6, "SUM(a_1)": 8, "SUM(column2)": 10, 'SUM("b c")': 12},
    ),
    "numbers and texts in one column": (
        texts("t.csv", "a,b", "1,1", "x,2", "3,3"),
        {"COUNT(a)": 3, "COUNT(*) FILTER (WHERE a = '3')": 1, "SUM(b)": 6},
    ),
    "a header and nothing else": (texts("t.csv", "a,b"), {"COUNT(*)": 0, "COUNT(a)": 0}),
    "one row": (texts("t.csv", "a,b", "1,x"), {"COUNT(*)": 1, "COUNT(a)": 1}),
    "one column, of which one cell is blank": (texts("t.csv", "a", "1", "", "3"), {"COUNT(*)": 3, "COUNT(a)": 2}),
    "codes": (texts("t.csv", "zip,n", "02138,1", "10115,2"), {"COUNT(*) FILTER (WHERE zip = '02138')": 1}),
    "gzip": (zipped, {"SUM(cost)": 4, "COUNT(town)": 1, "COUNT(*) FILTER (WHERE town = 'Köln')": 1}),
    "Zstandard": (zstandard, {"SUM(cost)": 4, "COUNT(town)": 1}),
    "objects with other keys in each line": (
        objects,
        {"SUM(cost)": 3.5, "COUNT(DISTINCT who_id)": 2, "COUNT(town)": 3, "COUNT(*) FILTER (WHERE town = '')": 1},
    ),
    "a folder of partitions": (
        partitioned,
        {"SUM(x)": 15, "SUM(x) FILTER (WHERE year = 2024)": 12, "COUNT(k)": 3, "COUNT(*) FILTER (WHERE k = 'a b')": 3},
    ),
    "a pattern": (pattern, {"SUM(a)": 10, "SUM(b)": 60, "COUNT(b)": 3}),
    "a schema, an enumeration, UUIDs, decimals, lists and bytes": (
        database,
        {
            "COUNT(DISTINCT who_id)": 3,
            "COUNT(feels)": 2,
            "COUNT(*) FILTER (WHERE feels = 'glad')": 2,
            "SUM(cost)": 1.75,
        },
    ),
    "Arrow, with what no policy can declare": (
        arrow(
            "t.feather",
            town=pa.array(["Ulm", None, "Jena"]).dictionary_encode(),
            n=pa.array([1, 2, 3], pa.uint8()),
            tags=[[1], [], None],
            deep=[{"a": 1}] * 3,
            raw=[b"\xff"] * 3,
        ),
        {"SUM(n)": 6, "COUNT(town)": 2},
    ),
    "huge whole numbers": (
        arrow("t.parquet", who_id=pa.array([2**64 - 1, 2**64 - 2, 2**64 - 1] * 3, pa.uint64()), n=[2**62, 1, 2] * 3),
        {"COUNT(DISTINCT who_id)": 2, "COUNT(*)": 9},
    ),
    "names that differ in case, and odd ones": (
        arrow("t.parquet", a=[1, 2], A=[3, 4], **{'q"uo\nte': [5, 6], "ä": [7, 8]}),
        {"SUM(a)": 3, 'SUM("ä")': 15, "COUNT(*)": 2},
    ),
    "days, and nothing but missing values": (
        arrow("t.parquet", day=[date(2025, 1, 1), None], none=pa.nulls(2)),
        {"COUNT(day)": 1, "COUNT(none)": 0},
    ),
    "an instant, which no policy can declare yet": (
        arrow("t.parquet", at=pa.array([datetime(2025, 1, 1, tzinfo=UTC)] * 2), n=[1, 2]),
        {"SUM(n)": 3},
    ),
}


@pytest.mark.parametrize("trouble", RIGHT)
def test_a_draft_is_right(trouble: str, tmp_path: Path) -> None:
    make, expected = RIGHT[trouble]
    assert asked(opened(tmp_path, make(tmp_path)), expected) == expected


def test_numbers_that_are_none_are_missing_and_infinite_ones_are_clamped(tmp_path: Path) -> None:
    source = arrow("t.parquet", x=[NAN, INF, -INF, 1.5, 2.5, None])(tmp_path)
    unread, outside = "1 of 6 rows cannot be read as number", "2 of 6 rows lie outside of the bounds"
    curator = opened(tmp_path, source, f"{unread}, and count as missing", f"{outside}, and are read as the nearest")
    expected = {"COUNT(*)": 6, "COUNT(*) FILTER (WHERE x IS NULL)": 2, "SUM(x)": 8.0}
    assert asked(curator, expected) == expected


def test_only_the_partitions_that_a_question_names_are_read(tmp_path: Path) -> None:
    """The rows of another year are spoiled on disk, and only a question that needs them notices."""
    with opened(tmp_path, partitioned(tmp_path)) as curator:
        spoiled = tmp_path / "visits" / "year=2023" / "k=a b" / "part.parquet"
        whole = spoiled.read_bytes()
        spoiled.write_bytes(whole[:4] + bytes(60) + whole[64:])
        named = curator.ask("SELECT SUM(x) AS s FROM visits WHERE year = 2024", epsilon=10**8)
        assert named.table["s"].to_pylist() == [12]
        with pytest.raises(Failed):
            curator.ask("SELECT SUM(x) AS s FROM visits", epsilon=10**8)


def test_a_sheet_is_read_as_texts(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["not", "here"])
    sheet = book.create_sheet("visits")
    for row in (["n", "day", "ok", "town"], [1, date(2025, 1, 2), True, "Ulm"], [2.5, None, False, ""], [None] * 4):
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")
    expected = {"SUM(n)": 3.5, "COUNT(day)": 1, "COUNT(*) FILTER (WHERE ok)": 1, "COUNT(town)": 1, "COUNT(*)": 2}
    assert asked(opened(tmp_path, "t.xlsx::visits"), expected) == expected
    with pytest.raises(InvalidArgumentError, match=r"has no sheet 'gone'; there are Sheet, visits"):
        draft(f"{tmp_path}/t.xlsx::gone")


WRONG: dict[str, tuple[Maker, str]] = {
    "an empty file": (texts("t.csv", "", end=""), "cannot be read"),
    "lines of several lengths": (texts("t.csv", "a,b", "1,2", "3"), "line 3 does not have 2 cells"),
    "objects that are none": (texts("t.ndjson", '{"a": 1}', "nonsense"), "cannot be read"),
    "not what its name says": (texts("t.parquet", "a,b"), "cannot be read"),
    "Arrow that is none": (texts("t.feather", "a,b"), "cannot be read"),
    "a book that is none": (texts("t.xlsx", "a,b"), "cannot be read|needs: pip install"),
    "a folder without tables": (lambda folder: str((folder / "d").mkdir() or "d/"), "there are no files"),
    "a pattern that fits nothing": (lambda _: "v-*.csv", "there are no files"),
    "lines that end in two ways": (texts("t.csv", "a,b\r", "1,2\r", "3,4"), "its lines end in different ways"),
    "a table that is not there": (lambda folder: database(folder).replace("visits", "gone"), "cannot be read"),
}


@pytest.mark.parametrize("trouble", WRONG)
def test_a_file_that_cannot_be_read_says_so(trouble: str, tmp_path: Path) -> None:
    make, problem = WRONG[trouble]
    source = make(tmp_path) or "t.csv"
    with pytest.raises(InvalidArgumentError, match=problem) as wrong:
        draft(f"{tmp_path}/{source}")
    assert "nonsense" not in str(wrong.value)


PIECES = [*(bytes([byte]) for byte in b",;\"'\n\r\t\x00\x11\xff{["), b"\xef\xbb\xbf", b"NaN", b"9" * 40]
WHOLE = {"t.csv": b'a_id,b\n1,x\n2,\n3,"z\n"\n', "t.ndjson": b'{"a_id": 1, "b": "x"}\n{"a_id": 2}\n{"b": [3]}\n'}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(WHOLE)), st.lists(st.tuples(st.integers(0, 40), st.sampled_from(PIECES)), max_size=5))
def test_a_spoiled_file_is_drafted_rightly_or_refused(
    tmp_path: Path, name: str, changes: list[tuple[int, bytes]]
) -> None:
    data = WHOLE[name]
    for place, piece in changes:
        data = data[:place] + piece + data[place:]
    (tmp_path / name).write_bytes(data)
    try:
        text = draft(tmp_path / name)
    except InvalidArgumentError:
        return
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    policy = load(tmp_path / "p.toml")
    engine = engine_of(policy)
    assert [seen.problem for seen in check(policy, engine) if seen.problem] == []
    assert not any(one.wrong for one in look(policy, engine))
    engine.close()


POLICY = """
[population]
name = "p"
[budget]
epsilon = 10
[tables.t]
source = "t.csv"
columns = { a = { type = "integer", bounds = [0, 9] } }
"""
SUM = "SELECT SUM(a) AS n, COUNT(*) AS m FROM t"


def test_what_was_paid_for_is_free_after_a_touch_a_copy_and_a_restore(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    (tmp_path / "p.toml").write_text(POLICY)
    with deniable.create(tmp_path / "p.toml") as curator:
        first = curator.ask(SUM, epsilon=1)
    for change in ("touch", "copy", "more", "restore"):
        if change == "touch":
            os.utime(tmp_path / "t.csv", ns=(1, 1))
        elif change == "copy":
            shutil.copy(tmp_path / "t.csv", tmp_path / "u.csv")
            (tmp_path / "u.csv").replace(tmp_path / "t.csv")
        else:
            (tmp_path / "t.csv").write_text("a\n1\n2\n" + "3\n" * (change == "more"))
        with deniable.open(tmp_path / "p.toml") as curator:
            again = curator.ask(SUM, epsilon=1)
            assert (again.table == first.table) == (change != "more")
            assert curator.budget().spent.epsilon == (1 if change in {"touch", "copy"} else 2)


def test_data_that_change_between_the_parts_of_a_question_give_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    (tmp_path / "p.toml").write_text(POLICY)
    run = DuckDB.run
    with deniable.create(tmp_path / "p.toml") as curator:

        def changing(engine: DuckDB, query: ExactQuery) -> pa.Table:
            exact = run(engine, query)
            (tmp_path / "t.csv").write_text("a\n1\n2\n3\n")
            return exact

        monkeypatch.setattr(DuckDB, "run", changing)
        with pytest.raises(Failed):
            curator.ask(SUM, epsilon=1)
        assert curator.budget().spent.epsilon == 1
        assert curator.ask(SUM, epsilon=1).table.num_rows == 1


def test_no_digest_of_the_data_is_anywhere_but_under_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the ledger, its lists or what is remembered: whoever reads them all cannot test a guess at the rows."""
    monkeypatch.setenv("DENIABLE_STATE", str(tmp_path / "state"))
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    (tmp_path / "p.toml").write_text(POLICY)
    with deniable.create(tmp_path / "p.toml") as curator:
        curator.ask(SUM, epsilon=1)
        curator.ledger.export(tmp_path / "export.jsonl")
    plain = content(DataFile.named(tmp_path / "t.csv"))
    guesses = {plain.hex(), hashlib.sha256(b"a\n1\n2\n").hexdigest(), keyed(b"", b"content", plain)}
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {".deniable-key", ".deniable-accounts.json", "accounts.json", "export.jsonl"} <= {
        one.name for one in written
    }
    for path in written:
        assert not any(guess.encode() in path.read_bytes() for guess in guesses), path
