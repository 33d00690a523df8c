"""A draft says what the engine would read."""

from __future__ import annotations

import datetime as dt
import tomllib
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.curator.custodian.draft import draft
from deniable.policy import load


def columns(text: str, table: str) -> dict[str, dict[str, object]]:
    return tomllib.loads(text)["tables"][table]["columns"]


def test_a_blank_in_a_csv_file_is_a_missing_value(tmp_path: Path) -> None:
    """It is NULL in every question, so a draft must not say that none is missing."""
    (tmp_path / "visits.csv").write_text('town,name,age\nnorth,ann,3\n,"",\nsouth,bob,5\n')
    assert columns(draft(tmp_path / "visits.csv"), "visits") == {
        "town": {"type": "text", "values": ["north", "south"]},
        "name": {"type": "text", "values": ["ann", "bob"]},
        "age": {"type": "integer", "bounds": [3, 5]},
    }


def test_a_number_that_the_engine_reads_as_missing_is_missing(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.5, float("nan"), 2.5], "y": [1.5, float("inf"), 2.5]}), tmp_path / "t.parquet")
    assert columns(draft(tmp_path / "t.parquet"), "t") == {
        "x": {"type": "number", "bounds": [1.5, 2.5]},
        "y": {"type": "number", "bounds": [1.5, 2.5], "nulls": False},
    }


def test_whole_numbers_of_more_than_64_bits_are_drafted_as_what_can_be_read(tmp_path: Path) -> None:
    """As integers they would all count as missing."""
    wide = {"few": [1, 2, 3], "some": [1, 2, 1 << 63], "all": [(1 << 64) - 1, 1 << 63, (1 << 64) - 1]}
    pq.write_table(
        pa.table({name: pa.array(cells, pa.uint64()) for name, cells in wide.items()}), tmp_path / "t.parquet"
    )
    text = draft(tmp_path / "t.parquet")
    found = columns(text, "t")
    assert {name: column["type"] for name, column in found.items()} == {
        "few": "integer",
        "some": "number",
        "all": "number",
    }
    assert all(column["nulls"] is False for column in found.values())
    assert text.count("more than 64 bits") == 2


def test_values_behind_the_sample_of_which_types_are_guessed_count_as_the_engine_reads_them(tmp_path: Path) -> None:
    rows = "".join(f"{number}\n" for number in range(30_000))
    (tmp_path / "t.csv").write_text(f"x\n{rows}unknown\n")
    assert columns(draft(tmp_path / "t.csv"), "t") == {"x": {"type": "integer", "bounds": [0, 29_999]}}


def test_a_table_of_a_database_keeps_its_name(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE \"all visits\" AS FROM (VALUES (1, 'a'), (1, 'b')) AS v(patient_id, reason)")
    text = draft(f"{tmp_path}/clinic.duckdb::all visits")
    (table,) = tomllib.loads(text)["tables"].items()
    assert table[0] == "all_visits"
    assert table[1]["source"] == "clinic.duckdb::all visits"
    assert table[1]["unit"] == "patient_id"


