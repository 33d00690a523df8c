"""The wire, byte by byte: TLS, proofs, limits, cancelling, garbage and stalls."""

import asyncio
import base64
import hashlib
import hmac
import random
import shutil
import socket
import struct
import subprocess
import time
from contextlib import ExitStack, closing

import psycopg
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.doors.postgres.login import Encryption
from deniable.doors.postgres.server import PostgresDoor, refuse_open
from deniable.service.limits import ServerLimits
from tests.support.doors import postgres

COUNT = "SELECT /*+ epsilon=0.25 */ COUNT(*) AS n FROM visits"
SMALL = ServerLimits(
    login=1.0, stalled=0.7, idle=1.5, message=100_000, statements=8, connections=40, connections_each=20
)


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("clinic"), limits=SMALL) as opened:
        yield opened


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    names = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"), "-subj", "/CN=localhost"]
    making = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run(making, check=True, capture_output=True)
    return str(folder / "cert.pem"), str(folder / "key.pem")


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


def logged_in(connection, password, user="alice", database="clinic"):
    """SCRAM, as a client does it; the messages up to ReadyForQuery, or the error."""
    connection.sendall(startup(user=user, database=database))
    assert receive(connection)[0] == b"R"
    bare = "n=,r=abcdefgh"
    connection.sendall(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(bare) + 3) + b"n,," + bare.encode()))
    first = receive(connection)[1][4:].decode()
    parts = dict(one.split("=", 1) for one in first.split(","))
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(parts["s"]), int(parts["i"]))
    key = hmac.digest(salted, b"Client Key", "sha256")
    final = f"c=biws,r={parts['r']}"
    signature = hmac.digest(hashlib.sha256(key).digest(), f"{bare},{first},{final}".encode(), "sha256")
    proof = base64.b64encode(bytes(one ^ other for one, other in zip(key, signature, strict=True))).decode()
    connection.sendall(message(b"p", f"{final},p={proof}".encode()))
    found = []
    while not found or found[-1][0] not in {b"Z", b"E"}:
        found.append(receive(connection))
    return found


def test_unknown_name_wrong_password_and_foreign_population_look_the_same(door):
    tries = [("alice", "deniable_wrong", "clinic"), ("mallory", "x", "clinic"), ("alice", door.tokens["alice"], "bank")]
    tries += [("bob", door.tokens["alice"], "clinic"), ("", "", "")]
    seen, times = set(), []
    for user, password, database in tries:
        start = time.monotonic()
        with reached(door.port) as connection:
            seen.add(logged_in(connection, password, user, database)[-1])
        times.append(time.monotonic() - start)
    assert len(seen) == 1
    assert all(0.5 <= each < 2 for each in times), times


def test_a_proof_is_of_no_use_a_second_time(door):
    """What was said on the wire once, said again on another connection."""
    with reached(door.port) as connection:
        assert logged_in(connection, door.tokens["alice"])[-1][0] == b"Z"
    with reached(door.port) as connection:
        connection.sendall(startup(user="alice", database="clinic"))
        receive(connection)
        bare = b"n,,n=,r=abcdefgh"
        connection.sendall(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(bare)) + bare))
        receive(connection)
        connection.sendall(message(b"p", b"c=biws,r=abcdefgh,p=" + base64.b64encode(bytes(32))))
        assert receive(connection)[0] == b"E"


@pytest.mark.parametrize("binding", ["require", "disable"])
def test_tls_and_channel_binding(tmp_path, certificate, binding):
    with postgres(tmp_path, encryption=Encryption.load(*certificate)) as door:
        found = door.dsn(sslmode="require", channel_binding=binding)
        with psycopg.connect(found) as connection:
            assert connection.execute(COUNT).fetchone()
            assert connection.pgconn.ssl_in_use
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(found.replace(door.tokens["alice"], "deniable_wrong"))


def test_what_comes_unencrypted_before_tls_is_refused(tmp_path, certificate):
    with postgres(tmp_path, encryption=Encryption.load(*certificate)) as door, reached(door.port) as connection:
        connection.sendall(struct.pack("!II", 8, 80877103) + startup(user="alice", database="clinic"))
        found = until_closed(connection)
        assert found.startswith(b"S")
        assert b"AuthenticationOk" not in found
        assert b"Z" not in found[:1]


def test_nothing_but_loopback_without_tls():
    refuse_open("127.0.0.1", secure=False)
    refuse_open("0.0.0.0", secure=True)  # noqa: S104 - what is tried here
    for host in ("0.0.0.0", "::", "192.0.2.7"):  # noqa: S104 - same
        with pytest.raises(InvalidArgumentError, match="tls-cert"):
            refuse_open(host, secure=False)
    with pytest.raises(InvalidArgumentError):
        asyncio.run(PostgresDoor.listen(object.__new__(_Unsafe), "0.0.0.0", 0))  # noqa: S104 - same


