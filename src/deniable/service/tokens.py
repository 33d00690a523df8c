"""Tokens: 256 random bits that say who somebody is. Shown once; what is kept cannot be used to come in."""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes, token_hex, token_urlsafe
from typing import Any, TypeVar

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import refusing, whole
from deniable.service.log import note
from deniable.service.scram import SALT_BYTES, Verifier

try:
    import fcntl
except ImportError:  # where files have no such locks, one custodian at a time has to do
    fcntl = None  # type: ignore[assignment]

Result = TypeVar("Result")

PREFIX = "deniable_"
"""By which people, and programs that look for secrets in the wrong place, recognise a token."""
_RANDOM_BYTES = 32
_LONGEST_NAME = 63
"""As many bytes as PostgreSQL's names have."""


class Role(Enum):
    """What somebody may do."""

    ANALYST = "analyst"
    """Asks, and sees their own budget and history."""
    CUSTODIAN = "custodian"
    """Sees all accounts, the history of all, the metrics; gives and revokes tokens. Does not ask."""
    REVIEWER = "reviewer"
    """Sees the ledger, and checks it. Does not ask."""


@dataclass(frozen=True, slots=True)
class Token:
    """Who has it, for what, until when; and what is kept to recognise it by."""

    id: str
    name: str
    role: Role
    population: str
    created: str
    expires: str | None
    revoked: str | None
    digest: str
    """SHA-256 of the token: it has 256 random bits, so there is nothing to guess and nothing to slow down."""
    verifier: Verifier

    @property
    def state(self) -> str:
        """In a word."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= _written(_now()) else "valid"


class TokenFile:
    """The tokens of one population, in a file that only its owner can read.

    Promise:  whoever reads the file learns who has tokens, and cannot come in with what is in it.
    Assumes:  whoever can write to the file is the custodian.
    """

    def __init__(self, path: Path, population: str) -> None:
        self.path, self._population = path, population
        self._seen: tuple[object, _Kept] | None = None

    @classmethod
    def beside(cls, place: Path, population: str) -> TokenFile:
        """The file of the population whose account has its files in this place."""
        return cls(Path(f"{place}.tokens"), population)

    def create(self, name: str, role: Role, days: float | None = None) -> tuple[str, Token]:
        """A new token, which is never shown again, and what is kept of it."""
        if not name.strip() or not name.isprintable() or len(name.encode()) > _LONGEST_NAME:
            raise InvalidArgumentError("name", f"must be readable, and at most {_LONGEST_NAME} bytes long")
        if days is not None and not 0 < days <= 36500:  # noqa: PLR2004 - a hundred years
            raise InvalidArgumentError("days", f"must be more than 0, and at most 36500, not {days:g}")
        secret = f"{PREFIX}{token_urlsafe(_RANDOM_BYTES)}"

        def add(kept: _Kept) -> tuple[_Kept, Token]:
            token = Token(
                id=token_hex(4),
                name=name,
                role=role,
                population=self._population,
                created=_written(_now()),
                expires=None if days is None else _written(_now() + timedelta(days=days)),
                revoked=None,
                digest=_digest(secret),
                verifier=Verifier.of(secret, kept.salt(self._population, name)),
            )
            return replace(kept, tokens=(*kept.tokens, token)), token

        return secret, self._change(add)

    def revoke(self, which: str) -> list[Token]:
        """End a token by its id, or all tokens of a name; those that were valid until now."""

        def end(kept: _Kept) -> tuple[_Kept, list[Token]]:
            chosen = [token for token in kept.tokens if which in (token.id, token.name) and token.revoked is None]
            now = _written(_now())
            left = tuple(replace(token, revoked=now) if token in chosen else token for token in kept.tokens)
            return replace(kept, tokens=left), chosen

        found = self._change(end)
        if not found:
            raise InvalidArgumentError("token", f"{which!r} is neither the id nor the name of a token that is valid")
        return found

    def all(self) -> list[Token]:
        """Every token that was ever created, oldest first."""
        return list(self._read().tokens)

    def find(self, secret: str) -> Token | None:
        """The valid token with this text. What is compared are digests, so the time says nothing of any token."""
        digest = _digest(secret)
        return next((token for token in self._valid() if hmac.compare_digest(token.digest, digest)), None)

    def proofs(self, name: str) -> tuple[bytes, list[Token]]:
        """The salt of a name, and the valid tokens that it has; a name that nobody has gets a salt like any other."""
        return self.salt(self._population, name), [token for token in self._valid() if token.name == name]

    def salt(self, population: str, name: str) -> bytes:
        """The salt of a name in a population that may not be there: the same after every start, like any other."""
        return self._known().salt(population, name)

    def still(self, token: Token) -> bool:
        """Whether the token is valid now."""
        return any(one.id == token.id for one in self._valid())

    def _valid(self) -> Iterator[Token]:
        return (token for token in self._known().tokens if token.state == "valid")

    def _known(self) -> _Kept:
        """What the file says to those who knock: one that cannot be read lets nobody in, and only the log says so."""
        try:
            return self._read()
        except (InvalidArgumentError, OSError) as error:
            note("tokens-unreadable", failure=True, population=self._population, code=type(error).__name__)
            return _NOBODY

    def _read(self) -> _Kept:
        """What the file says now; it is read again only after it has changed."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return _NOBODY
        stamp = found.st_mtime_ns, found.st_size, found.st_ino
        if self._seen is None or self._seen[0] != stamp:
            self._seen = stamp, _Kept.load(self.path)
        return self._seen[1]

    def _change(self, step: Callable[[_Kept], tuple[_Kept, Result]]) -> Result:
        """Read, change, write, alone."""
        with refusing(self.path, "tokens"), _alone(self.path):
            kept = _Kept.load(self.path) if self.path.exists() else _Kept(token_bytes(32), ())
            changed, result = step(kept)
            with whole(self.path, private=True) as file:
                file.write(changed.dump().encode())
        return result


@dataclass(frozen=True, slots=True)
class _Kept:
    """All that is in the file."""

    secret: bytes
    tokens: tuple[Token, ...]

    def salt(self, population: str, name: str) -> bytes:
        """The same whenever somebody of this name comes, known or not."""
        return hmac.digest(self.secret, f"{population}\0{name}".encode(), "sha256")[:SALT_BYTES]

    @classmethod
    def load(cls, path: Path) -> _Kept:
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            return cls(bytes.fromhex(said["secret"]), tuple(_token(one) for one in said["tokens"]))
        except (ValueError, KeyError, TypeError):
            raise InvalidArgumentError("tokens", f"cannot be read from {path}: it is not a file of tokens") from None

    def dump(self) -> str:
        tokens = [
            {
                **{key: value for key, value in asdict(token).items() if key != "verifier"},
                "role": token.role.value,
                "stored_key": token.verifier.stored_key.hex(),
                "server_key": token.verifier.server_key.hex(),
            }
            for token in self.tokens
        ]
        return json.dumps({"secret": self.secret.hex(), "tokens": tokens}, indent=1)


_NOBODY = _Kept(bytes(SALT_BYTES), ())


def _token(said: dict[str, Any]) -> Token:
    keys = Verifier(bytes.fromhex(said.pop("stored_key")), bytes.fromhex(said.pop("server_key")))
    return Token(**{**said, "role": Role(said["role"])}, verifier=keys)


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> datetime:
    return datetime.now(UTC)


def _written(when: datetime) -> str:
    return when.isoformat(timespec="seconds")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Two who create tokens at once must not lose one."""
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
