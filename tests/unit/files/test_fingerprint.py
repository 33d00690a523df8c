"""The same data have the same digest, wherever they are and whenever they were written; and it needs the key."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.files import fingerprint
from deniable.files.fingerprint import Contents, content, secret
from deniable.files.source import DataFile


def stored(path: Path, rows: list[int]) -> DataFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"x": rows}), path)
    return DataFile.named(path)


def test_touching_copying_and_restoring_change_nothing_and_a_byte_does(tmp_path: Path) -> None:
    contents = Contents.beside(tmp_path)
    file = stored(tmp_path / "a.parquet", [1, 2, 3])
    first = contents.of(file)
    os.utime(file.path, ns=(0, 0))
    assert contents.of(file) == first
    shutil.copy(file.path, tmp_path / "b.parquet")
    assert contents.of(DataFile.named(tmp_path / "b.parquet")) == first
    stored(file.path, [1, 2, 4])
    os.utime(file.path, ns=(0, 0))
    assert contents.of(file) != first
    shutil.copy(tmp_path / "b.parquet", file.path)
    assert contents.of(file) == first


def test_a_folder_is_its_files_and_their_names(tmp_path: Path) -> None:
    for name in ("one", "two"):
        for year in (2023, 2024):
            stored(tmp_path / name / f"year={year}" / "p.parquet", [year])
    one, two = (DataFile.named(f"{tmp_path}/{name}/") for name in ("one", "two"))
    assert content(one) == content(two)
    assert content(DataFile.named(f"{tmp_path}/one/*/*.parquet")) == content(one)
    (tmp_path / "two/year=2024").rename(tmp_path / "two/year=2025")
    assert content(one) != content(two)


def test_another_key_gives_another_digest_and_the_key_is_the_owners(tmp_path: Path) -> None:
    file = stored(tmp_path / "a.parquet", [1])
    assert Contents.beside(tmp_path).of(file) == Contents.beside(tmp_path).of(file)
    (tmp_path / "other").mkdir()
    assert Contents.beside(tmp_path / "other").of(file) != Contents.beside(tmp_path).of(file)
    assert (tmp_path / ".deniable-key").stat().st_mode & 0o077 == 0
    assert len(secret(tmp_path)) == 32


def test_what_is_remembered_is_not_computed_again_and_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = stored(tmp_path / "a.parquet", [1])
    known = Contents.beside(tmp_path)
    monkeypatch.setattr(fingerprint, "_YOUNG", -(10**12))
    digest = known.of(file)
    monkeypatch.setattr(fingerprint, "content", None)
    assert known.of(file) == digest
    assert Contents.beside(tmp_path).of(file) == digest
    kept = (tmp_path / ".deniable-contents.json").read_text()
    assert str(tmp_path) not in kept
    (tmp_path / ".deniable-contents.json").write_text("spoiled")
    with pytest.raises(TypeError):
        Contents.beside(tmp_path).of(file)


def test_a_file_that_is_just_written_is_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may change once more within the same tick of the clock, and at the same length."""
    file = stored(tmp_path / "a.parquet", [1])
    contents = Contents.beside(tmp_path)
    contents.of(file)
    monkeypatch.setattr(fingerprint, "content", lambda _: b"again")
    assert contents.of(file) == fingerprint.keyed(contents.key, b"content", b"again")


def test_nothing_has_no_digest(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        content(DataFile.named(tmp_path / "gone.csv"))
