"""Every statement that a connection understands, one by one: settings, prices, tables, copies, cursors, errors."""

import datetime as dt
import struct
import threading
import time

import psycopg
import pytest
from psycopg import pq

from deniable.core.errors import Refused
from deniable.doors.postgres.messages import data_row
from deniable.service.limits import ServerLimits
from deniable.service.session import Session
from deniable.service.tokens import Role
from tests.support.doors import postgres

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("clinic"), pace=None) as opened:
        yield opened


@pytest.fixture
def client(door):
    with psycopg.connect(door.dsn(options="-c deniable.epsilon=0.25 -c deniable.confidence=0.9")) as connection:
        connection.autocommit = True
        yield connection


@pytest.fixture
def bob(door):
    """Who has no usual spend."""
    with psycopg.connect(door.dsn("bob"), autocommit=True) as connection:
        yield connection


def price(client, question=COUNT):
    return " ".join(row[0] for row in client.execute(f"EXPLAIN {question}"))


def described(client, statement):
    """Names and types of the columns that it would have."""
    assert client.pgconn.prepare(b"", statement.encode()).status == pq.ExecStatus.COMMAND_OK
    client.pgconn.send_describe_prepared(b"")
    (found,) = results(client)
    return [(found.fname(place), found.ftype(place)) for place in range(found.nfields)]


def results(client):
    """All that comes. The call that waits for it would hold the interpreter, in which the door runs as well."""
    client.pgconn.flush()
    found = []
    while True:
        client.pgconn.consume_input()
        if client.pgconn.is_busy():
            time.sleep(0.005)
        elif (result := client.pgconn.get_result()) is None:
            return found
        else:
            found.append(result)


def notices(client):
    """What is said beside the rows, as it comes."""
    heard = []
    client.add_notice_handler(lambda said: heard.append((said.severity, said.message_primary)))
    return heard


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("epsilon", "0.7", "price ε 0.7"),
        ("rho", "0.02", "price ρ 0.02"),
        ("accuracy", "25", "error ± 25"),
        ("confidence", "0.99", "99% confidence"),
    ],
)
def test_what_is_set_holds_for_every_question_until_it_is_reset(client, name, value, said):
    before = price(client)
    client.execute(f"SET deniable.{name} = {value}")
    assert said in price(client)
    assert client.execute(f"SHOW deniable.{name}").fetchone() == (value,)
    client.execute(f"RESET deniable.{name}")
    assert price(client) == before


def test_delta_is_for_private_keys(client):
    question = "SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason"
    with pytest.raises(psycopg.Error, match="delta"):
        client.execute(question)
    client.execute("SET deniable.delta = 1e-9")
    assert "δ 1e-9" in price(client, question)


@pytest.mark.parametrize("statement", ["RESET ALL", "DISCARD ALL"])
def test_resetting_leads_back_to_what_the_connection_started_with(client, statement):
    start = price(client)
    client.execute("SET deniable.epsilon = 2")
    client.execute("SET deniable.intervals = on")
    client.execute("SET application_name = 'other'")
    client.execute(statement)
    assert price(client) == start
    assert "0.25" in start
    assert "90%" in start
    assert client.execute("SHOW deniable.intervals").fetchone() == ("",)
    assert client.execute("SHOW deniable.confidence").fetchone() == ("0.9",)


def test_discarding_forgets_what_was_prepared(client):
    client.pgconn.prepare(b"mine", b"SELECT 1")
    client.execute("DISCARD ALL")
    result = client.pgconn.exec_prepared(b"mine", None)
    assert result.error_field(pq.DiagnosticField.SQLSTATE) == b"26000"


def test_a_hint_comes_before_what_was_set_and_is_no_part_of_a_literal(client):
    assert "price ε 0.7" in price(client, "SELECT /*+ epsilon=0.7 */ COUNT(*) FROM visits")
    assert "price ρ 0.01" in price(client, "SELECT /*+ rho = 0.01, confidence=0.8 */ COUNT(*) FROM visits")
    hidden = "SELECT COUNT(*) FROM visits WHERE region = '/*+ epsilon=9 */'"
    assert "price ε 0.25" in price(client, hidden)


