"""How DuckDB reads a source: the one reader, for whoever drafts, checks or asks.

A source becomes a view (or, where DuckDB cannot read the format, a table) by a list of steps. The steps are plain data,
so that the process that reads private rows can be told them; `take` is what takes one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from deniable.core.algebra.expression import Kind
from deniable.files.days import as_iso
from deniable.files.formats import FileFormat, endings
from deniable.files.layout import UTF_8, Layout
from deniable.files.load import from_arrow, from_excel
from deniable.files.source import DataFile, inside

if TYPE_CHECKING:
    import duckdb

Step = Sequence[str | None]
"""What to do, and with what."""
HERE = "data"
"""What a custodian's only table is called."""


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


def steps(file: DataFile, name: str, scratch: Path) -> list[Step]:
    """What makes the source the table `name`, such that no row makes a question fail.

    The cells of a CSV file are read as text, because a row that does not look like those before it would otherwise
    raise; an empty cell, quoted or not, is NULL. No type is guessed from rows. A line that is no row does raise: left
    out, it could take any number of others along. The bounds that a Parquet file states for its columns leave out NaN,
    and DuckDB would trust them. `scratch` is a folder for texts in other encodings than UTF-8.
    """
    match file.format:
        case FileFormat.PARQUET:
            more = ", union_by_name = true" * file.several
            rows = f"FROM read_parquet({_listed(file.files)}, {_partitions(file)}{more}, can_have_nan = true)"
            return [_view(name, rows)]
        case FileFormat.CSV:
            return _csv(file, name, scratch)
        case FileFormat.NDJSON:
            return [_view(name, _ndjson(file))]
        case FileFormat.DATABASE:
            schema, table = inside(file.table or "")
            place = quoted(f"file {file.path}")
            attach = f"ATTACH IF NOT EXISTS {text(str(file.path))} AS {place} (READ_ONLY)"
            return [("sql", attach), _view(name, f"FROM {place}.{quoted(schema)}.{quoted(table)}")]
        case FileFormat.ARROW:
            return [("arrow", str(file.path), None, name)]
        case FileFormat.EXCEL:
            return [("excel", str(file.path), file.table, name)]


def opened(file: DataFile, name: str, scratch: Path) -> tuple[Path, ...]:
    """The files that DuckDB opens: the table's own, or the copies of those that are not in UTF-8."""
    if file.format is not FileFormat.CSV or codecs.lookup(file.layout.encoding).name == UTF_8:
        return file.files
    return tuple(scratch / f"{sha256(name.encode()).hexdigest()}-{number}.csv" for number in range(len(file.files)))


