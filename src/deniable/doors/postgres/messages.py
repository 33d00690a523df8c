"""Messages of the protocol: a letter, a length, a body. What comes in is limited in size and in time."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterable, Sequence

from deniable.doors.postgres.errors import PgError, protocol
from deniable.service.limits import ServerLimits

_BATCH = 64 << 10


class Wire:
    """One client's stream. Messages that go out are gathered, and sent by `flush`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: ServerLimits) -> None:
        self.reader, self.writer = reader, writer
        self._limits, self._out = limits, bytearray()

    async def greeting(self) -> bytes:
        """A message without a letter: what a client says first."""
        size = struct.unpack("!I", await self.reader.readexactly(4))[0]
        if not 8 <= size <= self._limits.greeting:  # noqa: PLR2004 - the length and a code
            raise protocol("invalid length of startup packet")
        return await self.reader.readexactly(size - 4)

    async def receive(self, most: int) -> tuple[bytes, bytes]:
        """The next message. Whoever has begun one must end it soon."""
        async with asyncio.timeout(self._limits.idle):
            letter = await self.reader.readexactly(1)
        async with asyncio.timeout(self._limits.stalled):
            size = struct.unpack("!I", await self.reader.readexactly(4))[0]
            if not 4 <= size <= most:  # noqa: PLR2004 - the length counts itself
                raise protocol("invalid message length")
            return letter, await self.reader.readexactly(size - 4)

    def send(self, letter: bytes, body: bytes = b"") -> None:
        """Gather a message."""
        self._out += message(letter, body)

    async def forward(self, messages: Iterable[bytes]) -> None:
        """Gather messages, and send them as they become many."""
        for one in messages:
            self._out += one
            if self.full:
                await self.flush()
                await asyncio.sleep(0)  # they may be made as they go: others come in between

    @property
    def full(self) -> bool:
        """Whether it is time to send."""
        return len(self._out) > _BATCH

    async def flush(self) -> None:
        """Send what was gathered; a client that does not take it is given up."""
        if self._out:
            self.writer.write(bytes(self._out))
            self._out.clear()
        async with asyncio.timeout(self._limits.stalled):
            await self.writer.drain()

    def error(self, error: PgError) -> None:
        """ErrorResponse."""
        self.send(b"E", _fields(error.fields()))

    def notice(self, text: str, hint: str = "") -> None:
        """NoticeResponse."""
        said = [("S", "NOTICE"), ("V", "NOTICE"), ("C", "00000"), ("M", text)]
        self.send(b"N", _fields([*said, ("H", hint)] if hint else said))

    def tag(self, tag: str) -> None:
        """CommandComplete."""
        self.send(b"C", zero(tag))

    def parameter(self, name: str, value: str) -> None:
        """ParameterStatus."""
        self.send(b"S", zero(name) + zero(value))

    def authentication(self, code: int, body: bytes = b"") -> None:
        """One of the Authentication messages."""
        self.send(b"R", struct.pack("!I", code) + body)


def message(letter: bytes, body: bytes) -> bytes:
    """As it goes over the wire."""
    return letter + struct.pack("!I", len(body) + 4) + body


def zero(text: str) -> bytes:
    """A string of the protocol; it ends at the first zero, so there is none in it."""
    return text.replace("\0", " ").encode("utf-8", "replace") + b"\0"


def data_row(values: Sequence[bytes | None]) -> bytes:
    """The body of a DataRow, and a row of a binary COPY."""
    parts = [struct.pack("!H", len(values))]
    parts += [b"\xff\xff\xff\xff" if value is None else struct.pack("!I", len(value)) + value for value in values]
    return b"".join(parts)


class Body:
    """Reads a message's body from left to right; what is too short for what it should hold is an error."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    def string(self) -> str:
        """Up to the next zero."""
        end = self._body.find(b"\0", self._at)
        if end < 0:
            raise protocol("invalid string in message")
        raw, self._at = self._body[self._at : end], end + 1
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise PgError("22021", "invalid byte sequence for encoding UTF8") from None

    def number(self, form: str) -> int:
        """A whole number: 'h' and 'H' have two bytes, 'i' and 'I' four."""
        return int(struct.unpack("!" + form, self.take(struct.calcsize("!" + form)))[0])

    def numbers(self, form: str) -> list[int]:
        """A count of two bytes, then so many numbers."""
        return [self.number(form) for _ in range(self.number("H"))]

    def value(self) -> bytes | None:
        """A length of four bytes, then so many bytes; -1 is NULL."""
        size = self.number("i")
        return None if size == -1 else self.take(size)

    def take(self, size: int) -> bytes:
        """So many bytes."""
        if size < 0 or self._at + size > len(self._body):
            raise protocol("insufficient data left in message")
        self._at += size
        return self._body[self._at - size : self._at]

    def rest(self) -> bytes:
        """What is left."""
        return self.take(len(self._body) - self._at)


def _fields(fields: Sequence[tuple[str, str]]) -> bytes:
    return b"".join(key.encode() + zero(value) for key, value in fields) + b"\0"
