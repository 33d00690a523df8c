"""Messages of PostgreSQL's protocol with something wrong in them: the door answers each, or closes, and stays open."""

from __future__ import annotations

import random
import socket
import struct
import time
from contextlib import suppress

import psycopg
import pytest

from deniable.service.limits import ServerLimits
from tests.support.doors import postgres
from tests.support.wire import logged_in, message, reached, receive, startup, until_closed

COUNT = b"SELECT /*+ epsilon=0.25 */ COUNT(*) AS n FROM visits"
STATEMENTS = [
    COUNT,
    b"SELECT 1",
    b"SELECT relname FROM pg_catalog.pg_class WHERE relkind = 'r'",
    b"COPY (SELECT city FROM hospitals) TO STDOUT WITH (FORMAT csv)",
    b"EXPLAIN SELECT COUNT(*) FROM visits",
]
"""Read, planned or looked up, which takes a hundred times as long as anything else: they come seldom."""
QUICK = [
    (b"Q", b"SET deniable.epsilon = 0.25; SHOW ALL\0"),
    (b"Q", b"BEGIN; SAVEPOINT a; ROLLBACK TO a; COMMIT\0"),
    (b"Q", b"FETCH ALL FROM c; CLOSE c\0"),
    (b"P", b"a\0SHOW deniable.epsilon\0\0\0"),
    (b"P", b"b\0SELECT city FROM hospitals WHERE hospital = $1\0" + struct.pack("!HI", 1, 20)),
    (b"B", b"\0b\0" + struct.pack("!HHHI", 1, 1, 1, 8) + struct.pack("!q", 2) + struct.pack("!HH", 1, 1)),
    (b"B", b"p\0a\0" + struct.pack("!HHH", 0, 0, 0)),
    (b"D", b"Sa\0"),
    (b"D", b"Pp\0"),
    (b"E", b"p\0" + struct.pack("!I", 1)),
    (b"C", b"Sa\0"),
    (b"C", b"Pp\0"),
    (b"d", b"nothing is copied in"),
    (b"S", b""),
    (b"H", b""),
]
TOGETHER = 25
"""Messages that are sent before the answers are read."""


def mutated(chance: random.Random, sent: bytes) -> bytes:
    """The same, with something wrong in it."""
    body = bytearray(sent)
    for _ in range(chance.randint(1, 4)):
        match chance.randrange(4):
            case 0 if body:
                body[chance.randrange(len(body))] = chance.randrange(256)
            case 1:
                body.insert(chance.randint(0, len(body)), chance.randrange(256))
            case 2 if len(body) > 1:
                del body[chance.randrange(len(body)) :]
            case _:
                body += bytes(chance.randrange(256) for _ in range(chance.randrange(6)))
    return bytes(body)


def spoiled(chance: random.Random) -> tuple[bytes, bytes]:
    """A letter, seldom a wrong one, and a body with something wrong in it."""
    letter, body = chance.choice(QUICK)
    if chance.random() < 0.03:
        letter, body = b"Q", chance.choice(STATEMENTS) + b"\0"
    return letter if chance.random() < 0.98 else bytes([chance.randrange(256)]), mutated(chance, body)


def entered(door) -> socket.socket:
    """A connection of somebody who is let in."""
    found = socket.create_connection(("127.0.0.1", door.port), timeout=120)
    assert logged_in(found, door.tokens["alice"])[-1][0] == b"Z"
    return found


def fuzz(door, seed: int, size: int) -> tuple[int, int]:
    """So many messages, a Sync behind each: each is answered by ReadyForQuery, or the connection ends.

    How many were answered, and how many connections ended. Those behind one that ended it were not read, nor counted.
    """
    chance, answered, ended = random.Random(seed), 0, 0  # noqa: S311 - no one's privacy hangs on it
    connection = entered(door)
    while answered + ended < size:
        sent = [spoiled(chance) for _ in range(TOGETHER)]
        try:
            connection.sendall(b"".join(message(*one) + message(b"S") for one in sent))
            for letter, _ in sent:
                for _ in range(2 if letter in {b"Q", b"S"} else 1):  # these are answered by themselves, too
                    while receive(connection)[0] != b"Z":
                        pass
                answered += 1
        except ConnectionError:
            ended += 1
            connection.close()
            connection = entered(door)
    connection.close()
    return answered, ended


def cut(door, seed: int, size: int) -> None:
    """Streams with something wrong anywhere, lengths included, which then end: the door ends, too."""
    chance = random.Random(seed)  # noqa: S311 - same
    for turn in range(size):
        with entered(door) if turn % 2 else reached(door.port) as connection:
            stream = b"".join(message(*chance.choice(QUICK)) for _ in range(3))
            whole = stream if turn % 2 else startup(user="alice", database="clinic") + stream
            connection.settimeout(120)
            with suppress(ConnectionError):
                connection.sendall(mutated(chance, whole))
                connection.shutdown(socket.SHUT_WR)
            until_closed(connection)


@pytest.fixture(scope="module")
def sturdy(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("sturdy"), limits=ServerLimits(per_second=1e6, burst=10**6)) as opened:
        yield opened


def unharmed(door, caplog) -> None:
    """Nothing of ours has failed, and somebody else is served."""
    assert not [record for record in caplog.records if "door-failed" in record.getMessage()]
    with psycopg.connect(door.dsn("bob")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_spoiled_messages_neither_crash_nor_hang_the_door(sturdy, caplog):
    answered, _ = fuzz(sturdy, 20250101, 400)
    assert answered > 200
    unharmed(sturdy, caplog)


def test_streams_that_are_spoiled_and_cut_off_end(sturdy, caplog):
    cut(sturdy, 20250101, 8)
    unharmed(sturdy, caplog)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(50))
def test_a_million_spoiled_messages(sturdy, caplog, part):
    """Twenty thousand at a time, each time others. Two of five end the connection: a text or a number is cut off."""
    answered, ended = fuzz(sturdy, time.time_ns() + part, 20_000)
    assert answered > ended
    cut(sturdy, time.time_ns() + part, 40)
    unharmed(sturdy, caplog)
