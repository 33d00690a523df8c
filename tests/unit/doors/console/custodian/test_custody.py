"""A custodian changes the policy and grants a request, a reviewer verifies: all from the browser, on a real account."""

import asyncio
import html
import json
import re
import time
from pathlib import Path

import httpx
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import Refused
from deniable.service.custodian.custody import Custody, digest_of_text
from tests.support.chromium import Person
from tests.support.doors import filed
from tests.support.served import BY_REGION, write_rows

POLICY = """\
# bounds are public knowledge
[population]
name = "clinic"

[budget]
epsilon = 10.0
delta = 1e-6

[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 2

[tables.visits.columns]
patient = { type = "integer" }
age     = { type = "integer", bounds = [0, 110] }
region  = { type = "text", values = ["north", "south"] }

[analysts.alice]
epsilon = 1.0                    # for her study
per_question = 0.5

[analysts.bob]
epsilon = 1.0

[serve]
release_after = "50ms"
"""


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    """A population that is served from its file."""
    folder = tmp_path_factory.mktemp("clinic")
    write_rows(folder)
    with filed(folder, POLICY, tmp_path_factory.mktemp("state")) as opened:
        yield opened


def policy_of(door):
    return door.service.populations["clinic"].curator.policy


def changed(carol: Person, old: str, new: str) -> None:
    carol.page.goto("/console/policy")
    text = carol.page.input_value("#text")
    assert old in text
    carol.page.fill("#text", text.replace(old, new))


def test_a_custodian_sees_what_a_change_means_and_adopts_it_with_a_reason(person, door):
    carol, alice = person("carol"), person("alice")
    alice.ask(BY_REGION, "")
    changed(carol, "bounds = [0, 110]", "bounds = [0, 90]")
    carol.page.wait_for_selector("#considered:has-text('visits.age: bounds')")
    assert "Less noise in sums and averages" in carol.page.inner_text("#considered")
    carol.page.fill("#reason", "nobody is older")
    carol.page.click("text=Adopt it")
    carol.page.wait_for_selector("[role=status]:has-text('Adopted')")
    assert policy_of(door).tables["visits"].columns["age"].high == 90
    spent = door.spent()
    alice.page.goto("/console/ask")
    assert "from 0 to 90" in alice.page.inner_text(".tables")
    alice.ask(BY_REGION, "for free")  # it made no use of the age
    assert door.spent() == spent
    rene = person("rene")
    rene.page.goto("/console/epochs")
    assert "nobody is older" in rene.page.inner_text("main")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('source = "visits.parquet"', 'source = "hospitals.csv"'),
        ('source = "visits.parquet"', '"source" = "\\u0068ospitals.csv"'),
        ('source = "visits.parquet"', "'source' = '*.parquet'"),
        ("[population]", 'engine.memory = "1GB"\n[population]'),
        ("epsilon = 10.0", "epsilon = 10.000000001"),
        ('unit = "patient"', "public = true #"),
        ("contribution = 2", "contribution = 2\nkeys = 1"),
        ('name = "clinic"', 'name = "other"'),
        ("[population]", '[ledger]\nurl = "sqlite:///other.ledger"\n[population]'),
        ('name = "clinic"', 'name = "clinic"\nneighbours = "replace"'),
        ("epsilon = 10.0", "epsilon = 20.0"),
        ('release_after = "50ms"', 'release_after = "1ms"'),
        ("[tables.visits.columns]", '[tables.more]\nsource = "visits.parquet"\n[tables.visits.columns]'),
    ],
)
def test_what_a_promise_rests_on_cannot_be_changed_from_a_browser(door, old, new):
    before = policy_of(door)
    with httpx.Client(base_url=door.url, follow_redirects=True, timeout=30) as client:
        client.post("/console/sign-in", data={"token": door.tokens["carol"]})
        page = client.get("/console/policy").text
        sent = {name: page.split(f'name="{name}" value="')[1].split('"')[0] for name in ("form", "based")}
        text = Path(before.origin).read_text()
        assert old in text
        found = client.post("/console/policy", data={**sent, "text": text.replace(old, new), "reason": "I would"})
    assert found.status_code == 400
    assert 'role="alert"' in found.text
    assert policy_of(door) == before
    assert Path(before.origin).read_text() == text


