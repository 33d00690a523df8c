"""What `check` finds by names and types, and what it finds by looking."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import Refused
from deniable.curator.custodian.check import RowFinding, check, look, marks
from deniable.curator.custodian.draft import draft
from deniable.curator.factory import engine_of
from deniable.policy import InvalidPolicyError, Policy, load

COLUMNS = {
    "who": {"type": "integer"},
    "town": {"type": "text", "values": ["north", "söuth"], "nulls": False},
    "age": {"type": "integer", "bounds": [0, 110]},
    "cost": {"type": "number", "bounds": [0, 10.5], "nulls": False},
    "day": {"type": "date", "bounds": ["2025-01-01", "2025-12-31"]},
}
ROWS = {
    "who": [1, 1, None, 2, 2] * 10,
    "town": ["north", None, "so\u0308uth", "east", "north"] * 10,
    "age": [-1, 5, 200, None, 2**40] * 10,
    "cost": [float("nan"), 0.0, 10.5, 11.0, float("inf")] * 10,
    "day": ["2025-01-01", "2024-12-31", None, "2026-01-01", "2025-12-31"] * 10,
}
FOUND = {
    "who": ["10 of 50 rows have no unit, and are left out of every answer", "has only 2 different values"],
    "town": [
        "10 of 50 rows have no value, and the policy says nulls = false",
        "10 of 50 rows have a value that is not listed",
    ],
    "age": ["30 of 50 rows lie outside of the bounds"],
    "cost": [
        "10 of 50 rows cannot be read as number",
        "10 of 50 rows have no value, and the policy says nulls = false",
        "20 of 50 rows lie outside of the bounds",
    ],
    "day": ["20 of 50 rows lie outside of the bounds"],
}


def written(source: Path, columns: dict[str, dict[str, object]], **table: object) -> Policy:
    said = {"source": str(source), "columns": columns, **table}
    whole = {"population": {"name": "p"}, "budget": {"epsilon": 1}, "tables": {"t": said}}
    return Policy.from_mapping(whole, origin="test", folder=Path())


def found(policy: Policy) -> list[RowFinding]:
    engine = engine_of(policy)
    try:
        assert not [seen for seen in check(policy, engine) if seen.problem]
        return look(policy, engine)
    finally:
        engine.close()


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_rows_that_are_not_as_the_policy_says_are_counted(tmp_path: Path, name: str) -> None:
    table = pa.table(ROWS)
    if name == "t.parquet":
        days = table["day"].cast(pa.date32())
        pq.write_table(table.set_column(4, "day", days), tmp_path / name)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()]
        (tmp_path / name).write_text("\n".join([",".join(ROWS), *lines]) + "\n")
    all_found = found(written(tmp_path / name, COLUMNS, unit="who", contribution=3))
    for column, expected in FOUND.items():
        said = [one.what for one in all_found if one.column == column]
        assert len(said) == len(expected), (column, said)
        assert all(one.startswith(start) for one, start in zip(said, expected, strict=True)), (column, said)
    assert not any(one.wrong for one in all_found)


def test_a_draft_is_right_about_its_own_file(tmp_path: Path) -> None:
    """With blanks, quoted blanks and everything: nothing is found that the draft does not say."""
    lines = [
        "person_id,tail,delay",
        *(f"{row // 2},{'' if row % 3 else 'N' + str(row % 6)},{row - 50}" for row in range(90)),
    ]
    (tmp_path / "flights.csv").write_text("\n".join([*lines, '44,"",']) + "\n")
    (tmp_path / "flights.toml").write_text(draft(tmp_path / "flights.csv"))
    policy = load(tmp_path / "flights.toml")
    columns = policy.tables["flights"].columns
    assert (columns["tail"].nulls, columns["tail"].values) == (True, ("N0", "N3"))
    assert columns["delay"].nulls
    assert found(policy) == []


NO_ROWS = {
    "t.csv": {
        "secret": "line 3 does not have 2 cells, as the first one has, but 1",
        "secret,2,3": "line 3 does not have 2 cells, as the first one has, but 3",
        '1,"secret': "line 3 has a quote that is never closed",
        '1,"sec"ret': "line 3 has a quote that is never closed, or something behind a closing one",
        "1,secr\xe9t": "line 3 is no text in UTF-8",
        "1,secret\r": "line 3 does not end as the first one does",
        "1,sec\rret": "line 3 does not end as the first one does",
    },
    "t.ndjson": {
        '{"a": "secret': "line 3 is not one JSON object",
        '["secret"]': "line 3 is not one JSON object",
        '{"a": 1, "a": "secret"}': "line 3 is not one JSON object, each key once",
    },
}


def spoiled(path: Path, line: str) -> None:
    """A file of 22 rows, with this line behind the first, or second."""
    start, row = ("a,b\n1,2\n", "1,2\n") if path.suffix == ".csv" else ('{"a": 1}\n' * 2, '{"a": 1}\n')
    path.write_bytes((start + line + row * 20).encode("latin-1"))


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in NO_ROWS.items() for line in lines])
def test_a_line_that_is_no_row_is_named_without_what_is_in_it(tmp_path: Path, name: str, line: str) -> None:
    spoiled(tmp_path / name, line + "\n")
    (finding,) = found(written(tmp_path / name, {"a": {"type": "integer"}}))
    assert NO_ROWS[name][line] in finding.what
    assert finding.wrong
    assert "secr" not in finding.what


@pytest.mark.parametrize(("name", "line"), [("t.csv", '1,"secret\n'), ("t.ndjson", '["secret"]\n')])
def test_where_a_line_is_no_row_questions_are_refused_before_they_are_charged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, line: str
) -> None:
    """Left out, it could take the lines behind it along: nobody would notice, and no noise covers that."""
    policy = f'[population]\nname = "p"\n[budget]\nepsilon = 1\n[tables.t]\nsource = "{name}"\n'
    (tmp_path / "p.toml").write_text(policy + '[tables.t.columns]\na = { type = "integer" }\n')
    spoiled(tmp_path / name, line)
    with pytest.raises(InvalidPolicyError, match=r"tables\.t: cannot be read .*: line 3 "):
        deniable.create(tmp_path / "p.toml")
    spoiled(tmp_path / name, "")
    with deniable.create(tmp_path / "p.toml") as curator:
        spoiled(tmp_path / name, line)
        with pytest.raises(Refused, match=r"Not every line of the data of t is a row. \(data-unavailable\)") as refused:
            curator.ask("SELECT COUNT(*) AS n FROM t", epsilon=1)
        assert curator.budget().spent.epsilon == 0
        assert "secret" not in str(refused.value) + caplog.text
        assert "table t" in caplog.text


def test_a_column_in_which_nothing_can_be_read_gets_no_account_but_opening_looks_at_no_row(tmp_path: Path) -> None:
    policy = '[population]\nname = "p"\n[budget]\nepsilon = 1\n[tables.t]\nsource = "t.csv"\n'
    (tmp_path / "p.toml").write_text(policy + '[tables.t.columns]\na = { type = "integer" }\n')
    (tmp_path / "t.csv").write_text("a\nx\n")
    with pytest.raises(InvalidPolicyError, match=r"1 of 1 rows cannot be read as integer"):
        deniable.create(tmp_path / "p.toml")
    (tmp_path / "t.csv").write_text("a\n1\n")
    deniable.create(tmp_path / "p.toml").close()
    for neighbour in ("a\nx\n", "a\n", "a\n1,2\n", 'a\n"1\n'):
        (tmp_path / "t.csv").write_text(neighbour)
        deniable.open(tmp_path / "p.toml").close()


def test_a_name_with_a_space_is_said_so_that_it_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"age": [1, 2, 3], "size": [4, 5, 6]}), "our visits.parquet")
    run = CliRunner(env={"COLUMNS": "200"}).invoke
    assert "deniable check 'our visits.toml'" in run(app, ["init", "our visits.parquet"]).output
    first, second = marks(Path("our visits.toml").read_text())
    assert f"lines {first}, {second} are still marked" in run(app, ["check", "our visits.toml"]).output


def test_marks_are_warnings_and_strict_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"age": [1, 2, 3]}), "t.parquet")
    run = CliRunner(env={"COLUMNS": "200"}).invoke
    assert run(app, ["init", "t.parquet"]).exit_code == 0
    text = Path("t.toml").read_text()
    (line,) = marks(text)
    assert "bounds = [1, 3]" in text.splitlines()[line - 1]
    checked = run(app, ["check", "t.toml"])
    assert checked.exit_code == 0
    assert f"line {line} is still marked" in checked.output
    assert run(app, ["check", "t.toml", "--strict"]).exit_code == 1
    Path("t.toml").write_text(
        text.replace("[1, 3]", "[0, 2]").replace("# FROM THE DATA: replace by public knowledge", "")
    )
    checked = run(app, ["check", "t.toml"])
    assert checked.exit_code == 0
    assert "custodian's eyes only" in checked.output
    assert "t.age: 1 of 3 rows lie outside of the bounds" in checked.output
    assert run(app, ["check", "t.toml", "--strict"]).exit_code == 1
    Path("t.toml").write_text(Path("t.toml").read_text().replace("[0, 2]", "[0, 110]"))
    assert run(app, ["check", "t.toml", "--strict"]).exit_code == 0


def test_a_key_that_several_rows_share_is_counted(tmp_path: Path) -> None:
    pq.write_table(pa.table({"who": list(range(40)), "order": [1, 1, 1, None, *range(36)]}), tmp_path / "t.parquet")
    columns = {"who": {"type": "integer"}, "order": {"type": "integer"}}
    (finding,) = found(written(tmp_path / "t.parquet", columns, unit="who", contribution=3, key="order"))
    assert finding.what.startswith("3 of 40 rows have a value that another row has")
