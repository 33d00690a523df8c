"""Every door takes the same sources, and refuses the others with the same words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from deniable.apps.attack.files import read_table as read_for_an_attack
from deniable.apps.collect.files import read_answers
from deniable.core.errors import InvalidArgumentError
from deniable.curator.custodian.check import check
from deniable.curator.custodian.draft import draft
from deniable.curator.factory import engine_of
from deniable.engines import DuckDB
from deniable.files.formats import endings
from deniable.files.source import READABLE, DataFile, refusal
from deniable.local.protocols.warner_response import WarnerResponse
from deniable.local.survey import Survey, SurveyKind, SurveyQuestion
from deniable.policy import InvalidPolicyError, Policy, load
from deniable.releases import anonymize, hierarchy

ACCEPTED = [
    "t.parquet",
    "t.pq",
    "t.csv",
    "t.tsv",
    "T.CSV",
    "T.Parquet",
    "t.csv.gz",
    "t.tsv.zst",
    "t.ndjson",
    "t.jsonl.gz",
    "t.arrow",
    "t.feather",
    "t.duckdb::people",
    "t.db::people",
    "t.duckdb::sales.people",
    "t/",
    "t.parquet/",
    "t-*.parquet",
    "t?.csv",
]
REFUSED = {
    "t.docx": f"must be {READABLE}, not 't.docx'",
    "t": f"must be {READABLE}, not 't'",
    "t.parquet.gz": f"must be {READABLE}, not 't.parquet.gz'",
    "t.csv::people": f"must be {READABLE}, not 't.csv::people'",
    "t-*.xlsx": "cannot be a pattern: such a file is a table by itself",
    "t.duckdb": "is a file of several tables",
    "t.db": "is a file of several tables",
    "t.duckdb::": "needs a file before '::' and a table after it",
    "::people": "needs a file before '::' and a table after it",
    "s3://bucket/t.parquet": "is not on this machine, and other places cannot be read yet",
}
SURVEY = Survey(
    "smoking", "Smoking", 1, [SurveyQuestion("smokes", "Do you smoke?", SurveyKind.YES_NO, WarnerResponse(epsilon=1))]
)
PEOPLE = pa.table({"id": [1, 1, 2, 3] * 3, "smokes": ["yes", "no", None, "yes"] * 3})


def stored(folder: Path, name: str) -> str:
    """The people, in a source of that name."""
    file, _, table = name.partition("::")
    path = folder / file
    if table:
        with duckdb.connect(path) as connection:
            connection.register("people_here", PEOPLE)
            connection.execute("CREATE SCHEMA sales")
            connection.execute(f"CREATE TABLE {table} AS FROM people_here")
    elif file.endswith("/") or "*" in file or "?" in file:
        path.mkdir() if file.endswith("/") else None
        inner = f"{name}{{}}.parquet" if file.endswith("/") else file.replace("*", "{}").replace("?", "{}")
        for number, rows in enumerate((PEOPLE.slice(0, 5), PEOPLE.slice(5))):
            write(rows, folder / inner.format(number))
    else:
        write(PEOPLE, path)
    return f"{folder}/{name}"


def write(rows: pa.Table, path: Path) -> None:
    """One file of a table."""
    ending, compression = endings(path)
    if ending in (".csv", ".tsv"):
        options = pa.csv.WriteOptions(delimiter="\t" if ending == ".tsv" else ",")
        with pa.output_stream(str(path), compression=compression) as stream:
            pa.csv.write_csv(rows, stream, options)
    elif ending in (".ndjson", ".jsonl"):
        with pa.output_stream(str(path), compression=compression) as stream:
            stream.write("".join(f"{json.dumps(row)}\n" for row in rows.to_pylist()).encode())
    elif ending in (".arrow", ".feather"):
        pa.feather.write_feather(rows, str(path))
    else:
        pq.write_table(rows, path)


def written(source: str) -> dict[str, object]:
    columns = {"id": {"type": "integer"}, "smokes": {"type": "boolean"}}
    table = {"source": source, "unit": "id", "contribution": 3, "columns": columns}
    return {"population": {"name": "people"}, "budget": {"epsilon": 1}, "tables": {"people": table}}


def by_init(source: str) -> int:
    text = draft(source)
    assert 'unit = "id"' in text
    path = Path(DataFile.named(source).path).with_name("drafted.toml")
    path.write_text(text)
    policy = load(path)
    engine = engine_of(policy)
    assert [seen.problem for seen in check(policy, engine)] == ["", ""]
    engine.close()
    return PEOPLE.num_rows


def by_check(source: str) -> int:
    said = written(source)
    said["tables"]["people"]["columns"]["smokes"]["type"] = "text"  # type: ignore[index]
    policy = Policy.from_mapping(said, origin="test", folder=Path())
    engine = engine_of(policy)
    assert [seen.problem for seen in check(policy, engine)] == ["", ""]
    engine.close()
    return PEOPLE.num_rows


def by_engine(source: str) -> int:
    engine = DuckDB({"people": source})
    engine.describe("people")
    count = engine.fetch("SELECT COUNT(*) AS n FROM people WHERE id IS NOT NULL")["n"][0].as_py()
    engine.close()
    return count


def by_anonymize(source: str) -> int:
    return anonymize(source, quasi_identifiers={"smokes": hierarchy.flat()}, k=2).table.num_rows


def by_attack(source: str) -> int:
    table = read_for_an_attack(Path(source), "frame")
    assert set(table["smokes"].to_pylist()) == {"yes", "no", ""}
    return table.num_rows


def by_collect(source: str) -> int:
    answers = read_answers(Path(source), SURVEY)["smokes"].tolist()
    assert set(answers) == {"yes", "no", None}
    return len(answers)


DOORS = [by_init, by_check, by_engine, by_anonymize, by_attack, by_collect]


@pytest.mark.parametrize("name", ACCEPTED)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_what_the_engine_reads(door: Callable[[str], int], name: str, tmp_path: Path) -> None:
    assert door(stored(tmp_path, name)) == PEOPLE.num_rows


@pytest.mark.parametrize(
    ("door", "name"),
    [(door, name) for door in DOORS for name in REFUSED if "://" not in name or door not in (by_attack, by_collect)],
)
def test_every_door_refuses_the_others_with_the_same_words(door: Callable[[str], int], name: str) -> None:
    assert refusal(name) == REFUSED[name]
    if door is by_check:
        with pytest.raises(InvalidPolicyError) as refused:
            door(name)
        assert [problem.what for problem in refused.value.problems] == [REFUSED[name]]
    else:
        with pytest.raises(InvalidArgumentError) as wrong:
            door(name)
        assert str(wrong.value).startswith(f"{wrong.value.argument} {REFUSED[name]}")
        assert "'file.duckdb::table'" in str(wrong.value)


def test_a_file_whose_name_has_the_mark_is_parted_at_the_last_one() -> None:
    file = DataFile.named("a::b.duckdb::visits")
    assert (file.path.name, file.table) == ("a::b.duckdb", "visits")


@pytest.mark.parametrize(
    ("name", "header", "delimiter"),
    [
        ("t.csv", "a,b", ","),
        ("t.csv", "a;b", ";"),
        ("t.csv", 'a;"size, in cm"', ";"),
        ("t.csv", "a\tb", "\t"),
        ("t.csv", "only", ","),
        ("t.tsv", "a\tb", "\t"),
        ("t.tsv", "a,b", ","),
        ("t.tsv", "only", "\t"),
    ],
)
def test_the_delimiter_is_that_of_the_header(tmp_path: Path, name: str, header: str, delimiter: str) -> None:
    (tmp_path / name).write_text(f"{header}\n")
    assert DataFile.named(tmp_path / name).delimiter() == delimiter
