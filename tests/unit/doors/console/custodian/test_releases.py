"""A custodian publishes from the browser: price, charge, page, files; and what no budget covers, signed."""

from dataclasses import replace

import httpx
import pyarrow.parquet as pq
import pytest

from deniable.doors.http.server import HttpDoor
from tests.support.chromium import Person

SETTINGS = """\
k = 5
suppression = 0.5

[quasi_identifiers]
age = { interval = [10, 50] }

[sensitive]
region = {}
"""


def ledger(door):
    return door.service.populations["clinic"].curator.ledger


def filled(carol, **fields):
    """The form with these fields, and the price of it: another one than before."""
    carol.page.wait_for_selector("#price button.primary, #price .refusal")
    seal = carol.page.input_value("[name=priced]") if carol.page.locator("[name=priced]").count() else ""
    for name, value in fields.items():
        carol.page.fill(f"[name={name}]", value)
    carol.page.wait_for_function(
        "seal => ![null, undefined, seal].includes(document.querySelector('[name=priced]')?.value)", arg=seal
    )


def made(carol):
    """What was made, once its price was paid: whoever presses while the price changes is shown the new one first."""
    for _ in range(3):
        with carol.page.expect_navigation():
            carol.page.click("#price button.primary")
        if "/new/" not in carol.page.url:
            break
    carol.page.wait_for_selector("#made", timeout=60_000)
    return carol.page.inner_text("main")


def test_a_profile_is_priced_paid_shown_and_taken_away(person, door):
    carol, before = person("carol"), ledger(door).spent("population").rho
    carol.page.goto("/console/releases/new/profile")
    carol.page.select_option("select[name=payer]", "bob")
    carol.page.wait_for_selector("#price:has-text('share of bob')")
    assert "ρ 0.02" in carol.page.inner_text("#make")
    assert ledger(door).spent("population").rho == before
    assert "paid ρ 0.02" in made(carol)
    assert 0 < ledger(door).spent("analyst:bob").rho <= before + 1 / 50
    with carol.page.expect_popup() as opened:
        carol.page.click("text=Look at its page")
    opened.value.wait_for_load_state()
    assert "Private profile" in opened.value.inner_text("h1")
    colour = "getComputedStyle(document.querySelector('figure')).borderRadius"
    assert opened.value.evaluate(colour) == "8px"
    with carol.page.expect_download() as kept:
        carol.page.click("text=profile.csv")
    assert kept.value.path().read_text().startswith("table,column,missing")
    carol.looks("what was made")
    bob, alice = person("bob"), person("alice")
    assert bob.page.locator("svg.sketch").count() > 3
    assert "age: median about" in bob.page.get_attribute("svg.sketch >> nth=0", "aria-label")
    assert bob.status("/console/data/profile") == 200
    bob.page.goto("/console/history")
    assert "profile of clinic" in bob.page.inner_text("main")
    assert alice.page.locator("svg.sketch").count() == 0
    assert alice.status("/console/data/profile") == 404
    carol.page.goto("/console/releases")
    assert "profile of clinic" in carol.page.inner_text("main")
    assert not any("Security" in one for one in carol.complaints)


def test_synthetic_tables_come_with_their_report(person):
    carol = person("carol")
    carol.page.goto("/console/releases/new/synthetic")
    filled(carol, rho="1", rows="50")  # the policy lists no values of one column: there is a delta to begin with
    carol.page.wait_for_selector("#make:has-text('ρ 1, δ 1e-8')")
    made(carol)
    place = carol.page.url
    with carol.page.expect_download() as kept:
        carol.page.click("text=visits.parquet")
    assert pq.read_table(kept.value.path()).num_rows == 50
    found = carol.context.request.get(f"{place}/page")
    assert "unsafe" not in found.headers["content-security-policy"]
    assert "sandbox" in found.headers["content-security-policy"]
    assert "style=" not in found.text()


def test_a_workload_is_refused_while_typing_and_paid_once_right(person):
    carol = person("carol")
    carol.page.goto("/console/releases/new/workload")
    carol.page.fill("#text", 'table = "visits"\n[[parts]]\nhistogram = ["<b>agee</b>"]')
    carol.page.wait_for_selector("#price .refusal")
    carol.page.fill("#text", 'table = "visits"\n[[parts]]\nhistogram = ["region"]')
    carol.page.wait_for_selector("#make")
    assert "north" in made(carol)
    carol.page.goto("/console/releases")
    assert "Workload of visits" in carol.page.inner_text("section:has(h2:text('In the ledger'))")