def test_a_policy_with_problems_is_not_adopted_and_says_them_while_typing(person, door):
    carol, before = person("carol"), policy_of(door)
    changed(carol, "contribution = 2", "contribution = -2")
    carol.page.wait_for_selector("#considered:has-text('tables.visits.contribution')")
    carol.page.fill("#reason", "a slip")
    carol.page.click("text=Adopt it")
    carol.page.wait_for_selector("[role=alert]")
    assert policy_of(door) == before


def test_form_and_text_stay_in_step(person, door):
    carol, before = person("carol"), policy_of(door)
    carol.page.goto("/console/policy")
    field = carol.page.get_by_label("rows of one person that count, at most")
    assert field.input_value() == "2"
    field.fill("3")
    carol.page.wait_for_function("() => document.querySelector('#text').value.includes('contribution = 3')")
    carol.page.wait_for_selector("#considered:has-text('contribution')")
    text = carol.page.input_value("#text")
    assert "# for her study" in text
    carol.looks("the policy")
    carol.page.fill("#text", text.replace("contribution = 3", "contribution = 4"))
    carol.page.wait_for_function("() => [...document.querySelectorAll('#fields input')].some(one => one.value === '4')")
    nasty = "<img src=x onerror=window.broken=1>"
    carol.page.get_by_label("name", exact=True).fill(nasty)
    carol.page.wait_for_selector("#considered .refusal")
    carol.page.wait_for_function("() => document.querySelector('#text').value.includes('onerror')")
    assert carol.page.evaluate("window.broken") is None
    assert policy_of(door) == before


def test_without_scripts_the_form_is_written_into_the_text_before_anything_is_adopted(door):
    before = policy_of(door)
    with httpx.Client(base_url=door.url, follow_redirects=True, timeout=30) as client:
        client.post("/console/sign-in", data={"token": door.tokens["carol"]})

        def fields(page):
            found = re.findall(
                r'<(?:input|textarea)[^>]*name="([^"]+)"(?:[^>]*value="([^"]*)")?[^>]*>(?:\n?([^<]*)</t)?', page
            )
            return {name: html.unescape(value or inner) for name, value, inner in found}

        sent = fields(client.get("/console/policy").text)
        (weight,) = [name for name, value in sent.items() if name.startswith("field") and value == "2"]
        changed = {**sent, weight: "5", "reason": "more rows"}
        shown = client.post("/console/policy", data=changed)
        assert "stands in the text now" in shown.text
        assert "contribution = 5" in fields(shown.text)["text"]
        assert policy_of(door) == before
        both = client.post("/console/policy", data={**changed, "text": sent["text"] + "\n# other"})
        assert "out-of-step" in both.text
        found = client.post("/console/policy", data={**fields(shown.text), "reason": "more rows"})
        assert "Adopted" in found.text, found.text.split('role="alert"')[1][:300]
    assert policy_of(door).tables["visits"].contribution == 5


def test_what_was_changed_on_the_machine_and_not_adopted_is_said_and_never_swept_in(person, door):
    origin, before = Path(policy_of(door).origin), policy_of(door)
    text = origin.read_text()
    carol = person("carol")
    try:
        origin.write_text(text.replace("[analysts.bob]\nepsilon = 1.0", "[analysts.bob]\nepsilon = 9.0"))
        carol.page.goto("/console/policy")
        assert "changed on the machine" in carol.page.inner_text("main")
        assert "bob" in carol.page.inner_text("#considered")

        async def granted():
            alice, custody = (
                await door.service.entrance.by_token(door.tokens["alice"], "console"),
                await custodian(door),
            )
            await alice.ask_for_more("more", "a study")
            request = (await custody.session.requests())[0].entry
            found = await asyncio.gather(custody.reply(request, "fine", "1.5"), return_exceptions=True)
            await custody.reply(request, "not now", None)
            return found

        (refused,) = door.do(granted)
        assert refused.code == "not-adopted"
        changed = text.replace('release_after = "50ms"', 'release_after = "1ms"')
        origin.write_text(changed)

        async def adopted():
            custody = await custodian(door)
            wanted = changed.replace("epsilon = 10.0", "epsilon = 9.5")
            return await asyncio.gather(custody.amend(wanted, "less", digest_of_text(changed)), return_exceptions=True)

        (refused,) = door.do(adopted)
        assert refused.code == "not-from-here"
        assert policy_of(door) == before
    finally:
        origin.write_text(text)