@pytest.mark.parametrize("hint", ["epsilom=1", "epsilon", "epsilon=1 rho=1", "seed=7", "epsilon=-1", "epsilon=nan"])
def test_a_hint_that_cannot_be_read_is_refused(client, door, hint):
    before = door.spent()
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        client.execute(f"SELECT /*+ {hint} */ COUNT(*) FROM visits")
    assert door.spent() == before


def test_who_has_no_usual_spend_must_say_one(bob):
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        bob.execute(COUNT)
    assert "SET deniable.epsilon" in caught.value.diag.message_hint
    assert bob.execute("SELECT /*+ epsilon=0.5 */ COUNT(*) FROM visits").fetchone()


def test_the_usual_spend_is_the_policys(door):
    with psycopg.connect(door.dsn("alice"), autocommit=True) as alice:
        assert "price ε 0.5" in price(alice)


def test_settings_at_the_start_are_checked(door):
    for wrong in ("-c deniable.epsilon=-1", "-c deniable.seed=7", "-c nothing.known=1"):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(door.dsn(options=wrong))


def test_showing_the_budget_costs_nothing(client, door):
    before = door.spent()
    (said,) = client.execute("SHOW deniable.budget").fetchone()
    assert "Laplace noise: one question may still cost up to ε" in said
    found = client.execute('SELECT sum, cap, spent, "left" FROM deniable.budget').fetchall()
    assert {row[0] for row in found} >= {"epsilon (pure)"}
    assert described(client, "SHOW deniable.budget") == [(b"deniable.budget", 25)]
    assert door.spent() == before


def test_history_has_charges_and_their_times_and_nothing_of_how_long_they_took(client):
    client.execute(COUNT).fetchall()
    cursor = client.execute("SELECT * FROM deniable.history ORDER BY entry DESC LIMIT 1")
    names = [column.name for column in cursor.description]
    assert names == ["entry", "charged", "analyst", "question", "loss", "epsilon", "rho", "shown"]
    assert cursor.fetchone()[2] == "alice"
    entries = [entry for (entry,) in client.execute("SELECT entry FROM deniable.history ORDER BY entry").fetchall()]
    assert entries == list(range(1, len(entries) + 1))  # those of the ledger would tell when answers were recorded


def test_columns_say_what_is_declared(client):
    rows = dict(client.execute("SELECT column_name, says FROM deniable.columns WHERE table_name = 'visits'").fetchall())
    assert rows["age"] == "from 0 to 110"
    assert rows["region"] == "one of: north, south"


def test_made_up_rows_fit_the_policy(client):
    rows = client.execute("SELECT age, cost, region, day, urgent FROM dummy.visits").fetchall()
    assert len(rows) == 100
    assert all(0 <= row[0] <= 110 and 0 <= row[1] <= 100 and row[2] in {"north", "south"} for row in rows)
    assert all(dt.date(2025, 1, 1) <= row[3] <= dt.date(2025, 12, 31) for row in rows)
    assert client.execute("SELECT * FROM dummy.visits").fetchall() == client.execute("TABLE dummy.visits").fetchall()
    with pytest.raises(psycopg.errors.UndefinedTable):
        client.execute("SELECT * FROM dummy.hospitals")


def copied(client, statement):
    with client.cursor() as cursor, cursor.copy(statement) as copy:
        return b"".join(copy)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "1\tBern\n2\tBasel\n"),
        ("WITH (FORMAT text, DELIMITER '|')", "1|Bern\n2|Basel\n"),
        ("(FORMAT csv, HEADER)", "hospital,city\n1,Bern\n2,Basel\n"),
        ("CSV HEADER", "hospital,city\n1,Bern\n2,Basel\n"),
        ("(FORMAT csv, HEADER true, DELIMITER ';', QUOTE '''')", "hospital;city\n1;Bern\n2;Basel\n"),
    ],
)
def test_copies_are_written_as_they_are_asked_for(client, options, expected):
    statement = f"COPY (SELECT hospital, city FROM hospitals WHERE hospital < 3 ORDER BY 1) TO STDOUT {options}"
    assert copied(client, statement).decode() == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "a\\tb\\nc\\\\d\t\\N\n"),
        ("(FORMAT csv)", '"a\tb\nc\\d",\n'),
        ("(FORMAT csv, NULL 'none')", '"a\tb\nc\\d",none\n'),
        ("(NULL '')", "a\\tb\\nc\\\\d\t\n"),
    ],
)
def test_what_is_in_a_copy_cannot_be_taken_for_its_form(client, options, expected):
    statement = f"COPY (SELECT E'a\\tb\\nc\\\\d' AS x, NULL::text AS y) TO STDOUT {options}"
    text = copied(client, statement).decode()
    assert text == expected or text.replace("a\tb\nc\\d,", '"a\tb\nc\\d",') == expected


