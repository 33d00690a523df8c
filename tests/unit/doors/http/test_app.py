"""The HTTP door: what is answered, in which form, to whom; and what is refused, and how that is said."""

import asyncio
import csv
import io
import json
import select
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import ExitStack, closing, suppress
from itertools import cycle

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.doors.http.app import make_app
from deniable.doors.http.formats import written
from deniable.service.limits import ServerLimits
from tests.support.doors import http, takes_little, until
from tests.support.served import served
from tests.support.wire import until_closed

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with http(tmp_path_factory.mktemp("clinic")) as opened:
        yield opened


@pytest.fixture(scope="module")
def people(door):
    found = {
        name: httpx.Client(base_url=door.url, headers={"Authorization": f"Bearer {token}"}, timeout=30)
        for name, token in door.tokens.items()
    }
    yield found
    for client in found.values():
        client.close()


def test_a_price_costs_nothing(door, people):
    before = door.spent()
    said = people["alice"].post("/v1/explain", json={"sql": COUNT, "epsilon": 0.25}).json()
    assert said["loss"]["epsilon"] == 0.25
    assert said["columns"][0]["column"] == "n"
    assert door.spent() == before


@pytest.mark.parametrize(
    ("accept", "read"),
    [
        ("application/json", lambda body: [row["region"] for row in json.loads(body)["rows"]]),
        ("text/csv", lambda body: [row["region"] or None for row in csv.DictReader(io.StringIO(body.decode()))]),
        ("application/vnd.apache.arrow.stream", lambda body: pa.ipc.open_stream(body).read_all()["region"].to_pylist()),
        ("application/vnd.apache.parquet", lambda body: pq.read_table(io.BytesIO(body))["region"].to_pylist()),
    ],
)
def test_an_answer_comes_in_the_form_that_is_asked_for_and_is_paid_once(people, door, accept, read):
    people["alice"].post("/v1/questions", json={"sql": BY_REGION, "epsilon": "0.5"})
    before = door.spent()
    found = people["alice"].post("/v1/questions", json={"sql": BY_REGION, "epsilon": "0.5"}, headers={"Accept": accept})
    assert found.status_code == 200
    assert found.headers["content-type"].startswith(accept)
    assert read(found.content) == ["north", "south", None]
    assert door.spent() == before


def test_a_form_that_we_have_not_is_refused_before_anything_is_spent(people, door):
    before = door.spent()
    body = {"sql": f"{COUNT} WHERE age = 77", "epsilon": 1}
    found = people["alice"].post("/v1/questions", json=body, headers={"Accept": "image/png"})
    assert found.status_code == 406
    assert door.spent() == before


def test_values_of_parameters_stand_apart_from_the_question(people, door):
    plain, apart = f"{COUNT} WHERE age = 33 AND region = 'north'", f"{COUNT} WHERE age = :age AND region = :region"
    first = people["alice"].post("/v1/questions", json={"sql": plain, "epsilon": 0.5}).json()
    before = door.spent()
    body = {"sql": apart, "params": {"age": 33, "region": "north"}, "epsilon": 0.5}
    again = people["alice"].post("/v1/questions", json=body).json()
    assert (again["rows"], again["free"], door.spent()) == (first["rows"], True, before)
    wrong = people["alice"].post("/v1/explain", json={**body, "sql": f"{apart} AND agee = 1"}).json()
    assert wrong["position"] == [len(apart) + 5, len(apart) + 9]
    missing = people["alice"].post("/v1/explain", json={**body, "params": {"age": 33}}).json()
    assert missing["code"] == "bad-parameters"


def test_refusals_say_code_place_and_hint(people):
    found = people["alice"].post("/v1/questions", json={"sql": "SELECT COUNT(*) FROM visits WHERE agee > 3"})
    assert found.status_code == 400
    assert found.headers["content-type"] == "application/problem+json"
    said = found.json()
    assert (said["code"], said["position"]) == ("unknown-column", [34, 38])
    assert "age" in said["hint"]
    assert said["request"] == found.headers["x-request-id"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"sql": COUNT, "epsilon": 1e6}, 402, "over-budget"),
        ({"sql": COUNT, "epsilon": "nan"}, 400, "bad-spend"),
        ({"sql": COUNT, "epsilon": 1, "rho": 1}, 400, "bad-spend"),
        ({"sql": COUNT, "seed": 7}, 422, "bad-request"),
        ({"sql": 7}, 422, "bad-request"),
        ({"sql": "SELECT * FROM visits", "epsilon": 1}, 400, "rows"),
    ],
)
def test_what_cannot_be_asked_is_a_problem(people, body, status, code):
    found = people["alice"].post("/v1/questions", json=body)
    assert (found.status_code, found.json()["code"]) == (status, code)


