"""Who is visiting, and who only pretends: cookies, foreign forms, roles, tokens that have ended, markup in names."""

import json
from urllib.parse import urlencode

import httpx
import pytest

from deniable.doors.console import accounts, answers, asking, data, entrance, history, proofs, review
from deniable.doors.console.custodian import custody, policies, releases
from deniable.doors.console.visitors import local
from tests.support.served import COUNT

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PAGES = {
    "alice": {"ask", "history", "budget", "data"},
    "carol": {"budget", "data"},
    "rene": {"budget", "data"},
}


@pytest.fixture
def client(door):
    with httpx.Client(base_url=door.url) as opened:
        yield opened


def signed_in(client, door, name="alice"):
    """The client with its cookie, and what its forms carry."""
    client.post("/console/sign-in", data={"token": door.tokens[name]})
    text = client.get("/console/data").text
    return text.split('name="form" value="')[1].split('"')[0]


def test_the_cookie_is_for_this_server_alone_and_never_for_scripts(client, door):
    found = client.post("/console/sign-in", data={"token": door.tokens["alice"]})
    cookie = found.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "path=/"))
    assert door.tokens["alice"] not in str(found.headers)
    assert found.headers["location"] == "/console"


def test_signing_in_makes_a_new_key_whatever_cookie_there_was(client, door):
    client.cookies.set("deniable", "chosen-by-somebody-else")
    found = client.post("/console/sign-in", data={"token": door.tokens["alice"]})
    first = found.cookies["deniable"]
    assert first != "chosen-by-somebody-else"
    client.cookies = httpx.Cookies({"deniable": first})
    second = client.post("/console/sign-in", data={"token": door.tokens["alice"]}).cookies["deniable"]
    assert second != first
    for cookie, status in ((first, 303), (second, 200), ("chosen-by-somebody-else", 303), ("\u00e9".encode(), 303)):
        client.cookies = httpx.Cookies()
        header = b"deniable=" + (cookie if isinstance(cookie, bytes) else cookie.encode())
        assert client.get("/console/data", headers={b"Cookie": header}).status_code == status


def test_after_signing_out_the_old_cookie_opens_nothing(client, door):
    form = signed_in(client, door)
    kept = client.cookies["deniable"]
    client.post("/console/sign-out", data={"form": form})
    found = client.get("/console/data", headers={"Cookie": f"deniable={kept}"})
    assert found.status_code == 303
    assert found.headers["location"].startswith("/console/sign-in")


PARTS = (accounts, answers, asking, custody, data, entrance, history, policies, proofs, releases, review)
ROUTES = sorted(
    (
        method,
        route.path.replace("{entry}", "1")
        .replace("{file}", "x.csv")
        .replace("{name}", "x")
        .replace("{form}", "csv")
        .replace("{kind}", "profile"),
    )
    for part in PARTS
    for route in part.router.routes
    for method in route.methods
)
SENT = [path for method, path in ROUTES if method == "POST" and path != "/sign-in"]


@pytest.mark.parametrize("path", SENT)
@pytest.mark.parametrize("name", ["alice", "carol", "rene"])
def test_nothing_is_changed_by_a_form_without_its_visit_on_any_page(client, door, path, name):
    form = signed_in(client, door, name)
    assert client.post(f"/console{path}", data={"form": f"{form}x"}).status_code == 403
    foreign = client.post(f"/console{path}", data={"form": form}, headers={"Sec-Fetch-Site": "same-site"})
    assert foreign.status_code == 403


@pytest.mark.parametrize(("method", "path"), [one for one in ROUTES if one[1] != "/sign-in"])
def test_no_page_is_there_for_strangers(client, method, path):
    found = client.request(method, f"/console{path}")
    assert found.status_code == 303
    assert found.headers["location"].startswith("/console/sign-in")


EVERYBODYS = {"/", "/data", "/data/profile", "/budget", "/sign-in", "/sign-out"}
ASKING = ("/ask", "/answers", "/history", "/budget/requests")
REVIEWED = ("/ledger", "/epochs", "/proofs")


@pytest.mark.parametrize("name", ["alice", "rene", "carol"])
def test_what_is_for_another_role_is_refused_on_every_route(client, door, name):
    form, tried = signed_in(client, door, name), 0
    for method, path in ROUTES:
        owners = {"alice"} if path.startswith(ASKING) else {"carol", *(["rene"] * path.startswith(REVIEWED))}
        if path in EVERYBODYS or name in owners:
            continue
        found = client.request(method, f"/console{path}", **({"data": {"form": form}} if method == "POST" else {}))
        assert (path, found.status_code) == (path, 403)
        tried += 1
    assert tried > 5


def test_a_stolen_cookie_neither_gives_nor_ends_a_token(client, door):
    sent = {"form": signed_in(client, door, "carol"), "name": "carol", "role": "custodian"}
    before = door.service.populations["clinic"].tokens.all()
    for own in ("", "deniable_guess", door.tokens["alice"]):
        assert client.post("/console/people/tokens", data={**sent, "own": own}).status_code == 403
        ended = {"form": sent["form"], "which": "alice", "own": own}
        assert client.post("/console/people/tokens/end", data=ended).status_code == 403
    assert door.service.populations["clinic"].tokens.all() == before
    found = client.post("/console/people/tokens", data={**sent, "own": door.tokens["carol"]})
    assert found.status_code == 200
    assert door.tokens["carol"] not in found.text


