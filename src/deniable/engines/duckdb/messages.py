"""What the curator's process and its worker say to each other: a length, then so many bytes."""

from __future__ import annotations

from typing import BinaryIO

_HEAD = 8

DONE, FAILED = b"\x01", b"\x00"
"""What comes before an answer: an Arrow stream follows, or the name of an error's class, which says nothing of rows."""


def send(pipe: BinaryIO, *messages: bytes | memoryview) -> None:
    """Write each message, whole."""
    for message in messages:
        pipe.write(len(message).to_bytes(_HEAD, "big"))
        pipe.write(message)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes:
    """One message, whole; raises EOFError if the other side is gone."""
    return _exactly(pipe, int.from_bytes(_exactly(pipe, _HEAD), "big"))


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
