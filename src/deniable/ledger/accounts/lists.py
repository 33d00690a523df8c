"""Lists of accounts: which there are, and on what. One lies in a folder or on a server, beside the ledgers it names."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from deniable.files.atomic import whole
from deniable.files.fingerprint import keyed, secret
from deniable.ledger import refusals
from deniable.ledger.entries.canon import MALFORMED, canonical

try:
    import fcntl
except ImportError:  # where folders cannot be locked, the last one to write wins
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Holding:
    """An account and the private data that it answers for."""

    ledger: str
    """Its url."""
    population: str
    sources: Mapping[str, str]
    """Where the rows are, with links followed, and a digest of them: an appended row changes it, and not the place.

    On a list, the digest is keyed by a secret of the list: whoever reads the list cannot test a guess at rows.
    """
    reason: str = ""
    """Why it may be beside another account on the same data."""

    def shares(self, other: Holding) -> bool:
        """Whether both have a place or a content in common."""
        return not self.sources.keys().isdisjoint(other.sources) or not set(self.sources.values()).isdisjoint(
            other.sources.values()
        )

    def under(self, key: bytes) -> Holding:
        """As it stands on a list."""
        digests = {place: keyed(key, b"account", digest.encode()) for place, digest in self.sources.items()}
        return replace(self, sources=digests)


class AccountList(ABC):
    """A list of accounts that many processes keep together."""

    @property
    @abstractmethod
    def order(self) -> str:
        """Whoever locks several lists does so in this order, so that two never wait for each other."""

    @abstractmethod
    def locked(self) -> AbstractContextManager[None]:
        """Nobody else changes it, as long as the block lasts."""

    @abstractmethod
    def key(self) -> bytes:
        """The secret under which digests stand on it."""

    @abstractmethod
    def read(self) -> list[Holding]:
        """What is listed; what is no list must not pass for an empty one."""

    @abstractmethod
    def add(self, holding: Holding) -> None:
        """One account more."""

    @abstractmethod
    def remove(self, holding: Holding) -> None:
        """The one that was added last, if it is this one."""


class FolderList(AccountList):
    """A file of JSON, for the processes of one machine."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def order(self) -> str:
        """By folder."""
        return str(self._path.parent)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The folder is locked, not the file: that is replaced as a whole."""
        opened = os.open(self._path.parent, os.O_RDONLY)
        try:
            if fcntl is not None:
                fcntl.flock(opened, fcntl.LOCK_EX)
            yield
        finally:
            os.close(opened)

    def key(self) -> bytes:
        """That of the folder."""
        return secret(self._path.parent)

    def read(self) -> list[Holding]:
        """Nothing, where there is no file yet."""
        try:
            return [Holding(**said) for said in json.loads(self._path.read_bytes())["accounts"]]
        except FileNotFoundError:
            return []
        except MALFORMED:
            raise refusals.registry_damaged(str(self._path)) from None

    def add(self, holding: Holding) -> None:
        """At the end."""
        self._write([*self.read(), holding])

    def remove(self, holding: Holding) -> None:
        """From the end."""
        listed = self.read()
        self._write(listed[:-1] if listed[-1:] == [holding] else listed)

    def _write(self, listed: list[Holding]) -> None:
        with whole(self._path, private=True) as file:
            file.write(canonical({"accounts": [asdict(holding) for holding in listed]}).encode())
