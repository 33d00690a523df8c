"""Hostile visitors, in a real browser: markup in names, values and rows; forms of other sites; cookies set beforehand;
tokens that end, and a server that is slow."""

import json
from datetime import datetime, timedelta
from threading import Event

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.service import tokens
from deniable.service.tokens import Role
from tests.support.chromium import Person
from tests.support.doors import filed, http
from tests.support.served import COUNT

NASTY = "<img src=x onerror=window.broken=1>"
VALUES = ("</td><script>window.broken=1</script>", "\"'><svg onload=window.broken=1>", "{{ 7 * 7 }}")
POLICY = f"""\
[population]
name = "clinic"

[budget]
epsilon = 10.0
delta = 1e-6
delta_for_keys = 2e-7

[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 1

[tables.visits.columns]
patient = {{ type = "integer" }}
"{NASTY}" = {{ type = "text", values = {json.dumps(VALUES)} }}
reason = {{ type = "text" }}
cost = {{ type = "number", bounds = [0, 100], step = 0.01 }}

[analysts.alice]
epsilon = 5.0
per_question = 1.0

[analysts.bob]
epsilon = 1.0

[serve]
release_after = "300ms"
"""


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    """A population in which everything that can have a name has a nasty one."""
    folder, size = tmp_path_factory.mktemp("clinic"), 600
    rows = {
        "patient": list(range(size)),
        NASTY: [VALUES[row % 3] for row in range(size)],
        "reason": [f"<iframe src=javascript:top.broken={row % 2}>" for row in range(size)],
        "cost": [float(row % 50) for row in range(size)],
    }
    pq.write_table(pa.table(rows), folder / "visits.parquet")
    with filed(folder, POLICY, tmp_path_factory.mktemp("state")) as opened:
        yield opened


def unharmed(someone):
    """No markup but ours, and nothing has run."""
    assert someone.page.evaluate("[window.broken, window.top.broken]") == [None, None]
    assert someone.page.locator("img:not(.cm-widgetBuffer), iframe, svg[onload], body script").count() == 0


def test_markup_in_columns_values_and_rows_stays_text_on_every_page(person):
    alice = person("alice")
    unharmed(alice)
    alice.page.select_option("select[name=table]", "visits")
    alice.page.select_option("select[name=what]", "average cost")
    alice.page.select_option("select[name=by]", NASTY)
    alice.page.select_option("select[name=where]", NASTY)
    alice.page.wait_for_selector("select[name=value]")
    alice.page.wait_for_selector("#ask:has-text('Ask, for')")
    unharmed(alice)
    alice.page.click("#ask")
    alice.page.wait_for_selector("#answer")
    assert VALUES[0] in alice.page.inner_text("#answer")
    unharmed(alice)
    alice.page.click("text=Compare two groups")
    alice.page.click("button:has-text('Compare')")
    unharmed(alice)
    alice.page.goto("/console/ask?delta=1e-7&amount=2&sql=SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason")
    alice.page.click("#ask")
    alice.page.wait_for_selector("#answer")
    assert "<iframe" in alice.page.inner_text("#answer")
    unharmed(alice)
    alice.page.goto("/console/ask")
    alice.write(f'SELECT COUNT(*) AS n FROM visits WHERE "{NASTY}x" = 1').page.wait_for_selector("[data-refusal]")
    unharmed(alice)
    alice.page.click(".mending button >> nth=0")
    unharmed(alice)
    pages = {
        alice: ("history", "history/1", "budget", "data"),
        person("carol"): ("policy", "people", "releases/new/workload", "releases/new/anonymized", "activity", "ledger"),
        person("rene"): ("ledger", "epochs", "budget", "data"),
    }
    for someone, places in pages.items():
        for place in places:
            assert someone.status(f"/console/{place}") == 200
            unharmed(someone)


@pytest.mark.parametrize("site", ["http://elsewhere.example", "http://127.0.0.1:9"], ids=["another site", "same host"])
def test_the_page_of_another_site_makes_nobody_pay(person, door, site):
    alice, spent = person("alice"), door.spent()
    form = alice.page.input_value("#question input[name=form]")
    fields = {"sql": COUNT, "amount": "1", "form": form}
    inputs = "".join(f"<input name={name} value='{value}'>" for name, value in fields.items())
    page = f"<form method=post action='{door.url}/console/ask'>{inputs}<button>win</button></form>"
    alice.context.route(f"{site}/**", lambda route: route.fulfill(body=page, content_type="text/html"))
    alice.page.goto(f"{site}/")
    alice.page.click("button")
    alice.page.wait_for_load_state()
    assert alice.page.locator("#answer, #waiting").count() == 0
    assert door.spent() == spent
    alice.page.goto("/console/ask")
    assert "alice" in alice.page.inner_text("header .who")


