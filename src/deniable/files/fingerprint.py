"""What data are, whatever they are called and whenever they were written: a digest of their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from deniable.files.source import DataFile


def content(file: DataFile) -> bytes:
    """A digest of every byte, and of the names below a folder. The same for a copy; raises if there is no file.

    Whoever has it can test a guess at the whole table, so it stays in this process unless it is keyed.
    """
    if not file.files:
        raise FileNotFoundError(2, "there is no file", str(file.path))
    digest = hashlib.sha256(repr(file.table).encode())
    for path in file.pieces:
        digest.update(repr((_below(path, file), path.stat().st_size)).encode())
        with path.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.digest()


def _below(path: Path, file: DataFile) -> str:
    """Where it is in its folder; of a table in one file, whose name says nothing, only the end."""
    if not file.several:
        return path.suffix
    fixed = [part for part in file.path.parents if "*" not in str(part) and "?" not in str(part)]
    root = file.path if file.path.is_dir() else fixed[0]
    return path.relative_to(root).as_posix()