@contextmanager
def reading(file: DataFile, **settings: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """For custodians: a connection in which the source is the table `data`, read as the engine reads it."""
    import duckdb  # noqa: PLC0415 - takes long to import, and policies are read without it

    with TemporaryDirectory(prefix="deniable-") as scratch, duckdb.connect(config=dict(settings)) as connection:
        for step in steps(file, HERE, Path(scratch)):
            take(connection, step)
        yield connection


def take(connection: duckdb.DuckDBPyConnection, step: Step) -> None:
    """Do one step, in whichever process."""
    match step:
        case ("sql", str() as sql):
            connection.execute(sql)
        case ("utf-8", str() as path, str() as encoding, str() as target):
            _transcode(Path(path), encoding, Path(target))
        case (("arrow" | "excel") as kind, str() as path, sheet, str() as name):
            loaded = from_arrow(Path(path)) if kind == "arrow" else from_excel(Path(path), sheet)
            connection.register("loaded", loaded)
            connection.execute(f"CREATE TABLE main.{quoted(name)} AS FROM loaded")
            connection.unregister("loaded")
        case _:
            raise ValueError(step)


def columns(file: DataFile) -> dict[str, str]:
    """The columns and DuckDB's names of their types; those of a text file are all texts. Reads no rows."""
    with reading(file) as connection:
        described = connection.execute(f"DESCRIBE FROM {HERE}").fetchall()
    return {name: kind for name, kind, *_ in described}


def _csv(file: DataFile, name: str, scratch: Path) -> list[Step]:
    """Files with the same first line are read together; columns are found by name in each."""
    groups: dict[tuple[str, ...], list[Path]] = {}
    transcoded: list[Step] = []
    for path, target in zip(file.files, opened(file, name, scratch), strict=True):
        names = (file.layout.delimiter_of(path), *file.layout.names(path))
        if target != path:
            transcoded.append(("utf-8", str(path), file.layout.encoding, str(target)))
        groups.setdefault(names, []).append(target)
    reads = (_read_csv(file, delimiter, names, paths) for (delimiter, *names), paths in groups.items())
    return [*transcoded, _view(name, " UNION ALL BY NAME ".join(reads))]


def _read_csv(file: DataFile, delimiter: str, names: list[str], paths: list[Path]) -> str:
    shape = {
        "delim": text(delimiter),
        "quote": text(file.layout.quote),
        "escape": text(file.layout.quote),
        "header": str(file.layout.header).lower(),
        "columns": "{" + ", ".join(f"{text(name)}: 'VARCHAR'" for name in names) + "}",
        "auto_detect": "false",
        "ignore_errors": "false",
    }
    options = ", ".join([*(f"{option} = {value}" for option, value in shape.items()), _partitions(file)])
    kinds = {one: kind for one, kind in (file.declared or {}).items() if one in names}
    respelled = {one: respelling(quoted(one), kind, file.layout) for one, kind in kinds.items()}
    changed = ", ".join(f"{cell} AS {quoted(one)}" for one, cell in respelled.items() if cell != quoted(one))
    rows = f"read_csv({_listed(paths)}, {options})"
    return f"SELECT * REPLACE ({changed}) FROM {rows}" if changed else f"FROM {rows}"  # noqa: S608 - quoted


def respelling(cell: str, kind: Kind, layout: Layout) -> str:
    """A cell of a CSV file, as DuckDB writes what the column is declared to be."""
    if kind is Kind.NUMBER and layout.decimal == ",":
        return pointed(cell)
    if kind in {Kind.DATE, Kind.TIMESTAMP} and layout.dates is not None:
        return as_iso(cell, layout.dates)
    return cell


def pointed(cell: str) -> str:
    """A number with a comma before its fraction, and maybe points between thousands, as DuckDB writes it.

    Anything else becomes a mark that is no number: 1.5 must not turn into 15.
    """
    number = r"\s*[+-]?(\d{1,3}(\.\d{3})+|\d*)(,\d+)?([eE][+-]?\d+)?\s*"
    spelled = f"replace(replace({cell}, '.', ''), ',', '.')"
    return f"CASE WHEN {cell} IS NULL OR regexp_full_match({cell}, '{number}') THEN {spelled} ELSE '?' END"


def _ndjson(file: DataFile) -> str:
    """Only what the policy declares, as text: which keys there are, rows alone could tell. A draft asks them."""
    import duckdb  # noqa: PLC0415 - takes long to import

    names = list(file.declared or ())
    if file.declared is None:
        with duckdb.connect() as connection:
            keys = f"SELECT DISTINCT unnest(json_keys(json)) FROM read_ndjson_objects({_listed(file.files)})"  # noqa: S608
            names = sorted(name for (name,) in connection.execute(keys).fetchall())
    kinds = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names)
    options = f"columns = {{{kinds}}}, records = true, ignore_errors = false, {_partitions(file)}"
    return f"FROM read_ndjson({_listed(file.files)}, {options})"


def _partitions(file: DataFile) -> str:
    """In a folder, year=2024 in a file's path is a column, and a text: what its type is, rows must not decide."""
    return "hive_partitioning = true, hive_types_autocast = false" if file.several else "hive_partitioning = false"


def _view(name: str, rows: str) -> Step:
    return "sql", f"CREATE VIEW main.{quoted(name)} AS {rows}"


def _listed(paths: Sequence[Path]) -> str:
    if not paths:
        raise FileNotFoundError("there is no file")
    return f"[{', '.join(text(literal(path)) for path in paths)}]"


def literal(path: Path) -> str:
    """The path of this one file, for functions that take patterns."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _transcode(path: Path, encoding: str, target: Path) -> None:
    """A text in UTF-8; what is no text in the encoding becomes a mark, so that no row can make reading fail."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    decoder = codecs.getincrementaldecoder(encoding)("replace")
    with (
        pa.input_stream(str(path), compression=endings(path)[1]) as stream,
        target.open("w", encoding=UTF_8, newline="") as out,
    ):
        while block := stream.read(1 << 20):
            out.write(decoder.decode(block))
        out.write(decoder.decode(b"", final=True))
