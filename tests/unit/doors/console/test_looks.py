"""Every page, for everybody: WCAG AA by axe, dark and light, on small and large screens, by keyboard, and light."""

import gzip
from pathlib import Path

from deniable.doors.console.pages import STATIC
from tests.support.served import BY_REGION

PAGES = {
    "alice": ("history", "budget", "data"),
    "carol": (
        "people",
        "activity",
        "ledger",
        "budget",
        "releases",
        "releases/new/profile",
        "releases/new/synthetic",
        "releases/new/anonymized",
    ),
    "rene": ("epochs",),
}
MOST = 400_000
"""Bytes that a page loads, packed."""


def test_no_page_has_a_barrier_or_is_wider_than_the_window(person):
    alice = person("alice")
    alice.ask(BY_REGION, "")
    alice.looks("the answer")
    alice.page.goto("/console/ask")
    alice.write("SELECT AVG(agee) FROM visits").page.wait_for_selector("[data-refusal]")
    alice.looks("a refusal")
    for name, pages in PAGES.items():
        someone = alice if name == "alice" else person(name)
        for page in pages:
            assert someone.status(f"/console/{page}") == 200
            someone.looks(page)
        if name == "rene":
            someone.page.goto("/console/ledger")
            someone.page.click("text=Verify all of it")
            someone.page.wait_for_selector("text=The ledger holds")
            someone.looks("verified")
    alice.page.goto("/console/nothing")
    alice.looks("a page that is not there")
    stranger = person()
    stranger.page.goto("/console/")
    stranger.looks("the entrance")


def test_a_question_is_asked_by_keyboard_alone(person):
    alice = person("alice")
    alice.page.keyboard.press("Tab")
    assert alice.page.evaluate("document.activeElement.textContent") == "Skip to the content"
    alice.page.focus(".cm-content")
    alice.page.keyboard.type("SELECT COUNT(*) AS by_keys FROM visits WHERE age > 30")
    alice.page.wait_for_selector("#ask")
    alice.page.keyboard.press("Control+Enter")
    alice.page.wait_for_selector("#answer")
    assert "by_keys" in alice.page.inner_text("#answer")


def test_the_editor_completes_the_names_of_the_policy(person):
    alice = person("alice")
    alice.page.focus(".cm-content")
    alice.page.keyboard.type("SELECT COUNT(*) FROM vis")
    alice.page.wait_for_selector(".cm-tooltip-autocomplete li:has-text('visits')")


def test_all_that_a_page_loads_is_small_and_from_here(person, door):
    packed = sum(len(gzip.compress(file.read_bytes())) for file in Path(STATIC).iterdir() if file.suffix != ".txt")
    assert packed < MOST
    alice = person()
    asked = []
    alice.page.on("request", lambda request: asked.append(request.url))
    alice.sign_in("alice").ask(BY_REGION, "")
    assert asked
    assert all(url.startswith(door.url) for url in asked)
