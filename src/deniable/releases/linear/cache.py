"""Strategies that took long to find, kept for next time.

They are data-independent, so they may lie anywhere and be shared. What is read here is never trusted: a strategy's
sensitivity and its error are computed again from the matrix that is used, so a file that was spoiled or planted can
make answers worse (or a bound on all strategies wrong), and never less private.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from deniable.files.atomic import whole

Arrays = Mapping[str, NDArray[np.float32]]
VERSION = "1"
"""Of the ways in which strategies are found: another version finds them again."""


def folder() -> Path:
    """DENIABLE_CACHE, or the place that the system has for such files."""
    if named := os.environ.get("DENIABLE_CACHE"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "deniable"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deniable"


def remembered(name: str, find: Callable[[], Mapping[str, NDArray[np.float64]]], shapes: Mapping[str, int]) -> Arrays:
    """What was found earlier under this name, or what `find` gives, kept for next time. In single precision either way.

    `shapes` says how many columns each array has. A file that does not fit, or cannot be read or written, is passed
    over.
    """
    digest = hashlib.sha256(f"{VERSION}\n{name}".encode()).hexdigest()
    file = folder() / "strategies" / f"{digest}.npz"
    with suppress(OSError, ValueError, EOFError, KeyError, BadZipFile):
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays = {key: np.asarray(stored[key], dtype=np.float32) for key in shapes}
        if all(_fits(arrays[key], columns) for key, columns in shapes.items()):
            return arrays
    found = {key: array.astype(np.float32) for key, array in find().items()}
    with suppress(OSError):
        _keep(file, found)
    return found


def _fits(array: NDArray[np.float32], columns: int) -> bool:
    """A matrix of so many columns, none of them empty, with no entry above 1; NaN is above nothing."""
    if array.ndim != 2 or not array.size or array.shape[1] != columns:  # noqa: PLR2004 - a matrix
        return False
    largest = np.maximum(array.max(axis=0), -array.min(axis=0))
    return bool(((largest > 0) & (largest <= 1 + 1e-5)).all())


def _keep(file: Path, arrays: Arrays) -> None:
    """So that nobody reads half of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole(file) as target:
        np.savez(target, **dict(arrays))  # type: ignore[arg-type]  # its stubs know no names
