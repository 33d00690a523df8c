"""Which files can hold rows: formats by the ends of their names, and how texts are compressed."""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath


class FileFormat(Enum):
    """How rows are stored."""

    PARQUET = "Parquet"
    CSV = "CSV"
    NDJSON = "JSON, one object in each line"
    ARROW = "Arrow"
    EXCEL = "Excel"
    DATABASE = "DuckDB"


_ENDINGS = {
    ".parquet": FileFormat.PARQUET,
    ".pq": FileFormat.PARQUET,
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.CSV,
    ".ndjson": FileFormat.NDJSON,
    ".jsonl": FileFormat.NDJSON,
    ".arrow": FileFormat.ARROW,
    ".feather": FileFormat.ARROW,
    ".xlsx": FileFormat.EXCEL,
    ".duckdb": FileFormat.DATABASE,
    ".db": FileFormat.DATABASE,
}
_COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
TEXTS = frozenset({FileFormat.CSV, FileFormat.NDJSON, FileFormat.EXCEL})
"""Without types of their own, or with one for each cell: read as texts, and cast as the policy says."""
IN_PARTS = frozenset({FileFormat.PARQUET, FileFormat.CSV, FileFormat.NDJSON})
"""A table of these can be several files."""


def format_of(name: str | PurePath) -> FileFormat | None:
    """By the end of the name; of texts, also before the end that says how they are compressed.

    Example:
        >>> format_of("visits.csv.gz").value, format_of("visits.parquet").value, format_of("visits.parquet.gz")
        ('CSV', 'Parquet', None)
    """
    ending, compression = endings(name)
    found = _ENDINGS.get(ending)
    return found if compression is None or found in {FileFormat.CSV, FileFormat.NDJSON} else None


def endings(name: str | PurePath) -> tuple[str, str | None]:
    """The end that names the format, in small letters, and the compression.

    Example:
        >>> endings("Visits.CSV.gz"), endings("visits.pq")
        (('.csv', 'gzip'), ('.pq', None))
    """
    path = PurePath(name)
    compression = _COMPRESSED.get(path.suffix.lower())
    return (PurePath(path.stem).suffix.lower() if compression else path.suffix.lower()), compression


def bare(name: str | PurePath) -> str:
    """The name without what says how it is stored.

    Example:
        >>> bare("visits.csv.gz"), bare("notes.2024.parquet"), bare("visits")
        ('visits', 'notes.2024', 'visits')
    """
    path = PurePath(name)
    if format_of(path) is None:
        return path.name
    return PurePath(path.stem).stem if endings(path)[1] else path.stem