class _Unsafe(PostgresDoor):
    _encryption = None


def conversation(connection, sql):
    """A simple query, and all letters up to ReadyForQuery."""
    connection.sendall(message(b"Q", sql.encode() + b"\0"))
    found = []
    while not found or found[-1][0] != b"Z":
        found.append(receive(connection))
    return found


def key_of(greeting):
    """Process and key, by which a statement is cancelled."""
    return next(body for letter, body in greeting if letter == b"K")


def test_a_statement_is_cancelled_and_the_retry_is_free(tmp_path):
    with postgres(tmp_path, "3s", lambda: 0.1) as door, reached(door.port) as connection:
        key = key_of(logged_in(connection, door.tokens["alice"]))
        connection.sendall(message(b"Q", COUNT.encode() + b"\0"))
        time.sleep(0.3)
        start = time.monotonic()
        with reached(door.port) as other:
            other.sendall(struct.pack("!II", 16, 80877102) + key)
        letter, body = receive(connection)
        assert letter == b"E"
        assert b"C57014\0" in body
        assert time.monotonic() - start < 2
        assert receive(connection)[0] == b"Z"
        again = conversation(connection, COUNT)
        assert any(letter == b"N" and b"Mfree: it was asked before" in body for letter, body in again)
        assert door.spent() == 0.25


def test_a_cancel_with_the_wrong_key_does_nothing(tmp_path):
    with postgres(tmp_path, "400ms") as door, reached(door.port) as connection:
        key = key_of(logged_in(connection, door.tokens["alice"]))
        connection.sendall(message(b"Q", COUNT.encode() + b"\0"))
        with reached(door.port) as other:
            other.sendall(struct.pack("!II", 16, 80877102) + key[:-1] + bytes([key[-1] ^ 1]))
        found = []
        while not found or found[-1] != b"Z":
            found.append(receive(connection)[0])
        assert b"E" not in found
        assert b"D" in found


def test_portals_are_fetched_in_pieces(door):
    with reached(door.port) as connection:
        logged_in(connection, door.tokens["alice"])
        sql = b"SELECT /*+ epsilon=0.25 */ age, COUNT(*) AS n FROM visits GROUP BY age"
        connection.sendall(
            message(b"P", b"\0" + sql + b"\0" + struct.pack("!H", 0))
            + message(b"B", b"\0\0" + struct.pack("!HHH", 0, 0, 0))
            + message(b"E", b"\0" + struct.pack("!I", 50))
            + message(b"E", b"\0" + struct.pack("!I", 50))
            + message(b"E", b"\0" + struct.pack("!I", 50))
            + message(b"S")
        )
        letters = []
        while not letters or letters[-1] != b"Z":
            letters.append(receive(connection)[0])
    assert letters.count(b"D") == 112
    assert letters.count(b"s") == 2
    assert letters.count(b"C") == 1


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\0\0\0\0",
        b"\xff" * 8,
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        struct.pack("!II", 9_999, 196608) + b"user\0",
        struct.pack("!II", 8, 12345),
        struct.pack("!II", 12, 196608) + b"abcd",
    ],
)
def test_garbage_instead_of_a_greeting_is_ended(door, garbage):
    start = time.monotonic()
    with reached(door.port) as connection:
        connection.sendall(garbage)
        until_closed(connection)
    assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    "sent",
    [
        b"Q\0\0\0\x03",
        b"Q\x7f\xff\xff\xff",
        b"!\0\0\0\x04",
        message(b"B", b"\0nothing\0"),
        message(b"P", b"no end"),
        message(b"D", b""),
        message(b"E", b"\0"),
        message(b"Q", b"SELECT '\xff\xfe'\0"),
        message(b"F", b"\0\0\0\0"),
    ],
)
def test_a_message_that_is_none_ends_in_an_error_and_hurts_nobody_else(door, sent):
    with reached(door.port) as connection, psycopg.connect(door.dsn(), autocommit=True) as other:
        logged_in(connection, door.tokens["alice"])
        connection.sendall(sent + message(b"S"))
        found = b""
        while b"E" not in found[:1] and len(found) < 5:
            found += connection.recv(100)
        assert found[:1] in {b"E", b"Z"}
        assert other.execute("SELECT 1").fetchone() == (1,)


def test_a_client_that_stalls_is_ended(door):
    start = time.monotonic()
    with reached(door.port) as connection:
        logged_in(connection, door.tokens["alice"])
        connection.sendall(b"Q\0\0\0\x50SELECT")
        until_closed(connection)
    assert time.monotonic() - start < 3
    with reached(door.port) as connection:
        logged_in(connection, door.tokens["alice"])
        until_closed(connection)  # without a word