def test_a_binary_copy_is_that_of_postgresql(client):
    raw = copied(client, "COPY (SELECT 7::bigint AS x, NULL::text AS y) TO STDOUT (FORMAT binary)")
    row = struct.pack("!Hiqi", 2, 8, 7, -1)
    assert raw == b"PGCOPY\n\xff\r\n\0" + bytes(8) + row + struct.pack("!h", -1)


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("COPY visits TO STDOUT", "42501"),
        ("COPY (SELECT 1) TO '/tmp/x'", "0A000"),
        ("COPY (SELECT 1) TO PROGRAM 'sh'", "0A000"),
        ("COPY hospitals FROM STDIN", "42501"),
        ("COPY (SELECT 1) TO STDOUT (FORMAT parquet)", "22023"),
        ("COPY (SELECT 1) TO STDOUT (FORMAT csv, DELIMITER 'ab')", "22023"),
        ("COPY (SELECT 1 TO STDOUT", "42601"),
        ("COPY (SELECT age FROM visits) TO STDOUT", "42803"),
    ],
)
def test_other_copies_are_refused(client, door, statement, state):
    before = door.spent()
    with pytest.raises(psycopg.Error) as caught:
        client.execute(statement)
    assert caught.value.sqlstate == state
    assert door.spent() == before


def test_a_cursor_goes_forward_in_text_and_binary_and_is_closed(door):
    with psycopg.connect(door.dsn(options="-c deniable.epsilon=0.25")) as connection:
        before = door.spent()
        connection.execute(f"DECLARE a NO SCROLL CURSOR FOR {BY_REGION} ORDER BY region")
        connection.execute(f"DECLARE b BINARY CURSOR FOR {BY_REGION} ORDER BY region")
        assert connection.execute("FETCH 1 FROM a").fetchall()[0][0] == "north"
        assert connection.execute("FETCH FORWARD 1 FROM a").fetchall()[0][0] == "south"
        assert connection.execute("MOVE 1 FROM a").statusmessage == "MOVE 1"
        assert connection.execute("FETCH NEXT FROM a").fetchall() == []
        result = connection.pgconn.exec_(b"FETCH ALL FROM b")
        assert (result.ntuples, result.fformat(1)) == (3, 1)
        assert struct.unpack("!q", result.get_value(0, 1))
        connection.execute("CLOSE a")
        assert door.spent() - before <= 0.25
        with pytest.raises(psycopg.errors.InvalidCursorName):
            connection.execute("FETCH ALL FROM a")
        connection.rollback()
        with pytest.raises(psycopg.errors.InvalidCursorName):
            connection.execute("FETCH ALL FROM b")


def test_a_cursor_with_hold_outlives_its_transaction_if_that_is_committed(door):
    with psycopg.connect(door.dsn()) as connection:
        connection.execute("DECLARE a CURSOR WITH HOLD FOR SELECT 1")
        connection.execute("DECLARE b CURSOR FOR SELECT 2")
        connection.commit()
        connection.execute("DECLARE c CURSOR WITH HOLD FOR SELECT 3")
        connection.rollback()
        assert connection.execute("FETCH ALL FROM a").fetchall() == [(1,)]
        for name in "bc":
            with pytest.raises(psycopg.errors.InvalidCursorName):
                connection.execute(f"FETCH ALL FROM {name}")
            connection.rollback()


