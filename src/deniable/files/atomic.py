"""A file is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import BinaryIO

from deniable.core.errors import InvalidArgumentError

_ANYONE, _OWNER = 0o666, 0o600


def write(path: Path | str, content: str | bytes, argument: str = "output", *, new: bool = False) -> None:
    """Write a text (in UTF-8) or bytes; what keeps that from happening is said about `argument`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write(Path(folder) / "page.html", "<p>old")
        ...     write(Path(folder) / "page.html", "<p>new")
        ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
        [('page.html', '<p>new')]
    """
    with refusing(path, argument), whole(path, new=new) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def refusing(path: Path | str, argument: str) -> Iterator[None]:
    """What the disk has against a file, in words for whoever named it."""
    try:
        yield
    except FileExistsError:
        raise InvalidArgumentError(argument, f"{path} exists already; name another file") from None
    except OSError as error:
        raise InvalidArgumentError(argument, f"could not be written to {path}: {error.strerror or error}") from None


@contextmanager
def whole(path: Path | str, *, new: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """A file to write into, which gets its name when the block ends well.

    Until then the old file is there, unchanged, also after a crash, on a full disk, or while another writer is at it
    (the last one to end wins). Afterwards the new one is on disk, under its name. A block that raises leaves nothing
    behind. A link is followed; a device or a pipe is written to as it is, because it must not be replaced.

    new:      refuse, with `FileExistsError`, if there is a file of that name, now or at the end.
    private:  only the owner may read it. Otherwise the old file's permissions stay, and a new file has the usual ones.
    """
    target = Path(os.path.realpath(path))
    if target.exists():
        if new:
            raise FileExistsError(str(path))
        if not target.is_file():
            with target.open("wb") as device:
                yield device
            return
    beside = target.with_name(f".deniable-{token_hex(8)}.part")
    try:
        with os.fdopen(
            os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER if private else _ANYONE), "wb"
        ) as file:
            if not private:
                with suppress(FileNotFoundError):
                    beside.chmod(S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        _settle(beside, target, new=new)
    finally:
        beside.unlink(missing_ok=True)
    _flush(target.parent)


def _flush(folder: Path) -> None:
    """So that the names of its files are on disk, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _settle(beside: Path, target: Path, *, new: bool) -> None:
    """Give the file its name in one step. A second name is given only where there is none, so that one says `new`."""
    if new:
        try:
            target.hardlink_to(beside)
        except FileExistsError:
            raise
        except OSError:  # a file system where files have one name: take it first, then the place
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER))
        else:
            return
    beside.replace(target)