def test_a_line_that_is_no_row_is_said_to_the_custodian(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(InvalidArgumentError, match=r"^file cannot be read from .*t.csv: line 3 does not have 2 cells"):
        draft(tmp_path / "t.csv")
    with pytest.raises(InvalidArgumentError, match=r"^file cannot be read: there is no file"):
        draft(tmp_path / "gone.csv")


def unit(folder: Path, **columns: list[object]) -> str | None:
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return tomllib.loads(draft(folder / "t.parquet"))["tables"]["t"].get("unit")


def test_a_column_that_only_ends_like_a_name_of_somebody_is_not_the_unit(tmp_path: Path) -> None:
    """With two values it never is; with as few as a list has it is offered, if its name says so, and not drafted."""
    many = list(range(50)) * 4
    assert unit(tmp_path, paid=[0, 1] * 100) is None
    assert unit(tmp_path, covid=["yes", "no"] * 100, is_valid=[True, False] * 100) is None
    assert unit(tmp_path, has_id=[0, 1] * 100) is None
    assert unit(tmp_path, grid=[1, 2, 3, 4] * 50) is None
    assert unit(tmp_path, ward_id=[1, 2, 3, 4] * 50) is None
    assert unit(tmp_path, ward_id=[1, 2, 3, 4] * 3) == "ward_id"
    assert unit(tmp_path, paid=[0, 1] * 100, patientid=many) == "patientid"
    assert unit(tmp_path, orderId=many, customerId=many) == "customerId"
    assert unit(tmp_path, visit_id=list(range(200))) is None


def test_a_column_with_as_few_values_as_a_list_is_not_drafted_as_the_unit_of_a_long_table(tmp_path: Path) -> None:
    pq.write_table(pa.table({"education-num": [i % 16 for i in range(400)]}), tmp_path / "t.parquet")
    text = draft(tmp_path / "t.parquet")
    assert "\nunit = " not in text
    assert '# or: unit = "education-num"   # FROM THE DATA: education-num: 16 different values in 400 rows' in text


def test_a_draft_says_how_much_a_candidate_tells_apart_and_who_else_it_could_be(tmp_path: Path) -> None:
    rows = {"visit_id": list(range(200)), "patient_id": list(range(50)) * 4, "ward_no": [1, 2, 3, 4] * 50}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    text = draft(tmp_path / "t.parquet")
    assert 'unit = "patient_id"   # FROM THE DATA: patient_id: 50 different values in 200 rows' in text
    assert '# or: unit = "ward_no"   # FROM THE DATA: ward_no: 4 different values in 200 rows' in text
    offered = []
    text = draft(tmp_path / "t.parquet", lambda candidates: offered.extend(candidates) or "ward_no")
    assert [str(one) for one in offered] == [
        "patient_id: 50 different values in 200 rows",
        "ward_no: 4 different values in 200 rows",
        "visit_id: 200 different values in 200 rows",
    ]
    assert tomllib.loads(text)["tables"]["t"]["unit"] == "ward_no"
    assert "unit" not in tomllib.loads(draft(tmp_path / "t.parquet", lambda _: None))["tables"]["t"]


@pytest.mark.parametrize("name", ["patient", "customer", "user", "person", "member", "account", "subject", "user_name"])
def test_whoever_has_a_name_may_be_the_unit(tmp_path, name):
    """By the name and by how many there are; it gets no bounds, and the draft says how many, and asks."""
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.table({name: [f"p{row // 2}" for row in range(80)], "cost": list(range(80))}), file)
    text = draft(file)
    assert f'unit = "{name}"   # FROM THE DATA: {name}: 40 different values in 80 rows; is this whom' in text
    assert f'\n{name} = {{ type = "text" }}\n' in text


def test_few_values_are_nobody_whatever_they_are_called(tmp_path):
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.table({"customer": ["private", "business"] * 40, "customer_city": ["Ulm"] * 80}), file)
    assert '# unit = "person_id"' in draft(file)


def test_a_chosen_number_has_no_bounds(tmp_path):
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.table({"account": [row // 2 for row in range(80)], "cost": list(range(80))}), file)
    seen = []
    text = draft(file, lambda candidates: (seen.extend(map(str, candidates)), "account")[1])
    assert seen == ["account: 40 different values in 80 rows"]
    assert '\naccount = { type = "integer" }\n' in text


def test_a_time_zone_is_a_decision_of_the_custodian(tmp_path):
    file = tmp_path / "visits.parquet"
    noon = dt.datetime(2025, 3, 30, 12, tzinfo=dt.UTC)
    pq.write_table(pa.table({"seen": pa.array([noon] * 40, pa.timestamp("us", tz="Europe/Berlin"))}), file)
    text = draft(file)
    assert 'zone = "UTC"                   # your decision' in text
    assert 'seen = { type = "timestamp"' in text
    (tmp_path / "visits.toml").write_text(text)
    load(tmp_path / "visits.toml")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("1/2/2025 3/4/2024", True),
        ("31.12.2025 1/2/24", True),
        ("1/2/24 2/3/24", True),
        ("2025-12-31 1/2/2025", False),
        ("2025-12-31 soon", False),
    ],
)
def test_days_that_are_not_read_as_dates_are_said_to_be_texts(tmp_path, cells, said):
    (tmp_path / "t.csv").write_text("day;n\n" + "".join(f"{cell};1\n" for cell in cells.split()))
    (line,) = [one for one in draft(tmp_path / "t.csv").splitlines() if one.startswith("day = ")]
    assert 'type = "text"' in line
    assert ("say how they are written" in line) is said


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("172 n/a", True),
        ("1,5 k.A.", True),
        ("1.234,5 k.A.", True),
        ("172 181", False),
        ("02138 n/a", False),
        ("13053 02138", False),
        ("tall n/a", False),
    ],
)
def test_numbers_among_which_is_a_word_are_said_to_be_mostly_numbers(tmp_path, cells, said):
    """One word in twenty makes the column a text; whoever declares it a number loses the word, and nothing else."""
    most, last = cells.split()
    (tmp_path / "t.csv").write_text("size;n\n" + "".join(f"{cell};1\n" for cell in [most] * 19 + [last]))
    (line,) = [one for one in draft(tmp_path / "t.csv").splitlines() if one.startswith("size = ")]
    assert ("most of these are numbers" in line) is said


