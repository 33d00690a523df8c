"""The wire, byte by byte: TLS, proofs, limits, cancelling, garbage and stalls."""

import asyncio
import base64
import shutil
import socket
import struct
import subprocess
import threading
import time
from contextlib import ExitStack

import psycopg
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.doors.postgres.lexing import split
from deniable.doors.postgres.login import Encryption
from deniable.doors.postgres.messages import Wire
from deniable.doors.postgres.server import PostgresDoor, refuse_open
from deniable.service.limits import ServerLimits
from tests.support.doors import postgres, takes_little, until
from tests.support.wire import logged_in, message, reached, receive, startup, until_closed

COUNT = "SELECT /*+ epsilon=0.25 */ COUNT(*) AS n FROM visits"
SMALL = ServerLimits(
    login=1.0, stalled=0.7, idle=1.5, message=100_000, statements=8, connections=40, connections_each=20
)


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("clinic"), limits=SMALL) as opened:
        yield opened


@pytest.fixture(scope="module")
def sturdy(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("sturdy"), limits=ServerLimits(per_second=1e6, burst=10**6)) as opened:
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


@pytest.mark.parametrize(
    ("bare", "last"),
    [
        *((b"n=" + name + b",r=abcdefgh", b"Z") for name in (b"*", b"Jos\xc3\xa9", b"Jos\xe9", b"a=3Db")),
        *((bare, b"E") for bare in (b"m=x,n=,r=abcdefgh", b"r=abcdefgh", b"n=", b"n=,r=\xff", b"")),
    ],
)
def test_a_name_within_the_proof_is_not_looked_at_and_an_extension_that_must_be_understood_is_refused(door, bare, last):
    """asyncpg and pg8000 repeat the name there."""
    with reached(door.port) as connection:
        assert logged_in(connection, door.tokens["alice"], bare=bare)[-1][0] == last


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
        until(lambda: door.spent() == 0.25, 60)  # a question that waits for its turn would be taken back
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


def test_a_client_that_takes_nothing_is_let_go_with_all_that_waits_for_it(tmp_path):
    """Not only given up: what it has not taken is in our memory for as long as the connection is there."""
    sql = b"SELECT repeat('x', 100000) FROM generate_series(1, 60)\0"
    with postgres(tmp_path, limits=SMALL) as door, takes_little(door.port) as connection:
        logged_in(connection, door.tokens["alice"])
        assert door.held() == 1
        connection.sendall(message(b"Q", sql) * 10)
        until(lambda: door.held() == 0, 60)


def test_what_is_said_without_end_is_answered_without_waiting_for_the_end(sturdy):
    """Descriptions are long, and asking for one is short: they are not gathered until the client deigns to stop."""
    sql = b"SELECT " + b", ".join(b"1 AS a_long_name_of_a_column_%d" % place for place in range(200))
    with reached(sturdy.port) as connection:
        logged_in(connection, sturdy.tokens["alice"])
        connection.sendall(message(b"P", b"long\0" + sql + b"\0\0\0") + message(b"D", b"Slong\0") * 40)
        assert receive(connection)[0] == b"1"
        assert receive(connection)[0] == b"t"
        assert len(receive(connection)[1]) > 5_000


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


def test_a_statement_that_is_too_long_is_refused_before_it_is_read(sturdy):
    """Whatever it is, and whoever sends it: a megabyte takes seconds to read."""
    long = "a" * 66_000
    with psycopg.connect(sturdy.dsn(), autocommit=True) as connection:
        for text in (f"SET application_name = '{long}'", f"SELECT '{long}'", f"BEGIN; -- {long}"):
            with pytest.raises(psycopg.errors.StatementTooComplex, match="65,536"):
                connection.execute(text)
            assert "65,536" in connection.pgconn.prepare(b"", text.encode()).error_message.decode()
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_long_statement_is_read_in_a_thread(sturdy, monkeypatch):
    """So that others are served meanwhile; a refusal has its own words and its place there, too."""
    readers = []

    def noted(text):
        readers.append((len(text) > 1_024, threading.current_thread().name.partition("_")[0]))
        return split(text)

    monkeypatch.setattr("deniable.doors.postgres.executor.split", noted)
    ages = ", ".join(str(age) for age in range(500))
    long = f"SELECT /*+ epsilon=0.1 */ COUNT(*) FROM visits WHERE age IN ({ages})"
    with psycopg.connect(sturdy.dsn(), autocommit=True) as connection:
        connection.execute("SELECT 1")
        assert connection.execute(long).fetchone()
        assert connection.execute(f"{long} AND age < %s", [5]).fetchone()
        assert connection.execute(f"SELECT relname FROM pg_class WHERE oid IN ({ages})").fetchall() == []
        with pytest.raises(psycopg.errors.UndefinedColumn) as caught:
            connection.execute(long.replace("WHERE age", "WHERE agee"))
        assert caught.value.diag.statement_position == str(long.index("age IN") + 1)
    assert {long: kind == "asyncio" for long, kind in readers} == {False: False, True: True}