def test_an_analyst_asks_for_more_and_the_custodian_grants_it_with_a_reason(person, door):
    alice, carol = person("alice"), person("carol")
    alice.page.goto("/console/budget")
    alice.page.fill("input[name=wanted]", "ε 3 in all")
    alice.page.fill("input[name=reason]", "a second <b>study</b>")
    alice.page.click("text=Send the request")
    alice.page.wait_for_selector("main:has-text('Waits')")
    carol.page.goto("/console/policy")
    assert "alice asks for more" in carol.page.inner_text("main")
    carol.page.click("main >> text=Answer")
    assert "a second <b>study</b>" in carol.page.inner_text("main")
    carol.page.fill("input[name=share]", "3")
    carol.page.fill(".request input[name=reason]", "it is worth it")
    carol.page.click("text=Grant")
    carol.page.wait_for_selector("main:has-text('Granted: it is worth it')")
    alice.page.reload()
    assert "it is worth it" in alice.page.inner_text("main")
    assert float(policy_of(door).analysts["alice"].epsilon) == 3
    assert "# for her study" in Path(policy_of(door).origin).read_text()
    kinds = [entry.kind for entry in door.service.populations["clinic"].curator.history()]
    assert {"requested", "replied", "adopted"} <= set(kinds)
    assert door.service.populations["clinic"].curator.ledger.verify() == len(kinds)


def test_a_request_is_declined_with_a_reason_and_answered_once(person, door):
    bob, carol = person("bob"), person("carol")
    bob.page.goto("/console/budget")
    bob.page.fill("input[name=reason]", "just because")
    bob.page.click("text=Send the request")
    carol.page.goto("/console/people")
    place = carol.page.get_attribute(".request form", "action")
    form = carol.page.input_value(".request input[name=form]")
    carol.page.fill(".request input[name=reason]", "that is no reason")
    carol.page.press(".request input[name=reason]", "Enter")  # says neither yes nor no
    assert carol.page.locator(".request form").count() == 1
    carol.page.click("text=Decline")
    carol.page.wait_for_selector("main:has-text('Declined: that is no reason')")
    again = carol.context.request.post(place, form={"form": form, "reason": "again", "answer": "decline"})
    assert again.status == 400
    assert "unknown-request" in again.text()
    assert float(policy_of(door).analysts["bob"].epsilon) == 1


async def custodian(door):
    return Custody(await door.service.entrance.by_token(door.tokens["carol"], "console"))


def test_of_two_who_change_the_same_policy_at_once_one_is_told(door):
    text = Path(policy_of(door).origin).read_text()
    bounds = text.split("bounds = ")[1].split(" }")[0]

    async def both():
        carol, based = await custodian(door), digest_of_text(text)
        changes = [carol.amend(text.replace(bounds, f"[0, {high}]"), "both at once", based) for high in (80, 81)]
        return await asyncio.gather(*changes, return_exceptions=True)

    found = dict(zip((80, 81), door.do(both), strict=True))
    (told,) = [high for high, words in found.items() if isinstance(words, Refused)]
    assert found.pop(told).code == "policy-moved"
    ((high, words),) = found.items()
    assert any(str(high) in line for line in words)
    assert policy_of(door).tables["visits"].columns["age"].high == high


def test_a_request_that_was_answered_gives_no_second_share(door):
    async def twice():
        alice, carol = await door.service.entrance.by_token(door.tokens["alice"], "console"), await custodian(door)
        await alice.ask_for_more("more", "a third study")
        request = (await carol.session.requests())[0].entry
        await carol.reply(request, "once", "4")
        return await asyncio.gather(carol.reply(request, "twice", "9"), return_exceptions=True)

    (refused,) = door.do(twice)
    assert refused.code == "unknown-request"
    assert float(policy_of(door).analysts["alice"].epsilon) == 4


def test_what_has_become_dearer_since_its_price_was_shown_is_not_paid(door):
    origin, sql = Path(policy_of(door).origin), "SELECT MAX(age) AS oldest FROM visits"
    with httpx.Client(base_url=door.url, follow_redirects=True, timeout=30) as client:
        client.post("/console/sign-in", data={"token": door.tokens["alice"]})
        sent = {"sql": sql, "form": client.get("/console/ask").text.split('name="form" value="')[1].split('"')[0]}

        def ask(page):
            return client.post("/console/ask", data={**sent, "priced": page.split('"priced" value="')[1].split('"')[0]})

        cheap, before = client.post("/console/ask/price", data=sent).text, door.spent()
        text = origin.read_text()

        async def dearer():
            changed = text.replace("per_question = 0.5", "per_question = 0.75")
            await (await custodian(door)).amend(changed, "more exactly", digest_of_text(text))

        door.do(dearer)
        dear = ask(cheap).text
        assert "Ask, for ε 0.75" in dear
        assert door.spent() == before
        assert "/answers/" in str(ask(dear).url)
        for _ in range(200):  # until the answer has left
            if "for free" in (free := client.post("/console/ask/price", data=sent).text):
                break
            time.sleep(0.05)
        paid, rows = door.spent(), origin.parent / "visits.parquet"
        pq.write_table(pq.read_table(rows).slice(1), rows)  # from now on the answer is another
        again = ask(free).text
        assert "Ask, for ε 0.75" in again
        assert door.spent() == paid == before + 0.75