def test_tables_are_those_of_the_search_path(client, door):
    before = door.spent()
    client.execute("SET search_path = dummy")
    assert client.execute("SELECT COUNT(*) FROM visits").fetchone() == (100,)
    assert client.execute("SELECT current_schema(), current_schemas(false)").fetchone() == ("dummy", ["dummy"])
    for unknown in ("SELECT COUNT(*) FROM hospitals", "SELECT COUNT(*) FROM public.visits v JOIN visits w ON true"):
        with pytest.raises(psycopg.errors.UndefinedTable, match="search_path"):
            client.execute(unknown)
    assert door.spent() == before
    client.execute("SET search_path = dummy, public")
    assert client.execute("SELECT COUNT(*) FROM hospitals").fetchone()[0] > 0
    assert "price" in price(client, "SELECT COUNT(*) FROM public.visits")
    client.execute("RESET search_path")
    assert "price" in price(client)


def test_the_search_path_of_the_start_holds_too(door):
    with psycopg.connect(door.dsn(options="-c search_path=dummy"), autocommit=True) as connection:
        assert connection.execute("SELECT COUNT(*) FROM visits").fetchone() == (100,)


def test_an_array_of_arrays_is_refused(client, door):
    before = door.spent()
    inner = struct.pack("!iiIii", 1, 0, 25, 1, 1) + struct.pack("!i", 1) + b"a"
    nested = struct.pack("!iiIii", 1, 0, 1009, 1, 1) + struct.pack("!i", len(inner)) + inner
    for given, form in ((b"{{north},{south}}", 0), (nested, 1)):
        question = b"SELECT COUNT(*) FROM visits WHERE region = ANY($1)"
        client.pgconn.send_query_params(question, [given], [1009], [form])
        (found,) = results(client)
        assert found.error_field(pq.DiagnosticField.SQLSTATE) == b"22P02"
    assert door.spent() == before


def test_what_is_set_for_a_transaction_is_over_with_it(client):
    for end in ("COMMIT", "ROLLBACK"):
        client.execute("BEGIN")
        client.execute("SET LOCAL deniable.epsilon = 0.5")
        client.execute("SET deniable.confidence = 0.8")
        assert "ε 0.5" in price(client)
        client.execute(end)
        assert "ε 0.25" in price(client)
        assert client.execute("SHOW deniable.confidence").fetchone() == ("0.8",)
    for name in ("deniable.epsilon", "search_path"):
        with pytest.raises(psycopg.errors.NoActiveSqlTransaction):
            client.execute(f"SET LOCAL {name} = 1")
    client.execute("SET LOCAL work_mem = '1MB'")
    assert client.execute("SHOW work_mem").fetchone() == ("4MB",)


def test_options_that_cannot_be_read_are_refused_and_not_left_out(door):
    for options in ("deniable.epsilon=0.5", "-c deniable.epsilon = 0.5", "-c deniable.intervals=perhaps"):
        with pytest.raises(psycopg.OperationalError, match=r"invalid command-line|Boolean"):
            psycopg.connect(door.dsn(options=options))
    with psycopg.connect(door.dsn(options="-c default_transaction_read_only=true")) as connection:
        assert connection.execute("SHOW default_transaction_read_only").fetchone() == ("on",)


@pytest.mark.parametrize(
    "statement",
    ["SET ROLE bob", "SET SESSION AUTHORIZATION bob", "SET session_authorization = bob", "SET ssl = off"],
)
def test_nobody_becomes_somebody_else(client, statement):
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.CantChangeRuntimeParam)):
        client.execute(statement)


def test_who_wants_no_notices_gets_none(client):
    heard = notices(client)
    client.execute("SET client_min_messages = warning")
    client.execute(COUNT)
    assert heard == []
    client.execute("RESET client_min_messages")
    client.execute(COUNT)
    assert heard


def test_an_array_is_compared_with_any(client):
    for given in (["north"], ["north", "south"]):
        written = ", ".join(f"'{one}'" for one in given)
        (paid,) = client.execute(f"SELECT COUNT(*) FROM visits WHERE region IN ({written})").fetchone()
        assert client.execute("SELECT COUNT(*) FROM visits WHERE region = ANY(%s)", [given]).fetchone() == (paid,)
    names = described(client, "SELECT COUNT(*) AS n FROM visits WHERE region=ANY($1) AND age=ANY($2)")
    assert names == [(b"n", 20)]


def test_a_cursor_for_which_there_is_no_room_costs_nothing(door):
    with psycopg.connect(door.dsn(), autocommit=True) as connection:
        connection.execute("BEGIN")
        connection.execute("DECLARE a CURSOR FOR SELECT 1")
        before = door.spent()
        with pytest.raises(psycopg.errors.DuplicateCursor):
            connection.execute("DECLARE a CURSOR FOR SELECT /*+ epsilon=0.125 */ COUNT(*) FROM visits WHERE age = 77")
        assert door.spent() == before


