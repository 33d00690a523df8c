"""Where questions are computed and where the account is kept: the engine's limits and the ledger's address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from deniable.policy.problems import closest
from deniable.policy.section import Section
from deniable.policy.written import shown

_KINDS = ("duckdb",)
_PLANNED = ("postgres", "spark")
_DAY = 24 * 60 * 60
_MEMORY = re.compile(r"[1-9][0-9]*(\.[0-9]+)?\s?[KMGT]i?B")
_SQLITE = "sqlite:///"
_SERVER = "postgres"
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


def read_engine(section: Section) -> EngineSettings:
    """The engine, with defaults for what is left out."""
    kind = section.text("kind", 'kind = "duckdb"')
    if kind in _PLANNED:
        section.problem("kind", f"'{kind}' is not supported yet", 'write kind = "duckdb"')
    elif kind is not None and kind not in _KINDS:
        section.problem("kind", f"there is no engine '{kind}'", f'{closest(kind, _KINDS)}write kind = "duckdb"')
    seconds = section.number("seconds", "seconds = 60")
    if seconds is not None and seconds > _DAY:
        section.problem("seconds", "is more than a day", "write seconds = 60")
    memory = section.text("memory", 'memory = "4GB"')
    if memory is not None and not _MEMORY.fullmatch(memory):
        section.problem("memory", f"{shown(memory)} is not an amount of memory", 'write memory = "4GB"')
    threads = section.whole("threads", "threads = 4, or leave it out", most=1024)
    section.finish()
    return EngineSettings(kind or "duckdb", float(seconds or 60), memory or "4GB", threads)


def read_ledger(section: Section, folder: Path, stem: str) -> str:
    """The ledger's url; that of a file is absolute, so that the account is the same wherever a process is started."""
    url = section.text("url", 'url = "sqlite:///clinic.ledger"')
    section.finish()
    url = f"{_SQLITE}{stem}.ledger" if url is None else url
    if url in _IN_MEMORY:
        return url
    if url.startswith(_SERVER):  # the url is not quoted: it may hold a password
        section.problem("url", "a ledger on a server is not supported yet", _BESIDE)
        return url
    path = resolved(folder, url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None
    if path is None or "?" in str(path):  # what follows a question mark in a url are options, not the file
        section.problem("url", "is not the address of a ledger", _BESIDE)
    return f"{_SQLITE}{path}"


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