def test_rows_that_are_made_as_they_are_sent_leave_room_for_others():
    """Of a cursor, for example: nothing is worked out before it is fetched."""

    class Taking:
        def write(self, _piece):
            """All of it."""

        async def drain(self):
            """At once."""

    async def play():
        turns = []

        async def other():
            while True:
                turns.append(1)
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        await Wire(None, Taking(), SMALL).forward(bytes(10_000) for _ in range(1_000))
        task.cancel()
        return len(turns)

    assert asyncio.run(play()) > 100


def bound(sql, *formats):
    """A statement, its portal with these formats of its columns, and the end."""
    form = struct.pack(f"!HHH{len(formats)}H", 0, 0, len(formats), *formats)
    return message(b"P", b"\0" + sql.encode() + b"\0\0\0") + message(b"B", b"\0\0" + form)


def test_formats_that_do_not_fit_the_columns_are_refused_before_anything_is_paid(tmp_path):
    with postgres(tmp_path) as door, reached(door.port) as connection:
        logged_in(connection, door.tokens["alice"])
        connection.sendall(bound(COUNT, 1, 1, 1) + message(b"E", b"\0" + bytes(4)) + message(b"S"))
        said = [receive(connection) for _ in range(4)]
        assert [letter for letter, _ in said] == [b"1", b"2", b"E", b"Z"]
        assert b"3 result formats but query has 1 columns" in said[2][1]
        connection.sendall(
            bound("SET extra_float_digits = 1", 1, 1, 1) + message(b"E", b"\0" + bytes(4)) + message(b"S")
        )
        assert [receive(connection)[0] for _ in range(4)] == [b"1", b"2", b"C", b"Z"]
        assert door.spent() == 0


@pytest.mark.parametrize("form", [2, 40_000])
def test_a_format_that_is_not_there_ends_the_connection(tmp_path, caplog, form):
    with postgres(tmp_path) as door, reached(door.port) as connection:
        logged_in(connection, door.tokens["alice"])
        connection.sendall(bound(COUNT, form) + message(b"D", b"P\0") + message(b"E", b"\0" + bytes(4)) + message(b"S"))
        assert b"invalid result formats" in until_closed(connection)
        assert door.spent() == 0
    assert not [record for record in caplog.records if "door-failed" in record.getMessage()]


def test_a_statement_is_described_with_intervals_once_they_are_on(sturdy):
    """What was described before has fewer columns than there will be."""
    described = message(b"D", b"Smine\0")
    with reached(sturdy.port) as connection:
        logged_in(connection, sturdy.tokens["alice"])
        connection.sendall(message(b"P", b"mine\0" + COUNT.encode() + b"\0\0\0") + described)
        connection.sendall(message(b"Q", b"SET deniable.intervals = on\0") + described + message(b"S"))
        said = []
        while [letter for letter, _ in said].count(b"Z") < 2:
            said.append(receive(connection))
    assert [body[:2] for letter, body in said if letter == b"T"] == [b"\0\1", b"\0\3"]


def test_rows_of_the_catalogue_do_not_fill_the_memory(sturdy):
    """Its database keeps within its own; what is read from there is in ours."""
    with psycopg.connect(sturdy.dsn(), autocommit=True) as connection:
        for large in ("repeat('x', 100000)", "[repeat('x', 100000)]"):
            with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="memory"):
                connection.execute(f"SELECT {large} || x FROM generate_series(1, 100000) t(x)".replace("] || x", "]"))


def test_results_that_are_kept_open_do_not_fill_the_memory(tmp_path):
    """Neither of the catalogue nor of questions; what there is no room for is not paid for."""
    limits = ServerLimits(held=100_000)
    with postgres(tmp_path, limits=limits) as door, psycopg.connect(door.dsn(), autocommit=True) as connection:
        connection.execute("BEGIN")
        for cursor in ("one", "other"):
            connection.execute(f"DECLARE {cursor} CURSOR FOR SELECT x FROM generate_series(1, 2000) t(x)")
        for next_one in ("SELECT 1", COUNT, f"DECLARE third CURSOR FOR {COUNT}", f"COPY ({COUNT}) TO STDOUT"):
            connection.execute("SAVEPOINT here")
            with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="keep open"):
                connection.execute(next_one)
            connection.execute("ROLLBACK TO here")
        assert door.spent() == 0
        connection.execute("CLOSE one")
        assert connection.execute(COUNT).fetchone()