@pytest.mark.parametrize(
    "statement",
    ["FETCH PRIOR FROM a", "FETCH BACKWARD 1 FROM a", "FETCH LAST FROM a", "FETCH ABSOLUTE 3 FROM a"],
)
def test_a_cursor_does_not_go_back(client, statement):
    client.execute("BEGIN")
    client.execute("DECLARE a CURSOR FOR SELECT 1")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        client.execute(statement)
    client.execute("ROLLBACK")


def test_many_statements_in_one_message_run_until_one_fails(client):
    client.pgconn.send_query(b"BEGIN; SELECT 1 AS x; SELECT nothing FROM hospitals; SELECT 2")
    found = [result.status for result in results(client)]
    ok = [pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK]
    assert found == [*ok, pq.ExecStatus.FATAL_ERROR]
    assert client.pgconn.transaction_status == pq.TransactionStatus.INERROR
    client.execute("ROLLBACK")


def test_spend_and_cautions_are_notices(client):
    heard = notices(client)
    question = f"{COUNT} WHERE age > 17"
    client.execute(question)
    client.execute(question)
    texts = [text for _, text in heard]
    assert {severity for severity, _ in heard} == {"NOTICE"}
    assert texts[0].startswith("spent ε 0.25. Laplace noise: one question may still cost up to")
    assert any("count as 2" in text for text in texts)
    assert "free: it was asked before" in texts


@pytest.mark.parametrize(
    ("statement", "state", "at"),
    [
        ("SELECT COUNT(*) FRM visits", "42601", "FRM"),
        ("SELECT COUNT(*) FROM vists", "42P01", "vists"),
        ("SELECT COUNT(*) FROM visits WHERE agee > 3", "42703", "agee"),
        ('SELECT COUNT(*) AS "é", SUM(日本) FROM visits', "42703", "日本"),
        ("SELECT FOO(age) FROM visits", "42883", "FOO"),
        ("SELECT age FROM visits", "42803", "age"),
        ("SELECT age, COUNT(*) FROM visits GROUP BY region", "42803", "age"),
        ("SELECT SUM(region) FROM visits", "42804", "SUM"),
        ("SELECT * FROM visits", "42501", "*"),
        ("SELEC 1", "42601", "SELEC"),
        ("SELECT v.age FROM visits v JOIN visits w ON v.patient = w.patient WHERE age > 1", "42702", "age > 1"),
        ("UPDATE visits SET age = 1", "25006", None),
        ("SELECT /*+ epsilon=90000 */ COUNT(*) FROM visits", "53400", None),
        ("SELECT COUNT(*) OVER () FROM visits", "0A000", None),
    ],
)
def test_errors_have_a_state_a_place_and_what_it_cost(client, door, statement, state, at):
    before = door.spent()
    with pytest.raises(psycopg.Error) as caught:
        client.execute(statement)
    said = caught.value.diag
    assert said.sqlstate == state
    assert not said.sqlstate.startswith("40")
    if at is not None:
        place = int(said.statement_position) - 1
        assert statement[place:].startswith(at), statement[place:]
    assert door.spent() == before


def test_moments_have_types_of_their_own(client):
    for binary in (False, True):
        with client.cursor(binary=binary) as cursor:
            row = cursor.execute("SELECT TIMESTAMP '2025-03-04 05:06:07.5' AS a, TIME '05:06:07' AS b").fetchone()
        assert row == (dt.datetime(2025, 3, 4, 5, 6, 7, 500_000), dt.time(5, 6, 7))


def test_describing_says_what_comes_with_intervals_too(client):
    client.execute("SET deniable.intervals = on")
    question = "SELECT region, COUNT(*) AS n, AVG(cost) AS c, MEDIAN(age) AS m FROM visits GROUP BY region"
    said = described(client, question)
    came = client.pgconn.exec_params(question.encode(), None)
    assert said == [(came.fname(place), came.ftype(place)) for place in range(came.nfields)]
    assert len(said) == 10


