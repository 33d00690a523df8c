"""A declared table: where its rows are, whom they belong to, and how much one of those may weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from pathlib import Path

from deniable.core.algebra.expression import Kind
from deniable.files.formats import FileFormat, format_of
from deniable.files.layout import Layout
from deniable.files.source import SEVERAL, DataFile, inside, parts, refusal
from deniable.policy.column import DeclaredColumn, read_column
from deniable.policy.csv_layout import read_layout
from deniable.policy.problems import closest
from deniable.policy.section import Section
from deniable.policy.settings import resolved

_MOST = 10**9
"""Nobody has more rows than this that should all count."""
_USUAL = Layout()
_FAR = 100
"""How far above the contribution a unit's rows are cut in joins."""


ARROW = "->"
"""Between the column of a row and the table that has a unit for it."""


Entry = int | str | bool | date | Fraction | None
"""A value of a public table."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way to the unit: the value of `column` is looked up among the keys of `table`."""

    column: str
    table: str
    key: str
    unit: str
    """What that table says about the unit: the column that names it, or the column of the next step."""
    kind: Kind
    """Of the unit, at the end of the way."""


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table that analysts may ask about; columns that are not declared do not exist for them."""

    name: str
    source: str | None
    """A file, or `file.duckdb::table`, as an absolute path; None if the rows are handed over in memory."""
    columns: Mapping[str, DeclaredColumn]
    unit: str | None = None
    """The column that names the protected unit; None: each row is a unit of its own."""
    contribution: int = 1
    """The most one unit may weigh, in rows."""
    keys: int = 1
    """In how many groups one unit may count where the groups' keys are private."""
    public: bool = False
    """True: nobody is protected here, and joins are free."""
    most_rows: int | None = None
    """How many rows of one unit are put beside others in a join; None: a hundred times the contribution."""
    layout: Layout = _USUAL
    """Of a CSV file."""
    key: str | None = None
    """The column of which the custodian says that no two rows have the same value."""
    path: tuple[Step, ...] = ()
    """How the unit is found, where rows do not name it; `unit` is None then."""
    entries: Mapping[str, Mapping[Entry, Entry]] = field(default_factory=dict, repr=False)
    """What was read of a public table: for each column but the key, its value for each value of the key."""
    remote: bool = False
    """Whether the source is a table of the engine's own, by its schema and name, and no file."""
    version_query: str | None = None
    """What a custodian's engine is asked to tell states of the data apart; None: it looks itself."""
    unweighed: bool = False
    """Whether the policy names a unit and no contribution: then `contribution` is 1, and only a profile may use it."""

    @property
    def file(self) -> DataFile | None:
        """Where the rows are and how they are read; None if they are in memory, or in the engine."""
        if self.source is None or self.remote:
            return None
        declared = {name: column.kind for name, column in self.columns.items()}
        everything = self.public and not declared
        return replace(DataFile.named(self.source), layout=self.layout, declared=None if everything else declared)

    @property
    def most(self) -> int:
        """The rows of one unit that a join can meet; far above the contribution, so that only explosions are cut."""
        return self.most_rows or min(_MOST, _FAR * self.contribution)

    def knowing(self, rows: Sequence[Mapping[str, Entry]]) -> DeclaredTable:
        """A public table with what its rows say; as it was, if it has no key or two rows have the same."""
        keys = [row[self.key] for row in rows] if self.public and self.key is not None else []
        if not keys or None in keys or len(set(keys)) < len(keys):
            return self
        names = [name for name in self.columns if name != self.key]
        entries = {name: {key: row[name] for key, row in zip(keys, rows, strict=True)} for name in names}
        return replace(self, entries=entries)

    @property
    def way(self) -> str:
        """The path to the unit, as it is written in full."""
        return f" {ARROW} ".join([self.path[0].column, *(f"{step.table}.{step.unit}" for step in self.path)])

    @property
    def reading(self) -> Mapping[str, object]:
        """How rows are read and whose they are: what an answer depends on besides the queries that run.

        Bounds, steps, declared values, missing values, contributions: all that a plan makes use of stands in its
        queries and in the keys that they are laid out on.
        """
        return {
            "unit": self.way if self.path else self.unit,
            "key": self.key,
            "public": self.public,
            "csv": self.layout.facts,
            "columns": {name: [column.type, column.zone] for name, column in self.columns.items()},
            "entries": repr(self.entries),
        }

    @property
    def facts(self) -> Mapping[str, object]:
        """What an answer depends on, as plain words and lists; the rows have a version of their own."""
        return {
            "unit": self.way if self.path else self.unit,
            **({"key": self.key} if self.key is not None else {}),
            "contribution": None if self.unweighed else self.contribution,
            "keys": self.keys,
            "most_rows": self.most,
            "public": self.public,
            **({"csv": self.layout.facts} if self.layout.facts else {}),
            "columns": {name: column.facts for name, column in self.columns.items()},
            **({"entries": repr(self.entries)} if self.entries else {}),
        }


