"""PostgreSQL's protocol by hand, as a client that says whatever it likes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import struct
from contextlib import closing
from functools import cache


def message(letter, body=b""):
    return letter + struct.pack("!I", len(body) + 4) + body


def startup(**settings):
    body = b"".join(key.encode() + b"\0" + value.encode() + b"\0" for key, value in settings.items()) + b"\0"
    return struct.pack("!II", len(body) + 8, 196608) + body


def reached(port):
    return closing(socket.create_connection(("127.0.0.1", port), timeout=10))


def until_closed(connection):
    """All that comes, until the server closes."""
    found = b""
    while True:
        try:
            piece = connection.recv(65536)
        except (ConnectionError, TimeoutError):
            return found
        if not piece:
            return found
        found += piece


def receive(connection):
    """One message."""
    head = taken(connection, 5)
    return head[:1], taken(connection, struct.unpack("!I", head[1:])[0] - 4)


def taken(connection, size):
    """So many bytes."""
    found = b""
    while len(found) < size:
        if not (piece := connection.recv(size - len(found))):
            raise ConnectionResetError
        found += piece
    return found


def logged_in(connection, password, user="alice", database="clinic", bare=b"n=,r=abcdefgh"):
    """SCRAM, as a client does it; the messages up to ReadyForQuery, or the error."""
    connection.sendall(startup(user=user, database=database))
    assert receive(connection)[0] == b"R"
    connection.sendall(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(bare) + 3) + b"n,," + bare))
    found = [receive(connection)]
    if found[0][0] == b"E":
        return found
    first = found.pop()[1][4:].decode()
    parts = dict(one.split("=", 1) for one in first.split(","))
    salted = salted_password(password, parts["s"], int(parts["i"]))
    key = hmac.digest(salted, b"Client Key", "sha256")
    final = f"c=biws,r={parts['r']}"
    signature = hmac.digest(hashlib.sha256(key).digest(), bare + f",{first},{final}".encode(), "sha256")
    proof = base64.b64encode(bytes(one ^ other for one, other in zip(key, signature, strict=True))).decode()
    connection.sendall(message(b"p", f"{final},p={proof}".encode()))
    while not found or found[-1][0] not in {b"Z", b"E"}:
        found.append(receive(connection))
    return found


@cache
def salted_password(password, salt, iterations):
    """What takes most of the time of a login, and is the same at each of one person."""
    return hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(salt), iterations)