@pytest.mark.parametrize("name", ["Patienten-Nr.", "Kunden-Nr", "customer no.", "Client #id#", "Versicherten_ID"])
def test_a_number_of_somebody_may_end_in_a_stop(tmp_path, name):
    assert unit(tmp_path, **{name: [f"P{row // 2}" for row in range(80)], "cost": list(range(80))}) == name


def line_of(tmp_path, cells, name="x"):
    rows = "".join(f'"{cell}",{row}\n' for row, cell in enumerate(cells))
    (tmp_path / "t.csv").write_text(f"{name},n\n{rows}")
    return next(one for one in draft(tmp_path / "t.csv").splitlines() if one.startswith(f"{name} = "))


@pytest.mark.parametrize("cell", ["12%", "12,5 %", "$1,234.50", "-$5", "1.234,50 €", "1,234", "1 234.5"])
def test_numbers_with_signs_are_said_not_to_be_read(tmp_path, cell):
    line = line_of(tmp_path, [cell, *[f"{cell[:-1]}{cell[-1]}"] * 29])
    assert line.startswith('x = { type = "text"')
    assert "take them out of the file" in line


@pytest.mark.parametrize("cell", ["02138", "12:30", "1.2.3", "A12", "+49 170 1234567"])
def test_codes_are_not_said_to_be_numbers(tmp_path, cell):
    line = line_of(tmp_path, [cell] * 30)
    assert "number" not in line


def test_a_comma_before_a_fraction_is_seen_between_commas_too(tmp_path):
    assert line_of(tmp_path, ["1,5", "2,25"]).startswith('x = { type = "number", bounds = [1.5, 2.25]')
    assert 'csv = { decimal = "," }' in draft(tmp_path / "t.csv")
    assert line_of(tmp_path, ["1,500", "2,250"]).startswith('x = { type = "text"')  # fifteen hundred, or one and a half


def test_days_in_two_forms_are_read_if_one_of_them_is_always_read(tmp_path):
    assert line_of(tmp_path, ["2025-12-30", "1/31/2025"]).startswith('x = { type = "date", bounds = ["2025-01-31", "20')


def test_moments_with_an_offset_are_drafted_with_a_zone_and_read_in_it(tmp_path):
    line = line_of(tmp_path, ["2025-07-01T10:00:00Z", "2025-07-01 10:00:00.5+02:00"])
    assert 'bounds = ["2025-07-01 08:00:00.500000", "2025-07-01 10:00:00"]' in line
    text = draft(tmp_path / "t.csv")
    assert 'zone = "UTC"' in text
    (tmp_path / "t.toml").write_text(text)
    assert load(tmp_path / "t.toml").tables["t"].columns["x"].zone == "UTC"


def test_a_draft_says_of_each_mark_what_was_looked_up(tmp_path):
    """A custodian must not wonder which of the line's words to replace."""
    line = line_of(tmp_path, [f"note {row}" for row in range(30)])
    assert line.endswith("# FROM THE DATA: no row is without a value; if that can change, delete: nulls = false")
    assert line_of(tmp_path, [""] * 30) == 'x = { type = "text" }   # no row has a value'


def test_a_title_above_the_names_is_noticed(tmp_path):
    (tmp_path / "t.csv").write_text("Visits of 2024,,\n,,\nid,age,town\n1,31,north\n")
    assert "# The first line 'Visits of 2024,,' names 1 of 3 columns: if it is a title" in draft(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text(",age,town\n1,31,north\n")
    assert "if it is a title" not in draft(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("sep=;\r\nid;age\r\n1;31\r\n")  # as Excel says it to itself
    assert "# The first line 'sep=,' names 1 of 2 columns: if it is a title" in draft(tmp_path / "t.csv")