def read_table(
    name: str, section: Section, folder: Path, zone: str | None = None, *, remote: bool = False
) -> DeclaredTable:
    """The table that a section declares; files are looked for from `folder`, timestamps are read in `zone`.

    remote: the engine has the tables, and sources are their names.
    """
    source = _name(section) if remote else _source(section, name, folder)
    version_query = section.text("version_query", 'version_query = "SELECT max(loaded) FROM public.loads"')
    if version_query is not None and not remote:
        section.problem("version_query", "is for tables of a database; files are read byte by byte", "leave it out")
    public = section.flag("public", default=False)
    unit = section.text("unit", 'unit = "patient_id", a column that names the person')
    key = section.text("key", 'key = "order_id", a column of which no two rows have the same value')
    contribution = section.whole("contribution", "contribution = 10, the most rows of a person that count", most=_MOST)
    keys = section.whole("keys", "keys = 3, the most groups in which one person counts", most=_MOST)
    most_rows = section.whole("most_rows", "most_rows = 1000, the most rows of one person in a join", most=_MOST)
    layout = _layout(section, source)
    declared = section.inner("columns")
    columns = {title: read_column(title, part, zone) for title, part in declared.each().items()}
    section.finish()
    if public:
        _refuse_unit(section)
    elif section.value("unit") is None:
        _refuse_weights(section, contribution)
    elif unit is not None and declared.sound and ARROW not in unit:  # where that leads, units.py checks
        _check_unit(section, unit, columns)
    if key is not None and declared.sound:
        _check_key(section, key, columns)
    weight = contribution or 1
    known = {title: column for title, column in columns.items() if column is not None}
    told = DeclaredTable(name, source, known, unit, weight, keys or weight, public, most_rows, layout, key)
    unweighed = unit is not None and contribution is None
    return replace(told, unweighed=unweighed, remote=remote, version_query=version_query)


def _name(section: Section) -> str | None:
    """The name of a table in a database, with its schema."""
    written = section.text("source", 'source = "public.visits", a table or a view of the database')
    if written is None:
        return None
    schema, table = inside(written, "public")
    if "\x00" in written or "::" in written or not schema.strip() or not table.strip():
        section.problem("source", "cannot be the name of a table", 'write source = "public.visits"')
        return None
    return written


def _source(section: Section, name: str, folder: Path) -> str | None:
    """The file's absolute path, with the table behind `::` where a file has several."""
    written = section.text("source", 'source = "visits.parquet", a file beside the policy')
    if written is None:
        return None
    file, table = parts(written)
    problem, path = refusal(written), resolved(folder, file)
    if problem or path is None:
        one = f'name one: source = "{file}::{name}"'
        example = 'write source = "visits.parquet", or "clinic.duckdb::visits" for a table of a DuckDB file'
        section.problem("source", problem or "cannot be the name of a file", one if problem == SEVERAL else example)
        return None
    folder_mark = "/" if file.endswith("/") else ""
    return f"{path}{folder_mark}" if table is None else f"{path}::{table}"


def _layout(section: Section, source: str | None) -> Layout:
    """How a CSV file is laid out. Other files say so themselves."""
    layout = read_layout(section.inner("csv"))
    if section.value("csv") is not None and source is not None and format_of(source) not in {FileFormat.CSV, None}:
        section.problem("csv", "is about CSV files, and the source is none", "leave csv out")
    return layout


def _refuse_unit(section: Section) -> None:
    """A public table protects nobody; a unit beside `public` is a contradiction, and public is the dangerous half."""
    for key in ("unit", "contribution", "keys", "most_rows"):
        if section.value(key) is not None:
            section.problem(key, "a public table protects nobody", f"leave out either public or {key}")


def _refuse_weights(section: Section, contribution: int | None) -> None:
    """A row that is its own unit weighs one row and lies in one group; anything else means that the unit is missing."""
    hint = 'write unit = "patient_id", the column that names the person, or leave it out'
    if contribution is not None and contribution > 1:
        section.problem("contribution", "without a unit, each row stands for itself and counts once", hint)
    if section.value("keys") is not None:
        section.problem("keys", "without a unit, each row stands for itself and is in one group", hint)
    if section.value("most_rows") is not None:
        section.problem("most_rows", "without a unit, each row stands for itself", hint)


def _check_key(section: Section, key: str, columns: Mapping[str, DeclaredColumn | None]) -> None:
    """Keys are compared as they are stored, so they have an equality that is beyond doubt."""
    column = columns.get(key)
    if not columns and section.value("public") is True:
        return  # its columns are looked up when a question names it
    if key not in columns:
        hint = f'{closest(key, columns)}declare it: {key} = {{ type = "integer" }}'
        section.problem("key", f"'{key}' is not among the columns", hint)
    elif column is not None and column.kind in {Kind.NUMBER, Kind.BOOLEAN}:
        place = section.inner("columns").inner(key)
        place.problem("type", f"a {column.kind.value} cannot be a key", "write integer, text or date")


def _check_unit(section: Section, unit: str, columns: Mapping[str, DeclaredColumn | None]) -> None:
    """Two people must never be taken for one: the unit's column is compared as it is, so it has no bounds or steps."""
    column, place = columns.get(unit), section.inner("columns").inner(unit)
    if unit not in columns:
        hint = f'{closest(unit, columns)}declare it: {unit} = {{ type = "integer" }}'
        section.problem("unit", f"'{unit}' is not among the columns", hint)
    elif column is not None and column.kind in {Kind.NUMBER, Kind.BOOLEAN, Kind.TIME}:
        place.problem("type", f"a {column.kind.value} cannot name the unit", "write integer, text or date")
    elif column is not None and column.low is not None:
        place.problem("bounds", "would take different people for one", "leave bounds out for the unit")
