"""Which accounts there are, and on what: one population has one account, so a second one on the same data is refused.

Kept twice: beside the ledgers, for everybody who keeps accounts in that folder, and in the user's own state folder, for
every folder that this user keeps accounts in. Nothing here is secret or adds up: it is there to stop a slip, by which
the same people would be promised the budget twice. Who deletes both lists is not stopped; see docs/threats.md
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from deniable.files.atomic import whole
from deniable.files.fingerprint import keyed, secret
from deniable.ledger import refusals
from deniable.ledger.canon import MALFORMED, canonical
from deniable.ledger.chain import attempt
from deniable.ledger.storage import sqlite

try:
    import fcntl
except ImportError:  # where folders cannot be locked, the last one to write wins
    fcntl = None  # type: ignore[assignment]

_BESIDE = ".deniable-accounts.json"
_OWN = "accounts.json"


@dataclass(frozen=True, slots=True)
class Holding:
    """An account and the private data that it answers for."""

    ledger: str
    """Its url."""
    population: str
    sources: Mapping[str, str]
    """Where the rows are, with links followed, and a digest of them: an appended row changes it, and not the place.

    On a list, the digest is keyed by a secret of the list's folder: whoever reads the list cannot test a guess at rows.
    """
    reason: str = ""
    """Why it may be beside another account on the same data."""

    def shares(self, other: Holding) -> bool:
        """Whether both have a place or a content in common."""
        return not self.sources.keys().isdisjoint(other.sources) or not set(self.sources.values()).isdisjoint(
            other.sources.values()
        )


def state() -> Path:
    """DENIABLE_STATE, or the place that the system has for what must not be lost and is nobody else's."""
    if named := os.environ.get("DENIABLE_STATE"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "deniable"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "deniable"


@contextmanager
def claimed(holding: Holding) -> Iterator[None]:
    """The block makes the account; it is on the lists before that, and off them if the block raises.

    Raises:
        Refused: an account holds the same source or the same data, be its ledger there or not, and no reason is given.
    """
    with _lists(holding) as lists:
        here = sqlite.place(holding.ledger)
        ours = {path: _under(path, holding) for path in lists}
        others = [other for path, listed in lists.items() for other in listed if other.shares(ours[path])]
        if others and not holding.reason.strip() and not here.exists():  # where there is one, the block is refused
            raise refusals.source_taken(others[0].population, others[0].ledger)
        _write({path: [*listed, ours[path]] for path, listed in lists.items()})
        try:
            yield
        except BaseException:
            _write(lists)
            raise


def note(holding: Holding) -> None:
    """Put an account that is there on the lists: one from before they were kept, or that has other sources now."""
    with _lists(holding) as lists:
        ours = {path: _under(path, holding) for path in lists}
        _write({path: listed if ours[path] in listed else [*listed, ours[path]] for path, listed in lists.items()})


@contextmanager
def _lists(holding: Holding) -> Iterator[dict[Path, list[Holding]]]:
    """Both lists, which nobody else changes meanwhile."""
    paths = sorted({sqlite.place(holding.ledger).parent / _BESIDE, state().resolve() / _OWN})
    with ExitStack() as stack:
        for folder in sorted({path.parent for path in paths}):  # so that two processes never wait for each other
            attempt(lambda folder=folder: _lock(folder, stack))  # type: ignore[misc]
        yield {path: attempt(lambda path=path: _read(path)) for path in paths}  # type: ignore[misc]


def _under(path: Path, holding: Holding) -> Holding:
    """As it stands on a list."""
    key = attempt(lambda: secret(path.parent))
    digests = {place: keyed(key, b"account", digest.encode()) for place, digest in holding.sources.items()}
    return replace(holding, sources=digests)


def _lock(folder: Path, stack: ExitStack) -> None:
    """Until the stack is left."""
    if folder == state().resolve():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    opened = os.open(folder, os.O_RDONLY)
    stack.callback(os.close, opened)
    if fcntl is not None:
        fcntl.flock(opened, fcntl.LOCK_EX)


def _read(path: Path) -> list[Holding]:
    """What is listed there; what is no list must not pass for an empty one."""
    try:
        return [Holding(**said) for said in json.loads(path.read_bytes())["accounts"]]
    except FileNotFoundError:
        return []
    except MALFORMED:
        raise refusals.registry_damaged(str(path)) from None


def _write(lists: Mapping[Path, list[Holding]]) -> None:
    for path, listed in lists.items():
        attempt(lambda path=path, listed=listed: _write_one(path, listed))  # type: ignore[misc]


def _write_one(path: Path, listed: list[Holding]) -> None:
    with whole(path, private=True) as file:
        file.write(canonical({"accounts": [asdict(holding) for holding in listed]}).encode())
