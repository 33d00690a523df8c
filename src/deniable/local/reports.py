"""What respondents send: noisy messages, with a header that says which protocol made them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write

FORMAT = 1
"""Of the bytes. Another number is refused."""
_MAGIC = b"deniable reports\n"
_LENGTH = 8
_KINDS = ("|u1", "<u2", "<u4", "<u8")


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """One row per respondent, already noisy: whoever holds them learns no more than the protocol's loss.

    Example:
        >>> some = Reports({"protocol": "KaryResponse"}, np.array([0, 2, 1], dtype=np.uint8))
        >>> Reports.from_bytes(some.to_bytes()).data.tolist(), some.bits
        ([0, 2, 1], 8)
    """

    settings: Mapping[str, Any]
    """The protocol by name, with everything that its reports' meaning follows from."""
    data: NDArray[Any]

    def __len__(self) -> int:
        """How many respondents."""
        return int(self.data.shape[0])

    @property
    def bits(self) -> int:
        """Of one report, as it is stored."""
        return 8 * self.data.dtype.itemsize * int(np.prod(self.data.shape[1:], dtype=np.int64))

    @classmethod
    def join(cls, parts: Sequence[Reports]) -> Reports:
        """Several batches of the same protocol as one."""
        if not parts:
            raise InvalidArgumentError("reports", "must be at least one batch")
        if any(part.settings != parts[0].settings for part in parts):
            raise InvalidArgumentError("reports", "of different protocols or surveys cannot be joined")
        return cls(parts[0].settings, np.concatenate([part.data for part in parts]))

    def to_bytes(self) -> bytes:
        """A header that names the protocol and the payload's digest, then the payload."""
        payload = self.data.astype(self.data.dtype.newbyteorder("<")).tobytes()
        header = json.dumps(
            {
                "format": FORMAT,
                "settings": dict(self.settings),
                "kind": self.data.dtype.newbyteorder("<").str,
                "shape": self.data.shape,
                "sha256": sha256(payload).hexdigest(),
            }
        ).encode()
        return _MAGIC + len(header).to_bytes(_LENGTH, "little") + header + payload

    @classmethod
    def from_bytes(cls, text: bytes) -> Self:
        """Reports as they were written; anything else is refused."""
        if not text.startswith(_MAGIC):
            raise InvalidArgumentError("reports", "must be a file that this program wrote; its first bytes are others")
        start = len(_MAGIC) + _LENGTH
        end = start + int.from_bytes(text[len(_MAGIC) : start], "little")
        if len(text) < end:
            raise _broken
        try:
            header = json.loads(text[start:end])
            form, kind, shape = header["format"], header["kind"], tuple(header["shape"])
            settings, digest = dict(header["settings"]), header["sha256"]
        except (ValueError, KeyError, TypeError):
            raise _broken from None
        if form != FORMAT:
            raise InvalidArgumentError("reports", f"have format {form}; this version reads format {FORMAT}")
        payload = text[end:]
        if kind not in _KINDS or sha256(payload).hexdigest() != digest:
            raise _broken
        try:
            return cls(settings, np.frombuffer(payload, dtype=kind).reshape(shape))
        except (ValueError, TypeError):
            raise _broken from None

    def save(self, path: Path | str) -> None:
        """Write a file, whole or not at all."""
        write(path, self.to_bytes(), "path")

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a file that `save` wrote."""
        try:
            return cls.from_bytes(Path(path).read_bytes())
        except OSError as error:
            raise InvalidArgumentError("path", f"could not be read: {error.strerror}: {path}") from None


_broken = InvalidArgumentError("reports", "are incomplete or damaged; ask for the file once more")


def smallest(data: NDArray[Any], bound: int) -> NDArray[Any]:
    """Whole numbers, all below `bound`, in as few bytes as hold them."""
    return data.astype(next(kind for kind in _KINDS if bound <= 1 << (8 * np.dtype(kind).itemsize)))