def test_what_is_true_is_no_number_that_could_be_spent(people, door):
    before = door.spent()
    for name in ("epsilon", "rho", "accuracy"):
        said = people["alice"].post("/v1/questions", json={"sql": COUNT, name: True})
        assert (said.status_code, said.json()["code"]) == (422, "bad-request")
    assert people["alice"].post("/v1/explain", json={"sql": COUNT, "epsilon": 1}).status_code == 200
    assert door.spent() == before


def test_a_body_that_is_not_called_json_is_refused_with_a_hint(people):
    said = people["alice"].post("/v1/explain", content=b'{"sql": "SELECT 1"}', headers={"Content-Type": "text/plain"})
    assert "application/json" in said.json()["hint"]


def test_nobody_comes_in_without_a_token_and_every_failure_is_the_same(door):
    tries = [{}, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {door.tokens['alice']}"}]
    found = [httpx.get(f"{door.url}/v1/budget", headers=headers) for headers in tries]
    assert {one.status_code for one in found} == {401}
    assert len({one.json()["detail"] for one in found}) == 1
    assert all(0.5 <= one.elapsed.total_seconds() < 2 for one in found)


def test_a_key_is_bound_to_its_body(people, door):
    alice = people["alice"]
    headers = {"Idempotency-Key": "k1"}
    body = {"sql": f"{COUNT} WHERE age < 20", "epsilon": 0.5}
    first = alice.post("/v1/questions", json=body, headers=headers)
    before = door.spent()
    assert alice.post("/v1/questions", json=body, headers=headers).json() == first.json()
    assert alice.post("/v1/questions", json={**body, "epsilon": 0.6}, headers=headers).status_code == 422
    assert people["bob"].post("/v1/explain", json=body, headers=headers).status_code == 200
    assert door.spent() == before


def test_a_question_can_be_asked_for_later_by_whoever_asked_it(people):
    alice, body = people["alice"], {"sql": f"{COUNT} WHERE age < 21", "epsilon": 0.5}
    sent = alice.post("/v1/questions", json=body, headers={"Prefer": "respond-async"})
    assert sent.status_code == 202
    place = sent.headers["location"]
    with alice.stream("GET", f"{place}/events") as stream:
        stages = [line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data")]
    assert stages == ["queued", "started", "charged", "done"]
    assert alice.get(place).json()["rows"]
    assert people["bob"].get(place).status_code == 404
    assert people["carol"].get(place).status_code == 404


def test_a_batch_and_a_release(people):
    batch = people["alice"].post("/v1/batches", json={"questions": [COUNT, BY_REGION], "epsilon": 1}).json()
    assert [len(answer["rows"]) for answer in batch["answers"]] == [1, 3]
    work = {"table": "visits", "parts": [{"histogram": ["region"]}]}
    released = people["alice"].post("/v1/releases", json={"workload": work, "epsilon": 1})
    assert released.status_code == 200, released.text
    endless = {"parts": [{"marginals": [f"a{number}" for number in range(60)], "order": 30}]}
    for wrong in ({"parts": 7}, {"parts": [{"marginals": ["region"], "order": "x"}]}, endless):
        assert (
            people["alice"].post("/v1/releases", json={"workload": wrong, "epsilon": 1}).json()["code"]
            == "bad-argument"
        )


def test_everybody_sees_what_is_theirs(people):
    people["alice"].post("/v1/questions", json={"sql": COUNT, "epsilon": "0.5"})
    history = {name: client.get("/v1/history").json()["charges"] for name, client in people.items()}
    assert {line["analyst"] for line in history["alice"]} == {"alice"}
    assert history["bob"] == []
    assert len(history["carol"]) >= len(history["alice"])
    accounts = {name: client.get("/v1/budget").json()["accounts"] for name, client in people.items()}
    assert [one["name"] for one in accounts["alice"]] == ["analyst:alice"]
    assert [one["name"] for one in accounts["rene"]] == ["population", "analyst:alice", "analyst:bob"]
    for path in ("/v1/ledger/verify", "/v1/ledger/export"):
        assert {name: client.get(path).status_code for name, client in people.items()} == {
            "alice": 403,
            "bob": 403,
            "carol": 200,
            "rene": 200,
        }
    for path in ("/v1/tokens", "/v1/metrics", "/v1/policy/check"):
        assert [people[name].get(path).status_code for name in ("alice", "rene", "carol")] == [403, 403, 200]


def test_history_has_a_cursor(people):
    for age in range(3):
        people["bob"].post("/v1/questions", json={"sql": f"{COUNT} WHERE age > {age}", "epsilon": 0.5})
    first = people["bob"].get("/v1/history?limit=2").json()
    rest = people["bob"].get(f"/v1/history?limit=2&after={first['next']}").json()
    assert [len(first["charges"]), len(rest["charges"]), rest["next"]] == [2, 1, None]


def test_a_custodian_gives_and_takes_tokens(people, door):
    made = people["carol"].post("/v1/tokens", json={"name": "bob", "days": 1}).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert httpx.get(f"{door.url}/v1/budget", headers=headers).status_code == 200
    assert made["token"] not in people["carol"].get("/v1/tokens").text
    assert people["carol"].delete(f"/v1/tokens/{made['id']}").json() == {"revoked": [made["id"]]}
    assert httpx.get(f"{door.url}/v1/budget", headers=headers).status_code == 401
    assert people["carol"].post("/v1/tokens", json={"name": "mallory"}).status_code == 403
    assert people["alice"].post("/v1/tokens", json={"name": "alice"}).status_code == 403


def test_metrics_have_no_words_of_a_question(people):
    people["alice"].post("/v1/questions", json={"sql": f"{COUNT} WHERE reason = 'seldom'", "epsilon": "0.5"})
    text = people["carol"].get("/v1/metrics").text
    assert 'deniable_requests_total{ended="done",kind="ask",population="clinic"}' in text
    assert 'deniable_last_entry{population="clinic"} ' in text
    assert "seldom" not in text


def test_bodies_are_limited_and_headers_keep_browsers_safe(people, door):
    large = people["alice"].post("/v1/explain", content=b"x" * (70 << 10), headers={"Content-Type": "application/json"})
    assert large.status_code == 413
    found = httpx.get(f"{door.url}/healthz", headers={"Origin": "https://elsewhere.example"})
    assert found.json() == {"status": "ok"}
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["content-security-policy"].startswith("default-src 'none'")
    assert "access-control-allow-origin" not in found.headers
    assert "server" not in found.headers
    assert httpx.options(f"{door.url}/v1/explain").status_code == 405


def test_everything_is_described(door):
    said = httpx.get(f"{door.url}/openapi.json").json()
    assert set(said["paths"]) >= {
        *("/v1/explain", "/v1/questions", "/v1/questions/{name}", "/v1/questions/{name}/events", "/v1/batches"),
        *("/v1/releases", "/v1/tables", "/v1/budget", "/v1/history", "/v1/tokens", "/v1/policy", "/v1/policy/check"),
        *("/v1/ledger/verify", "/v1/ledger/export", "/v1/metrics", "/healthz"),
    }
    assert said["security"] == [{"token": []}]


def test_a_client_that_goes_away_has_paid_and_the_retry_is_free(tmp_path):
    with http(tmp_path, "500ms", lambda: 0.1) as door:
        headers = {"Authorization": f"Bearer {door.tokens['alice']}"}
        body = {"sql": COUNT, "epsilon": 0.5}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{door.url}/v1/questions", json=body, headers=headers, timeout=0.3)
        again = httpx.post(f"{door.url}/v1/questions", json=body, headers=headers, timeout=10)
        assert again.json()["free"]
        assert door.spent() == 0.5


def test_many_at_once_for_the_same_question_pay_once(tmp_path):
    with http(tmp_path, "300ms", lambda: 0.05) as door:
        headers = {"Authorization": f"Bearer {door.tokens['alice']}"}
        found = []

        def ask():
            sent = httpx.post(
                f"{door.url}/v1/questions", json={"sql": COUNT, "epsilon": 0.5}, headers=headers, timeout=30
            )
            found.append(sent.json()["rows"])

        threads = [threading.Thread(target=ask) for _ in range(8)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({json.dumps(rows) for rows in found}) == 1
        assert door.spent() == 0.5
        assert time.monotonic() - start >= 0.3


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    names = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"), "-subj", "/CN=localhost"]
    making = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*making, "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    return str(folder / "cert.pem"), str(folder / "key.pem")


def test_tls(tmp_path, certificate):
    trusted = ssl.create_default_context(cafile=certificate[0])
    with http(tmp_path, certificate=certificate) as door:
        headers = {"Authorization": f"Bearer {door.tokens['alice']}"}
        found = httpx.get(f"{door.url.replace('http', 'https')}/v1/budget", headers=headers, verify=trusted)
        assert found.status_code == 200
        assert found.headers["strict-transport-security"].startswith("max-age")


@pytest.mark.parametrize("limits", [{"connections_each": 10}, {"connections": 10}])
@pytest.mark.parametrize("secure", [False, True])
def test_connections_are_limited_also_before_their_first_request_and_within_the_handshake(
    request, tmp_path, secure, limits
):
    chosen = {"certificate": request.getfixturevalue("certificate")} if secure else {}
    patient = ServerLimits(**limits, login=300, stalled=300)
    with http(tmp_path, limits=patient, **chosen) as door, ExitStack() as held:
        begun = [held.enter_context(closing(socket.create_connection(("127.0.0.1", door.port)))) for _ in range(30)]
        until(lambda: len(select.select(begun, [], [], 0)[0]) == 20, 40)  # these were closed, and the others are held
        for connection, sent in zip(begun, cycle([b"", b"\x16\x03\x01\x02", b"GET /healthz HTTP/1.1\r\n\r\n"])):
            with suppress(OSError):
                connection.sendall(sent)
        held.close()
        until(lambda: door.held() == 0, 60)
        again = httpx.get(f"http{'s' * secure}://127.0.0.1:{door.port}/healthz", verify=False)  # noqa: S501 - its own
        assert again.status_code == 200


QUICK = ServerLimits(stalled=0.5, connections_each=10)


def test_a_client_that_takes_nothing_is_let_go_with_all_that_waits_for_it(tmp_path):
    """What it has not taken is in our memory for as long as the connection is there."""
    with http(tmp_path, limits=QUICK) as door, takes_little(door.port) as connection:
        until(lambda: door.held() == 1, 60)
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 400)
        until(lambda: door.held() == 0, 60)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /healthz HT",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ",
        b"POST /v1/explain HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        b"\x00\xff\x00\xff\r\n\r\n",
        b"GET /" + b"x" * 100_000,
    ],
)
def test_a_client_that_stalls_or_sends_garbage_is_ended_and_hurts_nobody_else(tmp_path, sent):
    with http(tmp_path, limits=QUICK) as door:
        with closing(socket.create_connection(("127.0.0.1", door.port), timeout=10)) as connection:
            connection.sendall(sent)
            start = time.monotonic()
            said = until_closed(connection)
            assert time.monotonic() - start < 8
        assert b"Traceback" not in said
        assert httpx.get(f"{door.url}/healthz").status_code == 200