def test_too_many_connections_are_refused_and_the_door_stays_open(door):
    waiting = [socket.create_connection(("127.0.0.1", door.port), timeout=5) for _ in range(60)]
    answers = b"".join(until_closed(connection) for connection in waiting[25:])
    assert b"53300" in answers
    for connection in waiting:
        connection.close()
    time.sleep(0.2)
    with psycopg.connect(door.dsn()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_nobody_has_all_connections(tmp_path):
    with postgres(tmp_path, limits=ServerLimits(connections_each=3)) as door, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(psycopg.connect(door.dsn()))
        with pytest.raises(psycopg.OperationalError, match="too many connections of yours"):
            psycopg.connect(door.dsn())
        with psycopg.connect(door.dsn("bob")) as other:
            assert other.execute("SELECT 1").fetchone() == (1,)


def test_statements_sizes_and_times_are_limited(door, monkeypatch):
    monkeypatch.setattr("deniable.doors.postgres.catalogue.run._SECONDS", 0.5)
    with psycopg.connect(door.dsn(), autocommit=True) as connection:
        for name in range(8):
            connection.pgconn.prepare(f"s{name}".encode(), b"SELECT 1")
        result = connection.pgconn.prepare(b"s9", b"SELECT 1")
        assert result.error_field(67) == b"54000"
        connection.execute("DEALLOCATE ALL")
        with pytest.raises(psycopg.errors.StatementTooComplex):
            connection.execute(f"SELECT {'1 + ' * 20_000} 1")
        with pytest.raises(psycopg.Error):
            connection.execute(f"SELECT {'(' * 3_000}1{')' * 3_000}")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 10000000) b")


def mutated(chance, sent):
    """The same message, with something wrong in it."""
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


CORPUS = [
    (b"Q", b"SELECT 1\0"),
    (b"Q", COUNT.encode() + b"\0"),
    (b"Q", b"SELECT relname FROM pg_catalog.pg_class WHERE relkind = 'r'\0"),
    (b"Q", b"SET deniable.epsilon = 0.25; SHOW ALL\0"),
    (b"Q", b"COPY (SELECT city FROM hospitals) TO STDOUT WITH (FORMAT csv)\0"),
    (b"Q", b"DECLARE c CURSOR FOR SELECT 1; FETCH ALL FROM c; CLOSE c\0"),
    (b"Q", b"EXPLAIN SELECT COUNT(*) FROM visits\0"),
    (b"P", b"a\0SELECT city FROM hospitals WHERE hospital = $1\0" + struct.pack("!HI", 1, 20)),
    (b"B", b"\0a\0" + struct.pack("!HHHI", 1, 1, 1, 8) + struct.pack("!q", 2) + struct.pack("!HH", 1, 1)),
    (b"D", b"Sa\0"),
    (b"E", b"\0" + struct.pack("!I", 1)),
    (b"C", b"Sa\0"),
    (b"S", b""),
    (b"H", b""),
]


def fuzz(door, seed, rounds):
    """Whole conversations in which messages are spoiled; the door must answer each with ReadyForQuery, or close."""
    chance = random.Random(seed)  # noqa: S311 - no one's privacy hangs on it
    connection = None
    for _ in range(rounds):
        if connection is None:
            connection = socket.create_connection(("127.0.0.1", door.port), timeout=20)
            assert logged_in(connection, door.tokens["alice"])[-1][0] == b"Z"
        letter, body = chance.choice(CORPUS)
        spoiled = mutated(chance, body)
        letter = letter if chance.random() < 0.9 else bytes([chance.randrange(256)])
        try:
            connection.sendall(message(letter, spoiled) + message(b"S"))
            while receive(connection)[0] != b"Z":
                pass
            if letter in {b"Q", b"S"}:
                behind = receive(connection)
                assert behind[0] == b"Z", (spoiled, behind)  # of the Sync behind it
        except ConnectionError:
            connection.close()
            connection = None
    if connection is not None:
        connection.close()


@pytest.fixture(scope="module")
def sturdy(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("sturdy"), limits=ServerLimits(per_second=1e6, burst=10**6)) as opened:
        yield opened


def test_spoiled_messages_neither_crash_nor_hang_the_door(sturdy, caplog):
    fuzz(sturdy, 20250101, 250)
    assert not [record for record in caplog.records if "door-failed" in record.getMessage()]
    with psycopg.connect(sturdy.dsn()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.deep
def test_very_many_spoiled_messages(sturdy, caplog):
    fuzz(sturdy, time.time_ns(), 1_000_000)
    assert not [record for record in caplog.records if "door-failed" in record.getMessage()]