def test_an_open_connection_notices_that_its_token_has_ended(door):
    secret, token = door.service.populations["clinic"].tokens.create("alice", Role.ANALYST)
    dsn = door.dsn().replace(door.tokens["alice"], secret)
    with psycopg.connect(dsn, autocommit=True) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        door.service.populations["clinic"].tokens.revoke(token.id)
        for statement in (COUNT, "SELECT 1", f"EXPLAIN {COUNT}", "SELECT * FROM deniable.history"):
            with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification):
                connection.execute(statement)


def test_an_answer_that_was_paid_for_leaves_though_nothing_more_may_be_asked(tmp_path, monkeypatch):
    """What is left is part of the answer, and no request of its own: where it cannot be said, the notice is shorter."""
    with (
        postgres(tmp_path, limits=ServerLimits(per_second=0.001, burst=2)) as door,
        psycopg.connect(door.dsn(), autocommit=True) as connection,
    ):
        heard = []
        connection.add_notice_handler(lambda notice: heard.append(notice.message_primary))
        assert connection.execute("SELECT COUNT(*) FROM visits").fetchone()
        assert heard[0].startswith("spent ε 0.5. Laplace noise: one question may still cost")
        monkeypatch.setattr(Session, "account", _refused)
        assert connection.execute("SELECT COUNT(*) FROM visits WHERE age < 5").fetchone()
        assert [said for said in heard if said.startswith("spent")][1:] == ["spent ε 0.5"]
        with pytest.raises(psycopg.Error, match="too many requests"):
            connection.execute("SELECT COUNT(*) FROM visits")
        assert door.spent() == 1


def _refused(_):
    raise Refused("unknown-analyst", "There is no such analyst.", "Ask the custodian.")


@pytest.mark.parametrize("binary", [False, True])
def test_the_rows_of_an_answer_are_written_in_a_thread_before_it_leaves(tmp_path, monkeypatch, binary):
    """In the form that was asked for; a copy, too. When the deadline has come, they are only sent."""
    made = []

    def noted(values):
        made.append(threading.current_thread().name.startswith("paid"))
        return data_row(values)

    monkeypatch.setattr("deniable.doors.postgres.portals.data_row", noted)
    monkeypatch.setattr("deniable.doors.postgres.copying.data_row", noted)
    form = "binary" if binary else "text"
    with postgres(tmp_path, pace=None) as door, psycopg.connect(door.dsn(), autocommit=True) as connection:
        rows = connection.cursor(binary=binary).execute(BY_REGION).fetchall()
        with connection.cursor().copy(f"COPY ({COUNT} WHERE age < 40) TO STDOUT (FORMAT {form})") as copied:
            assert b"".join(bytes(piece) for piece in copied)
    assert [name for name, _ in rows] == ["north", "south", None]
    assert made == [True] * (4 if binary else 3)


def test_what_is_fetched_in_pieces_is_what_was_written(tmp_path):
    """Portals, cursors of both forms, and a format for each column."""
    with postgres(tmp_path, pace=None) as door, psycopg.connect(door.dsn()) as connection:
        whole = connection.execute(BY_REGION).fetchall()
        for form in ("", "BINARY "):
            connection.execute(f"DECLARE c {form}CURSOR FOR {BY_REGION}")
            found = [connection.execute("FETCH 2 FROM c").fetchall(), connection.execute("FETCH ALL FROM c").fetchall()]
            assert found == [whole[:2], whole[2:]]
            connection.execute("CLOSE c")
        assert connection.cursor(binary=True).execute(BY_REGION).fetchall() == whole


@pytest.mark.parametrize("binary", [False, True])
def test_the_end_of_the_calendar_is_a_moment_of_it(tmp_path, binary):
    """The double next to its last microsecond is none: a question that led there was paid for, and failed."""
    sql = "SELECT /*+ epsilon=1 */ MAX(day + INTERVAL 9000 YEAR) AS m FROM visits"
    with (
        postgres(tmp_path, pace=None) as door,
        psycopg.connect(door.dsn(), autocommit=True) as connection,
        connection.cursor(binary=binary) as cursor,
    ):
        for intervals in ("off", "on"):
            cursor.execute(f"SET deniable.intervals = {intervals}")
            assert cursor.execute(sql).fetchone()[-1] == dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)
