"""What data are, whatever they are called and whenever they were written: a keyed digest of their content.

A digest without a key would be an exact test of a guess at the whole table, so only `content` knows one, and it stays
in the process. What is kept, compared and made into names is keyed by a secret that lies in the folder of the ledger.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes

from deniable.files.atomic import whole
from deniable.files.source import DataFile, Stamp

_KEY, _KNOWN = ".deniable-key", ".deniable-contents.json"
_BYTES = 32
_YOUNG = 2_000_000_000
"""Nanoseconds after which a file that is written again has another time, on every file system."""


def content(file: DataFile) -> bytes:
    """A digest of every byte, and of the names below a folder. The same for a copy; raises if there is no file."""
    if not file.files:
        raise FileNotFoundError(2, "there is no file", str(file.path))
    digest = hashlib.sha256(repr(file.table).encode())
    for path in file.pieces:
        with path.open("rb") as opened:
            inner = hashlib.file_digest(opened, "sha256").hexdigest()
        digest.update(f"{_below(path, file)!r} {inner}\n".encode())
    return digest.digest()


def secret(folder: Path) -> bytes:
    """The folder's key, made when it is first asked for. Without it, every question counts as a new one."""
    path = folder / _KEY
    try:
        with whole(path, new=True, private=True) as file:
            file.write(token_bytes(_BYTES))
    except FileExistsError:
        pass  # by us, or by another process meanwhile
    return path.read_bytes()


def keyed(key: bytes, *parts: bytes) -> str:
    """A digest that says nothing to whoever has not the key."""
    return hmac.new(key, b"".join(len(part).to_bytes(8, "big") + part for part in parts), "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Contents:
    """Keyed digests of sources, computed again only when a file's size, time or number has changed.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     places = [Path(folder) / name for name in ("visits.csv", "copy.csv")]
        ...     _ = [place.write_text("age") for place in places]
        ...     one, other = (Contents.beside(Path(folder)).of(DataFile.named(place)) for place in places)
        ...     one == other, one == Contents().of(DataFile.named(places[0]))
        (True, False)
    """

    key: bytes = field(default_factory=lambda: token_bytes(_BYTES), repr=False)
    folder: Path | None = None
    """Where digests are remembered; None: only in this process."""
    _known: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def beside(cls, folder: Path) -> Contents:
        """Under the folder's own key."""
        return cls(secret(folder), folder)

    def of(self, file: DataFile) -> str:
        """The same as long as the content is the same, wherever it is; raises if there is no file."""
        place = keyed(self.key, b"place", f"{file.path}\n{file.table}".encode())
        stamp = file.stamp()
        seen = keyed(self.key, b"stamp", repr(stamp).encode())
        if self._known.get(place, [""])[0] != seen:
            self._known.update({place: kept} if (kept := self._kept().get(place)) is not None else {})
        if self._known.get(place, [""])[0] == seen:
            return self._known[place][1]
        digest = keyed(self.key, b"content", content(file))
        if stamp is not None and stamp == file.stamp() and not _young(stamp):
            self._known[place] = [seen, digest]
            self._keep(place, [seen, digest])
        return digest

    def _kept(self) -> dict[str, list[str]]:
        """What other processes have computed. A file that is spoiled costs time, and nothing else."""
        try:
            return dict(json.loads((self.folder / _KNOWN).read_bytes())) if self.folder else {}
        except (OSError, ValueError, TypeError):
            return {}

    def _keep(self, place: str, known: list[str]) -> None:
        if self.folder is None:
            return
        try:
            with whole(self.folder / _KNOWN, private=True) as file:
                file.write(json.dumps(self._kept() | {place: known}).encode())
        except OSError:
            pass  # where nothing can be written, it is computed again


def _young(stamp: Stamp) -> bool:
    """Whether a file may still be written to without its time showing it."""
    return max(max(modified, changed) for _, _, modified, changed, _ in stamp) > time.time_ns() - _YOUNG


def _below(path: Path, file: DataFile) -> str:
    """Where it is in its folder; of a table in one file, whose name says nothing, only the end."""
    if not file.several:
        return path.suffix
    fixed = [part for part in file.path.parents if "*" not in str(part) and "?" not in str(part)]
    root = file.path if file.path.is_dir() else fixed[0]
    return path.relative_to(root).as_posix()