def test_a_body_that_is_too_large_is_refused_in_words(people):
    said = people["alice"].post("/v1/explain", content=b"x" * 500_000, headers={"Content-Type": "application/json"})
    assert (said.status_code, said.json()["code"]) == (413, "too-long")


def test_a_body_with_two_lengths_is_refused_and_what_follows_is_not_read(door):
    """A proxy before the server may go by the other length, and take what follows for somebody else's request."""
    sent = b"POST /v1/explain HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with closing(socket.create_connection(("127.0.0.1", door.port), timeout=10)) as connection:
        connection.sendall(sent + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        said = until_closed(connection)
    assert said.startswith(b"HTTP/1.1 400")
    assert said.count(b"HTTP/1.1") == 1


def test_a_method_that_is_not_there_says_which_are(people):
    found = people["carol"].put("/v1/tokens", json={})
    assert (found.status_code, found.headers["allow"]) == (405, "GET, POST")


def test_what_was_asked_on_a_page_of_the_console_is_not_at_the_address_of_an_answer(tmp_path):
    """Both are one person's questions on their way, and counted together."""

    async def page(_asked):
        return "an answer for a page"

    async def play():
        with served(tmp_path) as (service, secrets):
            app = make_app(service)
            asked = app.state.jobs.start(("clinic", "alice"), None, "", page)
            await asked.task
            headers = {"Authorization": f"Bearer {secrets['alice']}"}
            client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://clinic", headers=headers)
            async with client:
                found = await client.get(f"/v1/questions/{asked.id}")
            await service.close()
            return found

    assert asyncio.run(play()).status_code == 404


def test_the_bytes_of_an_answer_are_made_in_a_thread_before_it_leaves(tmp_path, monkeypatch):
    made = []

    def noted(answer, form):
        made.append((form, threading.current_thread().name.startswith("paid")))
        return written(answer, form)

    monkeypatch.setattr("deniable.doors.http.questions.written", noted)
    with http(tmp_path) as door:
        headers = {"Authorization": f"Bearer {door.tokens['alice']}", "Accept": "text/csv"}
        found = httpx.post(f"{door.url}/v1/questions", json={"sql": COUNT, "epsilon": "0.5"}, headers=headers)
    assert found.text.startswith("n,")
    assert made == [("text/csv", True)]


def test_a_key_that_is_sent_again_and_again_is_counted_each_time(tmp_path):
    """Also with another body: refusals count, too."""
    with http(tmp_path, limits=ServerLimits(per_second=0.001, burst=3)) as door:
        headers = {"Authorization": f"Bearer {door.tokens['alice']}", "Idempotency-Key": "once"}
        found = [
            httpx.post(f"{door.url}/v1/questions", json={"sql": COUNT, "epsilon": epsilon}, headers=headers)
            for epsilon in ("0.5", "0.5", "0.25", "0.5")
        ]
        assert [one.status_code for one in found] == [200, 200, 422, 429]
        assert door.spent() == 0.5


def test_an_answer_in_another_form_is_written_in_a_thread(tmp_path, monkeypatch):
    """That of a million numbers takes seconds, in which nobody else would be served."""
    made = []

    def noted(answer, form):
        made.append((form, threading.current_thread().name.partition("_")[0]))
        return written(answer, form)

    monkeypatch.setattr("deniable.doors.http.questions.written", noted)
    monkeypatch.setattr("deniable.doors.console.answers.written", noted)
    with http(tmp_path) as door, httpx.Client(base_url=door.url) as client:
        mine = {"Authorization": f"Bearer {door.tokens['alice']}", "Prefer": "respond-async"}
        place = client.post("/v1/questions", json={"sql": COUNT, "epsilon": "0.5"}, headers=mine).headers["location"]
        until(lambda: client.get(place, headers=mine).status_code == 200, 60)
        assert client.get(place, headers={**mine, "Accept": "text/csv"}).text.startswith("n,")
        client.post("/console/sign-in", data={"token": door.tokens["alice"]})
        assert client.get("/console/history/1/answer.csv").text.startswith("n,")
    assert made == [("application/json", "paid"), ("text/csv", "asyncio"), ("text/csv", "asyncio")]


def test_a_batch_that_comes_later_has_the_forms_of_a_batch(people):
    """CSV has no place for several answers: it was JSON under another name."""
    later = people["alice"].post(
        "/v1/batches", json={"questions": [COUNT, BY_REGION], "epsilon": 1}, headers={"Prefer": "respond-async"}
    )
    place = later.headers["location"]
    until(lambda: people["alice"].get(place).status_code == 200, 60)
    found = {form: people["alice"].get(place, headers={"Accept": form}) for form in ("text/csv", "application/json")}
    assert [one.status_code for one in found.values()] == [406, 200]