def test_a_token_is_given_shown_once_and_ended(person, door):
    carol, dora = person("carol"), person()
    carol.page.goto("/console/people")
    carol.page.fill("input[name=name]", "dora")
    carol.page.select_option("select[name=role]", "reviewer")
    carol.page.fill("form.bar input[name=own]", door.tokens["carol"])
    carol.page.click("text=Give a token")
    door.tokens["dora"] = carol.page.inner_text("#secret")
    dora.sign_in("dora")
    carol.page.goto("/console/people")
    assert door.tokens["dora"] not in carol.page.content()
    carol.page.fill("[action$='/end'] input[name=own]", door.tokens["carol"])
    carol.page.press("[action$='/end'] input[name=own]", "Enter")  # says nothing of whose
    assert carol.page.locator("#ended").count() == 0
    carol.page.click("[aria-label='End it: the token of dora']")
    carol.page.wait_for_selector("#ended:has-text('revoked')", state="attached")
    assert "sign-in" in dora.page.goto("/console/ledger").url


def test_a_reviewer_filters_verifies_and_exports_the_ledger(person, door):
    door.service.populations["clinic"].curator.ask(BY_REGION, analyst="bob", epsilon=0.01)
    rene = person("rene")
    rene.page.goto("/console/ledger?kind=charged")
    assert "SELECT region" in rene.page.inner_text("main")
    rene.page.goto("/console/ledger?kind=charged&since=2999-01-01")
    assert "No entry is like that" in rene.page.inner_text("main")
    rene.page.goto("/console/ledger?kind=charged")
    with rene.page.expect_download() as kept:
        rene.page.click("text=Export")
    lines = kept.value.path().read_text().splitlines()
    assert json.loads(lines[0])["kind"] == "created"
    rene.page.click("text=Verify all of it")
    rene.page.wait_for_selector("text=The ledger holds")
    assert rene.page.inner_text("#head") == json.loads(lines[-1])["head"]["digest"]


def test_a_ledger_that_does_not_hold_is_said_to_the_reviewer(person, door, monkeypatch):
    def broken(*_args):
        raise Refused("ledger-changed", "Entry 3 is not what it was.", "Keep what there is.")

    monkeypatch.setattr(type(door.service.populations["clinic"].curator.ledger), "verify", broken)
    rene = person("rene")
    rene.page.goto("/console/ledger")
    rene.page.click("text=Verify all of it")
    rene.page.wait_for_selector("text=The ledger does not hold")
    assert "Entry 3 is not what it was" in rene.page.inner_text("[role=alert]")


def test_a_reviewer_comes_from_a_charge_to_its_proof_and_to_the_audits(person, door):
    door.service.populations["clinic"].curator.ask(BY_REGION, analyst="bob", epsilon=0.02)
    rene = person("rene")
    rene.page.goto("/console/ledger?kind=charged")
    rene.page.click("td a:has-text('Laplace') >> nth=0")
    assert "differentially private" in rene.page.inner_text("article")
    rene.looks("a proof")
    rene.page.click("article a:has-text('sampling') >> nth=0")
    assert rene.page.url.endswith("/proofs/sampling")
    rene.page.click("text=Proofs and audits")
    assert "deniable audit laplace" in rene.page.inner_text("main")
    rene.looks("proofs and audits")
    rene.page.click("text=Why believe it")
    assert "planted" in rene.page.inner_text("article")
    for place in ("nothing", "..%2F..%2Fpyproject", "%2Fetc%2Fpasswd", "Laplace"):
        assert rene.status(f"/console/proofs/{place}") == 404


def test_a_custodian_sees_how_the_server_fares(person):
    carol = person("carol")
    carol.page.goto("/console/people")
    carol.page.goto("/console/activity")
    assert "Every charge has its answer" in carol.page.inner_text("main")
    assert "requests" in carol.page.inner_text("main")
