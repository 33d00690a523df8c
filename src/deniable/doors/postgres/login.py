"""The first words of a client: TLS or not, cancelling, and proving who it is with SCRAM-SHA-256."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import ssl
import struct
from dataclasses import dataclass
from secrets import token_urlsafe
from time import monotonic

from deniable.doors.postgres.errors import PgError, protocol
from deniable.doors.postgres.messages import Body, Wire
from deniable.service.entrance import Denied, Entrance
from deniable.service.limits import ServerLimits
from deniable.service.scram import ITERATIONS
from deniable.service.session import Session

_TLS, _CANCEL, _GSS, _VERSION = 80877103, 80877102, 80877104, 3
_SASL, _CONTINUE, _FINAL = 10, 11, 12
_PLAIN, _BOUND = "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"


@dataclass(frozen=True, slots=True)
class Encryption:
    """The server's certificate, and what channels are bound to: its digest (RFC 5929, tls-server-end-point)."""

    context: ssl.SSLContext
    binding: bytes

    @classmethod
    def load(cls, certificate: str, key: str) -> Encryption:
        """From PEM files."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(certificate, key)
        with open(certificate, encoding="ascii") as file:  # noqa: PTH123 - a path as OpenSSL takes it
            text = file.read()
        first = text[text.index("-----BEGIN CERTIFICATE-----") :].split("-----END CERTIFICATE-----")[0]
        encoded = ssl.PEM_cert_to_DER_cert(f"{first}-----END CERTIFICATE-----\n")
        return cls(context, hashlib.new(_hash_of(encoded), encoded).digest())


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a client wants: a session with these settings, or to cancel what another is doing."""

    settings: dict[str, str]
    cancel: tuple[int, bytes] | None = None
    secure: bool = False


async def greet(wire: Wire, encryption: Encryption | None) -> Greeting:
    """The startup packet, after TLS if the client asks for it and the server has it."""
    secure = False
    for _ in range(3):
        body = Body(await wire.greeting())
        code = body.number("I")
        if code == _CANCEL:
            return Greeting({}, (body.number("I"), body.rest()), secure)
        if code == _TLS and encryption is not None and not secure:
            wire.writer.write(b"S")
            await wire.writer.drain()
            if wire.reader._buffer:  # type: ignore[attr-defined]  # noqa: SLF001 - nothing unencrypted may come before TLS
                raise protocol("received unencrypted data after SSL request")
            await wire.writer.start_tls(encryption.context)
            secure = True
        elif code in {_TLS, _GSS}:
            wire.writer.write(b"N")
            await wire.writer.drain()
        elif code >> 16 == _VERSION:
            if code & 0xFFFF:  # a newer minor version: say that we speak the first
                wire.send(b"v", struct.pack("!II", _VERSION << 16, 0))
            return Greeting(_settings(body), None, secure)
        else:
            raise PgError("0A000", "unsupported frontend protocol", fatal=True)
    raise protocol("too many requests before the startup packet")


async def login(
    wire: Wire, entrance: Entrance, greeting: Greeting, limits: ServerLimits, encryption: Encryption | None
) -> Session:
    """The session of whoever proves to be who they say; every failure is the same, and comes at the same time."""
    began = monotonic()
    name = greeting.settings.get("user", "")
    challenge = entrance.challenge(greeting.settings.get("database", name), name)
    bound = encryption is not None and greeting.secure
    offered = [_BOUND, _PLAIN] if bound else [_PLAIN]
    wire.authentication(_SASL, b"".join(one.encode() + b"\0" for one in offered) + b"\0")
    await wire.flush()
    try:
        body = Body(await _said(wire, limits))
        mechanism, first = body.string(), body.value() or b""
        if mechanism not in offered:
            raise protocol("client selected an invalid SASL authentication mechanism")
        header, bare, nonce = _first(first, bound=mechanism == _BOUND, offered=bound)
        nonce += token_urlsafe(18)
        salt = base64.b64encode(challenge.salt).decode()
        answer = f"r={nonce},s={salt},i={ITERATIONS}"
        wire.authentication(_CONTINUE, answer.encode())
        await wire.flush()
        final, _, proof = (await _said(wire, limits)).decode("ascii").rpartition(",p=")
        parts = dict(part.split("=", 1) for part in final.split(","))
        binding = encryption.binding if encryption is not None and mechanism == _BOUND else b""
        expected = base64.b64encode(header + binding).decode()
        said = bare + f",{answer},{final}".encode()
        found = challenge.answered(base64.b64decode(proof, validate=True), said)
        if found is None or parts.get("c") != expected or parts.get("r") != nonce:
            raise PermissionError  # noqa: TRY301 - every failure ends in the same place
    except (ValueError, KeyError, binascii.Error, PermissionError):
        denied = await entrance.turned_away(began, "postgres")
        raise _denied(denied) from None
    session, signature = found
    wire.authentication(_FINAL, b"v=" + base64.b64encode(signature))
    wire.authentication(0)
    return session


async def _said(wire: Wire, limits: ServerLimits) -> bytes:
    """The client's next word, which must be part of proving who it is."""
    letter, body = await asyncio.wait_for(wire.receive(limits.greeting), limits.login)
    if letter != b"p":
        raise protocol("expected SASL response")
    return body


def _first(raw: bytes, *, bound: bool, offered: bool) -> tuple[bytes, bytes, str]:
    """The client's first message: its header about channel binding, the rest, and its nonce.

    The name in it, which some clients leave out and others write in whatever encoding, is not looked at: who it is was
    said before. An extension that must be understood would stand in its place, and is refused there.
    """
    flag, authorization, bare = raw.split(b",", 2)
    fits = flag == b"p=tls-server-end-point" if bound else flag in ({b"n"} if offered else {b"n", b"y"})
    if not fits or authorization:  # 'y' where binding was offered: somebody between us has taken the offer away
        raise ValueError
    name, nonce, *_ = bare.split(b",")
    if not name.startswith(b"n=") or not nonce.startswith(b"r="):
        raise ValueError
    return flag + b",,", bare, nonce[2:].decode("ascii")


def _settings(body: Body) -> dict[str, str]:
    """Names and values, up to an empty name."""
    found: dict[str, str] = {}
    while name := body.string():
        found[name] = body.string()
    return found


def _denied(denied: Denied) -> PgError:
    return PgError("28P01", str(denied), fatal=True)


def _hash_of(certificate: bytes) -> str:
    """The digest that a certificate's signature is made with; SHA-256 where that is weaker (RFC 5929)."""
    for name, mark in (
        ("sha384", b"\x2a\x86\x48\xce\x3d\x04\x03\x03"),
        ("sha512", b"\x2a\x86\x48\xce\x3d\x04\x03\x04"),
    ):
        if mark in certificate:
            return name
    for name, last in (("sha384", b"\x0c"), ("sha512", b"\x0d")):
        if b"\x2a\x86\x48\x86\xf7\x0d\x01\x01" + last in certificate:
            return name
    return "sha256"