def test_what_was_paid_for_is_had_again_for_nothing_after_a_restart(browser, person, door):
    carol = person("carol")
    carol.page.goto("/console/releases/new/workload")
    filled(carol, text='table = "visits"\n[[parts]]\nhistogram = ["urgent"]', epsilon="0.25")
    carol.page.wait_for_selector("#make:has-text('ε 0.25')")
    first, spent, place = made(carol), ledger(door).spent("population"), carol.page.url
    other = HttpDoor(door.service)  # all that a page remembers is in its door
    port = door.do(lambda: other.listen("127.0.0.1", 0))
    try:
        again = Person(browser, replace(door, port=port)).sign_in("carol")
        assert again.status(place.removeprefix(door.url)) == 404
        again.page.goto("/console/releases")
        again.looks("what was made before")
        again.page.click("#before li a >> nth=0")
        assert "urgent" in again.page.input_value("#text")
        again.page.wait_for_selector("#make:has-text('ε 0.25')")
        text = made(again)
        again.leave()
    finally:
        door.do(other.close)
    assert "free, because it was asked before" in text
    assert _numbers(text) == _numbers(first)
    assert ledger(door).spent("population") == spent


def _numbers(text):
    found = [line for line in text.splitlines() if " ± " in line]
    assert found
    return found


def test_an_anonymized_table_says_what_is_not_promised_and_is_in_the_ledger(person, door):
    carol, spent = person("carol"), ledger(door).spent("population")
    carol.page.goto("/console/releases/new/anonymized")
    filled(carol, reason="for the town", own=door.tokens["carol"], text=SETTINGS)
    assert "not differential privacy" in carol.page.inner_text("#price")
    text = made(carol)
    assert "Not promised" in text
    assert ledger(door).spent("population") == spent
    last = ledger(door).history()[-1]
    assert (last.kind, last.details["custodian"], last.details["reason"]) == ("published", "carol", "for the town")
    assert ledger(door).verify() == last.sequence
    found = carol.context.request.get(f"{carol.page.url}/page")
    assert "not promised" in found.text().lower()
    rene = person("rene")
    rene.page.goto("/console/ledger?kind=published")
    assert "5-anonymity" in rene.page.inner_text("main")
    assert "for the town" in rene.page.inner_text("main")


@pytest.fixture
def order(door):
    """Sends an order for an anonymized table, as somebody with the cookie could."""
    with httpx.Client(base_url=door.url, follow_redirects=True, timeout=30) as client:
        client.post("/console/sign-in", data={"token": door.tokens["carol"]})
        form = client.get("/console/data").text.split('name="form" value="')[1].split('"')[0]

        def send(text, own="", reason="because"):
            sent = {"form": form, "table": "visits", "text": text, "reason": reason, "own": own}
            page = client.post("/console/releases/new/anonymized/price", data=sent).text
            seal = page.split('name="priced" value="')[1].split('"')[0] if 'name="priced"' in page else ""
            return client.post("/console/releases/new/anonymized", data={**sent, "priced": seal})

        yield send


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("age = { interval = [10, 50] }", 'age = { tree = "/etc/passwd" }', "not-from-here"),
        ("suppression", 'keep = ["patient"]\nsuppression', "not-from-here"),
        ("age =", "patient =", "bad-argument"),
        ("k = 5", "k = 1", "bad-argument"),
        ("k = 5", "", "bad-argument"),
        ("k = 5", "q = 5", "bad-settings"),
        ("region = {}", "patient = {}", "bad-argument"),
    ],
)
def test_what_an_anonymized_table_may_not_be_is_refused_from_a_browser(door, order, old, new, code):
    before = ledger(door).head
    assert code in order(SETTINGS.replace(old, new), door.tokens["carol"]).text
    assert ledger(door).head == before


def test_a_stolen_cookie_makes_no_anonymized_table(door, order):
    before = ledger(door).head
    for own in ("", "deniable_guess", door.tokens["alice"]):
        assert order(SETTINGS, own).status_code == 403
    assert ledger(door).head == before


def test_nothing_is_paid_for_a_price_that_was_not_shown(door):
    with httpx.Client(base_url=door.url, follow_redirects=True, timeout=30) as client:
        client.post("/console/sign-in", data={"token": door.tokens["carol"]})
        form = client.get("/console/data").text.split('name="form" value="')[1].split('"')[0]
        before = ledger(door).head
        for kind in ("profile", "synthetic", "workload"):
            sent = {"form": form, "payer": "alice", "rho": "0.5", "priced": "guessed"}
            assert client.post(f"/console/releases/new/{kind}", data=sent).status_code == 200
        assert ledger(door).head == before
        assert client.get("/console/releases/new/other").status_code == 404
        assert client.get("/console/releases/other").status_code == 404