@pytest.mark.parametrize("form", ["", "guessed", None])
@pytest.mark.parametrize("place", ["ask", "ask/price", "ask/build", "sign-out"])
def test_a_form_without_its_visit_is_refused(client, door, place, form):
    signed_in(client, door)
    before = door.spent()
    sent = {"sql": COUNT, "amount": "1"} | ({} if form is None else {"form": form})
    found = client.post(f"/console/{place}", data=sent)
    assert found.status_code == 403
    assert door.spent() == before
    assert client.get("/console/data").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
    ],
)
def test_a_form_that_another_site_sends_is_refused_even_at_the_entrance(client, door, headers):
    form = signed_in(client, door)
    assert client.post("/console/sign-out", data={"form": form}, headers=headers).status_code == 403
    entering = client.post("/console/sign-in", data={"token": door.tokens["bob"]}, headers=headers)
    assert entering.status_code == 403
    assert "set-cookie" not in entering.headers


def test_no_token_and_a_wrong_one_lead_to_the_entrance(client):
    assert client.get("/console/history").headers["location"] == "/console/sign-in?next=%2Fconsole%2Fhistory"
    assert client.post("/console/sign-in", data={"token": "deniable_guess"}).status_code == 401
    part = client.post("/console/ask/price", headers={**FORM, "HX-Request": "true"})
    assert part.headers["hx-redirect"].startswith("/console/sign-in")
    assert client.get("/").headers["location"] == "/console/"


@pytest.mark.parametrize(
    "place",
    ["https://elsewhere.example", "//elsewhere.example", "/console//x", "/v1/tables", "/console/\\x", "/consoled"],
)
def test_nobody_is_sent_elsewhere_after_signing_in(place):
    assert local(place) == "/console"
    assert local("/console/history") == "/console/history"


def test_a_token_that_has_ended_ends_the_visit(client, door):
    tokens = door.service.populations["clinic"].tokens
    secret, token = tokens.create("alice", next(iter(tokens.all())).role)
    client.post("/console/sign-in", data={"token": secret})
    assert client.get("/console/data").status_code == 200
    tokens.revoke(token.id)
    assert client.get("/console/data").headers["location"].startswith("/console/sign-in")


@pytest.mark.parametrize("name", PAGES)
def test_each_role_sees_its_own_pages(client, door, name):
    signed_in(client, door, name)
    for page in set.union(*PAGES.values()):
        status = client.get(f"/console/{page}").status_code
        assert status == (200 if page in PAGES[name] else 403), page


def test_who_is_signed_in_finds_the_way_back_from_a_page_that_is_not_there(client, door):
    assert "Sign out" not in client.get("/console/nothing").text
    signed_in(client, door)
    assert 'href="/console/history"' in client.get("/console/nothing").text


def test_answers_of_others_are_not_there(client, door):
    form = signed_in(client, door)
    price = client.post("/console/ask/price", data={"form": form, "sql": COUNT, "amount": "1"}).text
    priced = price.split('name="priced" value="')[1].split('"')[0]
    asked = client.post("/console/ask", data={"form": form, "sql": COUNT, "amount": "1", "priced": priced})
    place = asked.headers["location"]
    assert client.get(place).status_code == 200
    client.cookies.clear()
    signed_in(client, door, "bob")
    assert client.get(place).status_code == 404
    assert client.get(f"{place}/answer.csv").status_code == 404
    assert client.get("/console/history/2").status_code == 404


def test_every_page_has_headers_under_which_nothing_foreign_runs(client, door):
    signed_in(client, door)
    for place in ("/console/ask", "/console/data", "/console/nothing", "/console/sign-in"):
        rules = client.get(place).headers["content-security-policy"]
        assert "unsafe" not in rules
        assert "default-src 'none'" in rules
        assert "script-src 'self';" in rules
        assert client.get(place).headers["cache-control"] == "no-store"


NASTY = "<script>window.broken=1</script><img src=x onerror=window.broken=1>\"'"
QUOTED = '"{}"'.format(NASTY.replace('"', '""'))


def test_markup_in_questions_names_and_addresses_stays_text(person):
    alice = person("alice")
    for place in (
        f"/console/ask?{urlencode({'sql': f'SELECT COUNT(*) AS {QUOTED} FROM visits'})}",
        f"/console/ask?{urlencode({'sql': NASTY, 'amount': NASTY, 'delta': NASTY})}",
        f"/console/history?{urlencode({'find': NASTY})}",
        f"/console/answers/{NASTY}",
        f"/console/sign-in?{urlencode({'next': NASTY})}",
    ):
        alice.page.goto(place)
        alice.page.wait_for_load_state()
        assert alice.page.evaluate("window.broken") is None
        assert alice.page.locator("img").count() == 0
    alice.page.goto("/console/ask")
    text = alice.ask(f"SELECT region AS {QUOTED}, COUNT(*) AS n FROM visits GROUP BY 1")
    assert "<script>" in text
    assert alice.page.evaluate("window.broken") is None
    alice.page.goto("/console/history")
    assert alice.page.evaluate("window.broken") is None
    assert json.dumps(alice.complaints).count("script") == 0


def test_a_demonstration_brings_its_token_in_a_part_of_the_address_that_nobody_is_sent(person, door):
    visitor, asked = person(), []
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.page.goto(f"/console/sign-in#{door.tokens['alice']}")
    assert visitor.page.input_value("#token") == door.tokens["alice"]
    assert "#" not in visitor.page.url
    visitor.page.click("button.primary")
    visitor.page.wait_for_selector("header .who:has-text('alice')")
    assert not any(door.tokens["alice"] in url for url in asked if "#" not in url)
