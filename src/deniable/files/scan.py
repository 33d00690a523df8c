"""How DuckDB reads a source: what to say before, what to say in FROM, and which columns there are."""

from __future__ import annotations

from deniable.files.source import PARQUET, DataFile

TEXT_TYPE = "VARCHAR"


def quoted(name: str) -> str:
    """A name of a column or a table.

    Example:
        >>> quoted('the "real" cost')
        '"the ""real"" cost"'
    """
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text constant. The parser would stop at a zero byte, so that one is spelled."""
    pieces = (f"'{piece}'" for piece in value.replace("'", "''").split("\x00"))
    return "(" + " || chr(0) || ".join(pieces) + ")" if "\x00" in value else next(pieces)


def attached(file: DataFile) -> list[str]:
    """What has to be said before the table can be read."""
    if file.table is None:
        return []
    return [f"ATTACH IF NOT EXISTS {text(str(file.path))} AS {_attachment(file)} (READ_ONLY)"]


def relation(file: DataFile) -> str:
    """The table, for FROM, such that no row makes a question fail.

    The columns of a CSV file are read as text, because a row that does not look like those before it would otherwise
    raise; and a line that is no row is skipped. An empty cell is NULL. The bounds that a Parquet file states for its
    columns leave out NaN, and DuckDB would trust them.
    """
    return _csv(file, ", ignore_errors = true") if file.is_text else _typed(file)


def checked(file: DataFile) -> str:
    """The same table, but a line of a CSV file that is no row raises: for custodians, who can correct it."""
    return _csv(file, "") if file.is_text else _typed(file)


def columns(file: DataFile) -> dict[str, str]:
    """The columns and DuckDB's names of their types; those of a CSV file are all texts. Reads no rows."""
    import duckdb  # noqa: PLC0415 - takes long to import, and policies are read without it

    with duckdb.connect() as connection:
        for statement in attached(file):
            connection.execute(statement)
        described = connection.execute(f"DESCRIBE FROM {relation(file)}").fetchall()
    return {name: kind for name, kind, *_ in described}


def _csv(file: DataFile, more: str) -> str:
    shape = f"delim = {text(file.delimiter())}, quote = '\"', escape = '\"', header = true, skip = 0"
    return f"read_csv({text(str(file.path))}, {shape}, all_varchar = true{more})"


def _typed(file: DataFile) -> str:
    if file.suffix in PARQUET:
        return f"read_parquet({text(str(file.path))}, can_have_nan = true)"
    return f"{_attachment(file)}.main.{quoted(file.table or '')}"


def _attachment(file: DataFile) -> str:
    """What a database is called inside the engine."""
    return quoted(f"file {file.path}")
