"""The policy of the design, read from its file, and what is wrong with files that cannot be read."""

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from deniable.core.algebra.expression import Column as Expressed
from deniable.core.algebra.expression import Kind, Range
from deniable.core.guarantee import Guarantee
from deniable.core.sensitivity import Neighbours
from deniable.policy import DeclaredColumn, DeclaredTable, EngineSettings, InvalidPolicyError, Policy, load

CLINIC = """
[population]
name = "clinic"
neighbours = "add-remove"            # or "replace"

[budget]
epsilon = 3.0
delta = 1e-6                         # leave out for pure differential privacy

[engine]
kind = "duckdb"

[ledger]
url = "sqlite:///clinic.ledger"

[tables.visits]
source = "visits.parquet"
unit = "patient_id"
contribution = 10

[tables.visits.columns]
patient_id = { type = "integer" }
age     = { type = "integer", bounds = [0, 110] }
cost    = { type = "number",  bounds = [0, 500], step = 0.01 }
region  = { type = "text",    values = ["north", "east", "south", "west"] }
reason  = { type = "text" }
day     = { type = "date",    bounds = ["2025-01-01", "2025-12-31"] }

[tables.hospitals]
source = "hospitals.csv"
public = true

[analysts.alice]
epsilon = 1.0
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    file = tmp_path / "clinic.toml"
    file.write_text(CLINIC, encoding="utf-8")
    return file


def only_problem(file: Path) -> tuple[str, str]:
    with pytest.raises(InvalidPolicyError) as caught:
        load(file)
    (problem,) = caught.value.problems
    assert str(file) in str(caught.value)
    return problem.key, problem.what


def test_the_policy_of_the_design(clinic: Path) -> None:
    policy = load(clinic)
    folder = clinic.parent.resolve()
    assert policy.population == "clinic"
    assert policy.neighbours is Neighbours.ADD_REMOVE
    assert policy.budget == Guarantee(3, Fraction(1, 10**6))
    assert policy.engine == EngineSettings("duckdb", 60.0, "4GB", None)
    assert policy.ledger == f"sqlite:///{folder / 'clinic.ledger'}"
    assert policy.origin == str(clinic)
    assert policy.tables["visits"] == DeclaredTable(
        name="visits",
        source=str(folder / "visits.parquet"),
        unit="patient_id",
        contribution=10,
        keys=10,
        public=False,
        columns={
            "patient_id": DeclaredColumn("patient_id", Kind.INTEGER),
            "age": DeclaredColumn("age", Kind.INTEGER, Fraction(0), Fraction(110)),
            "cost": DeclaredColumn("cost", Kind.NUMBER, Fraction(0), Fraction(500), step=Fraction(1, 100)),
            "region": DeclaredColumn("region", Kind.TEXT, values=("north", "east", "south", "west")),
            "reason": DeclaredColumn("reason", Kind.TEXT),
            "day": DeclaredColumn("day", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
        },
    )
    assert policy.tables["hospitals"] == DeclaredTable(
        name="hospitals", source=str(folder / "hospitals.csv"), columns={}, public=True
    )
    assert {name: share.epsilon for name, share in policy.analysts.items()} == {"alice": 1}


def test_columns_as_expressions(clinic: Path) -> None:
    columns = load(clinic).tables["visits"].columns
    assert columns["cost"].expression == Expressed("cost", Kind.NUMBER, Range(Fraction(0), Fraction(500)))
    assert columns["reason"].expression == Expressed("reason", Kind.TEXT, length=1000)
    new_year, eve = Fraction(20089), Fraction(20453)  # days since 1970-01-01
    assert columns["day"].expression == Expressed("day", Kind.DATE, Range(new_year, eve))


def test_no_value_is_missing_where_the_policy_says_so(clinic: Path) -> None:
    clinic.write_text(CLINIC.replace("[0, 110]", "[0, 110], nulls = false"))
    age = load(clinic).tables["visits"].columns["age"]
    assert not age.nulls
    assert not age.expression.nullable


def test_decimals_are_exact(clinic: Path) -> None:
    text = CLINIC.replace("epsilon = 3.0", "epsilon = 1.1").replace("epsilon = 1.0", "epsilon = 0.1")
    clinic.write_text(text.replace("[0, 500], step = 0.01", "[-0.1, 0.30000000000000004], step = 0.1"))
    policy = load(clinic)
    cost = policy.tables["visits"].columns["cost"]
    assert policy.budget.epsilon == Fraction(11, 10)
    assert policy.analysts["alice"].epsilon == Fraction(1, 10)
    assert (cost.low, cost.step) == (Fraction(-1, 10), Fraction(1, 10))
    assert cost.high == Fraction("0.30000000000000004")


def test_dates_of_toml_are_dates_too(clinic: Path) -> None:
    clinic.write_text(CLINIC.replace('"2025-01-01", "2025-12-31"', "2025-01-01, 2025-12-31"))
    assert load(clinic).tables["visits"].columns["day"].high == date(2025, 12, 31)


def test_a_table_of_a_duckdb_file(clinic: Path) -> None:
    clinic.write_text(CLINIC.replace("visits.parquet", "../data/clinic.duckdb::visits"))
    source = load(clinic).tables["visits"].source
    assert source == f"{clinic.parent.parent.resolve() / 'data' / 'clinic.duckdb'}::visits"


def test_absolute_paths_stay(clinic: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "elsewhere" / "accounts"
    clinic.write_text(CLINIC.replace("sqlite:///clinic.ledger", f"sqlite:///{ledger.as_posix()}"))
    assert load(clinic).ledger == f"sqlite:///{ledger.resolve()}"


def test_the_ledger_lies_beside_the_policy_by_whatever_link_it_is_found(clinic: Path, tmp_path: Path) -> None:
    clinic.write_text(CLINIC.replace('[ledger]\nurl = "sqlite:///clinic.ledger"', ""))
    link = tmp_path / "links" / "other.toml"
    link.parent.mkdir()
    link.symlink_to(clinic)
    assert load(link).ledger == load(clinic).ledger == f"sqlite:///{tmp_path.resolve() / 'clinic.ledger'}"


def test_a_byte_order_mark_is_no_problem(clinic: Path) -> None:
    clinic.write_text(CLINIC, encoding="utf-8-sig")
    assert load(clinic).population == "clinic"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert only_problem(tmp_path / "nowhere.toml") == ("", "cannot be read: No such file or directory")


def test_a_folder_is_no_policy(tmp_path: Path) -> None:
    assert "cannot be read" in only_problem(tmp_path)[1]


def test_a_name_that_no_file_has(tmp_path: Path) -> None:
    assert only_problem(tmp_path / "\0")[1] == "cannot be the name of a file"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[population]\nname = clinic", "line 2, column 8"),
        ("[population]\nname = [1,\n  2", "line 3, column 4"),
        ("[population]\nname = 'a'\nname = 'b'", "line 3, column 11"),
        ("[population", "line 1, column 12"),
    ],
)
def test_malformed_toml_has_a_line_and_a_column(clinic: Path, text: str, place: str) -> None:
    clinic.write_text(text)
    key, what = only_problem(clinic)
    assert key == place
    assert what.startswith("is not TOML: ")


def test_bytes_that_are_no_text(clinic: Path) -> None:
    clinic.write_bytes(b"[population]\nname = '\xff'")
    assert only_problem(clinic) == ("", "is not UTF-8 text, at byte 22")


@pytest.mark.parametrize("monster", ["9" * 5000, "[" * 20_000])
def test_numbers_and_lists_without_end(clinic: Path, monster: str) -> None:
    clinic.write_text(f"epsilon = {monster}")
    assert "far too long" in only_problem(clinic)[1]


def test_a_file_must_say_where_its_rows_are(clinic: Path) -> None:
    clinic.write_text(CLINIC.replace('source = "visits.parquet"', ""))
    assert only_problem(clinic) == ("tables.visits.source", "is missing")


def test_a_problem_is_told_once(clinic: Path) -> None:
    clinic.write_text(CLINIC.replace("[analysts.alice]", '[tables]\nrows = "rows.csv"\n[analysts.alice]'))
    assert only_problem(clinic) == ("tables.rows", "must be a table, not 'rows.csv'")


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_file_must_not_keep_its_ledger_in_memory(clinic: Path, url: str) -> None:
    clinic.write_text(CLINIC.replace("sqlite:///clinic.ledger", url))
    key, what = only_problem(clinic)
    assert key == "ledger.url"
    assert "fresh budget" in what


def test_nothing_is_made_and_nothing_but_the_policy_is_read(clinic: Path) -> None:
    assert isinstance(load(str(clinic)), Policy)
    assert list(clinic.parent.iterdir()) == [clinic]