def test_a_cookie_that_was_set_before_is_not_the_one_after_signing_in(person, door):
    mallory = person()
    planted = {"name": "deniable", "value": "chosen-by-mallory", "url": door.url}
    mallory.context.add_cookies([planted])
    mallory.sign_in("alice")
    (kept,) = mallory.context.cookies()
    assert kept["value"] != planted["value"]
    assert (kept["httpOnly"], kept["sameSite"]) == (True, "Strict")
    assert mallory.page.evaluate("document.cookie") == ""
    other = person()
    other.context.add_cookies([planted])
    assert "sign-in" in other.page.goto("/console/history").url


def test_after_signing_out_the_back_button_shows_nothing(person):
    alice = person("alice")
    alice.ask("SELECT COUNT(*) AS secret_count FROM visits", "")
    alice.page.goto("/console/budget")
    alice.page.click("text=Sign out")
    alice.page.wait_for_selector("#token")
    for _ in range(2):
        alice.page.go_back()
        alice.page.wait_for_load_state()
        assert "secret_count" not in alice.page.content()
        assert "sign-in" in alice.page.url


def test_when_a_token_expires_while_somebody_types_they_sign_in_again_and_come_back(person, door, monkeypatch):
    population = door.service.populations["clinic"].tokens
    door.tokens["briefly"], token = population.create("alice", Role.ANALYST, 1)
    late = person().come_in("briefly")
    late.page.goto("/console/ask")
    late.priced(COUNT, "")
    monkeypatch.setattr(tokens, "_now", lambda: datetime.fromisoformat(token.expires) + timedelta(seconds=1))
    late.write("SELECT SUM(cost) FROM visits")
    late.page.wait_for_selector("#token")
    late.page.fill("#token", door.tokens["briefly"])
    late.page.click("button.primary")
    late.page.wait_for_selector("[role=alert]")
    monkeypatch.undo()
    late.page.fill("#token", door.tokens["alice"])
    late.page.click("button.primary")
    late.page.wait_for_selector("#question")
    assert late.page.url.endswith("/console/ask")
    assert late.page.inner_text(".cm-content") == "SELECT SUM(cost) FROM visits"
    late.page.goto("/console/ask")
    assert late.page.input_value("#sql") == ""  # it was kept for this once


def test_what_was_being_written_is_not_shown_to_somebody_else(person, door):
    alice = person("alice").priced(COUNT, "")
    alice.context.clear_cookies()
    alice.write("SELECT AVG(cost) AS hers FROM visits").page.wait_for_selector("#token")
    assert "no longer" in alice.page.inner_text("main")
    alice.page.fill("#token", door.tokens["bob"])
    alice.page.click("button.primary")
    alice.page.wait_for_selector("#question")
    assert alice.page.input_value("#sql") == ""
    assert "hers" not in alice.page.evaluate("JSON.stringify(sessionStorage)")


def test_nobody_pays_by_an_old_price_while_the_new_one_is_slow(person, door):
    alice, spent = person("alice").priced("SELECT AVG(cost) AS slowly FROM visits", "ε 1"), door.spent()

    alice.page.wait_for_load_state("networkidle")  # no earlier price comes in while the button is pressed
    alice.page.route("**/ask/price", lambda _route: None)  # for ever, if need be
    alice.page.fill("#amount", "0.2")  # less than the account has left, whatever other tests spent
    alice.page.wait_for_selector("#price.htmx-request")
    assert alice.page.locator("#ask:disabled").count() == 1
    alice.page.evaluate("document.getElementById('question').requestSubmit()")  # the server does not count on the page
    alice.page.wait_for_selector("#ask:has-text('ε 0.2')")
    assert alice.page.locator("#answer").count() == 0
    assert door.spent() == spent
    assert "slowly" in alice.page.inner_text(".cm-content")


def test_an_answer_that_takes_long_says_so_until_it_is_there(browser, tmp_path):
    counted = Event()

    def pace():
        counted.wait(30)
        return 0.0

    with http(tmp_path, pace=pace) as slow:
        alice = Person(browser, slow).come_in("alice").priced(COUNT)
        alice.page.click("#ask")
        alice.page.wait_for_selector("#waiting:has-text('is paid')")
        assert alice.page.locator("#answer").count() == 0
        counted.set()
        alice.page.wait_for_selector("#answer")
        alice.leave()


def test_what_the_account_has_no_room_for_has_no_button(person, door):
    bob, spent = person("bob"), door.spent()
    bob.page.fill("#amount", "2")
    bob.write(COUNT).page.wait_for_selector("#price:has-text('more than what is left')")
    assert bob.page.locator("#ask").count() == 0
    assert door.spent() == spent
