"""Where questions are computed and where the account is kept: the engine's limits and the ledger's address."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from deniable.core.errors import InvalidArgumentError
from deniable.policy.address import AddressError, ServerAddress
from deniable.policy.problems import closest
from deniable.policy.section import Section
from deniable.policy.written import shown

KINDS = ("duckdb", "postgres", "spark")
"""Engines, each a folder of that name."""
_ADDRESS = 'url = "postgresql://deniable@localhost:5432/clinic"'
_CONNECT = re.compile(r"sc://[\w.-]+:\d{1,5}")
_CONNECTED = 'url = "sc://localhost:15002"'
_DAY = 24 * 60 * 60
_MEMORY = re.compile(r"[1-9][0-9]*(\.[0-9]+)?\s?[KMGT]i?B")
_SQLITE = "sqlite:///"
_SERVER = "postgres"
_ON_SERVER = 'or url = "postgresql://curator@db.example.org/accounts"'
_IN_MEMORY = ("sqlite://", "sqlite:///:memory:")
_BESIDE = 'write url = "sqlite:///clinic.ledger", a file beside the policy'


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Which engine computes, and what one question may use up."""

    kind: str = "duckdb"
    seconds: float = 60.0
    memory: str = "4GB"
    threads: int | None = None
    """None: as many as the machine has."""
    url: str | None = None
    """Of a server, without a password."""
    password_env: str | None = None
    password_file: Path | None = None
    """Where the password is found when it is needed: it is never kept, nor part of the policy."""

    @property
    def remote(self) -> bool:
        """Whether tables are the engine's own, and not files."""
        return self.url is not None

    def password(self) -> str | None:
        """From the environment or from a file, if the policy names one; whatever else the driver knows of, otherwise.

        Raises:
            InvalidArgumentError: it is not there.
        """
        if self.password_env is not None and self.password_env not in os.environ:
            raise InvalidArgumentError("password_env", f"{self.password_env} is not set in the environment")
        if self.password_env is not None:
            return os.environ[self.password_env]
        try:
            return None if self.password_file is None else self.password_file.read_text().rstrip("\r\n")
        except OSError as error:
            raise InvalidArgumentError("password_file", f"cannot be read: {error.strerror}") from None


def read_engine(section: Section, folder: Path) -> EngineSettings:
    """The engine, with defaults for what is left out."""
    kind = section.text("kind", 'kind = "duckdb"')
    url = _server(section, kind)
    env = section.text("password_env", 'password_env = "CLINIC_PASSWORD", a variable of the environment')
    written = section.text("password_file", 'password_file = "clinic.password", a file beside the policy')
    for name in ("password", "user"):
        if section.value(name) is not None:
            hint = 'name where it is: password_env = "CLINIC_PASSWORD", or password_file; the user stands in the url'
            section.problem(name, "does not belong into a policy", hint)
    if env is not None and written is not None:
        section.problem("password_file", "the password has two places", "leave out one of password_env, password_file")
    if kind is not None and kind not in KINDS:
        section.problem("kind", f"there is no engine '{kind}'", f'{closest(kind, KINDS)}write kind = "duckdb"')
    seconds = section.number("seconds", "seconds = 60")
    if seconds is not None and seconds > _DAY:
        section.problem("seconds", "is more than a day", "write seconds = 60")
    memory = section.text("memory", 'memory = "4GB"')
    if memory is not None and not _MEMORY.fullmatch(memory):
        section.problem("memory", f"{shown(memory)} is not an amount of memory", 'write memory = "4GB"')
    threads = section.whole("threads", "threads = 4, or leave it out", most=1024)
    section.finish()
    file = None if written is None else resolved(folder, written)
    return EngineSettings(kind or "duckdb", float(seconds or 60), memory or "4GB", threads, url, env, file)


def _server(section: Section, kind: str | None) -> str | None:
    """The address of the engine's server. It is not quoted in a problem: it may hold a password."""
    url = section.text("url", _CONNECTED if kind == "spark" else _ADDRESS)
    if kind == "spark":
        section.require("url", _CONNECTED)
        if url is not None and not _CONNECT.fullmatch(url):
            hint = f'write {_CONNECTED}, and where its token is: password_env = "SPARK_TOKEN"'
            section.problem("url", "is not the bare address of a Spark Connect server", hint)
        return url
    if kind != "postgres":
        if url is not None:
            section.problem("url", "only an engine on a server has one", 'write kind = "postgres", or leave url out')
        return None
    section.require("url", _ADDRESS)
    try:
        return None if url is None else str(ServerAddress.read(url))
    except AddressError as error:
        kept = 'leave it out, and write password_env = "CLINIC_PASSWORD" or password_file = "clinic.password"'
        section.problem("url", error.what, kept if "password" in error.what else f"write {_ADDRESS}")
        return url


def read_ledger(section: Section, folder: Path, stem: str) -> str:
    """The ledger's url; that of a file is absolute, so that the account is the same wherever a process is started."""
    url = section.text("url", 'url = "sqlite:///clinic.ledger"')
    section.finish()
    url = f"{_SQLITE}{stem}.ledger" if url is None else url
    if url in _IN_MEMORY:
        return url
    if url.startswith(_SERVER):  # the url is not quoted: it may hold a password
        try:
            return str(ServerAddress.read(url))
        except AddressError as error:
            section.problem("url", error.what, error.hint)
            return ""
    path = resolved(folder, url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None
    if path is None or "?" in str(path):  # what follows a question mark in a url are options, not the file
        section.problem("url", "is not the address of a ledger", f"{_BESIDE}, {_ON_SERVER}")
    return f"{_SQLITE}{path}"


def ledger_place(url: str, folder: Path, stem: str) -> Path:
    """What the files of this machine that belong to the account are called after: its own, or one beside the policy."""
    on_disk = url.startswith(_SQLITE) and url not in _IN_MEMORY
    return Path(url.removeprefix(_SQLITE)) if on_disk else folder / f"{stem}.ledger"


def require_disk(section: Section) -> None:
    """Refuse a ledger in memory: it would forget what was spent."""
    if section.value("url") in _IN_MEMORY:
        what = "a ledger in memory forgets what was spent, and each start would bring a fresh budget"
        section.problem("url", what, _BESIDE)


def resolved(folder: Path, written: str) -> Path | None:
    """The absolute path of what is written relative to a folder; None for what no file can be called."""
    try:
        return (folder / written).resolve() if written.strip() else None
    except (OSError, RuntimeError, ValueError):  # too long, a circle of links, a null character
        return None
