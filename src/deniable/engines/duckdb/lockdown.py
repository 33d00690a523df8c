"""What a worker says before the first question: which tables there are, and that there is nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from deniable.files.scan import Step, literal, opened, steps, text
from deniable.files.source import DataFile
from deniable.files.tables import unreadable

MISTRUSTED = "top_n_window_elimination,type_pushdown"
"""Optimizer rules that have had wrong results: the second lets TRY_CAST drop rows of CSV files, or raise
(github.com/duckdb/duckdb/issues/23818)."""
_LARGE = 1 << 24


def tables(files: Mapping[str, DataFile], scratch: str) -> list[Step]:
    """The declared files as tables. One that cannot be opened is no table, and does not stand in the others' way."""
    found: list[Step] = []
    for name, file in files.items():
        with suppress(*unreadable()):
            found += steps(file, name, Path(scratch))
    return found


def locks(files: Mapping[str, DataFile], memory: str, threads: int, spill: str) -> list[str]:
    """Limits, then every door but those to the declared files and the spill directory, then the key thrown away."""
    reached = [path for name, file in files.items() for path in opened(file, name, Path(spill))]
    paths = sorted({spelled for path in reached for spelled in (str(path), literal(path))})
    settings = {
        "temp_directory": text(spill),
        "preserve_insertion_order": "false",
        "perfect_ht_threshold": str(_table_bits(files, threads)),
        "allowed_paths": f"[{', '.join(map(text, paths))}]",
    }
    return _shut(memory, threads, settings)


def locks_of_nothing(memory: str, threads: int) -> list[str]:
    """For a process that has no file at all, not even to put things aside; rows stay in the order they come in."""
    return _shut(memory, threads, {"temp_directory": text("")})


def _shut(memory: str, threads: int, settings: Mapping[str, str]) -> list[str]:
    """These settings, and every door shut behind them. GLOBAL: each question has a session of its own."""
    every = {
        "memory_limit": text(memory),
        "threads": str(threads),
        "TimeZone": "'UTC'",
        "disabled_optimizers": text(MISTRUSTED),
        **settings,
        "python_enable_replacements": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
        "enable_external_access": "false",
        "lock_configuration": "true",
    }
    return [f"SET GLOBAL {name} = {value}" for name, value in every.items()]


def _table_bits(files: Mapping[str, DataFile], threads: int) -> int:
    """Up to a million integers (people, mostly) are grouped by a plain array, twice as fast as by a hash table.

    Every thread has its own array, so with many threads it must be smaller; and filling it takes longer than a small
    file needs. Decided by the files' sizes, not by what is asked.
    """
    sizes = [sum(size for _, size, *_ in file.stamp() or ()) for file in files.values()]
    return min(20, 23 - threads.bit_length()) if max(sizes, default=0) > _LARGE else 12
