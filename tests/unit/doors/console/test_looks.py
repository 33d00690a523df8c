"""Every page, for everybody: WCAG AA by axe, dark and light, on small and large screens, by keyboard, and light."""

import gzip
from pathlib import Path

import pytest

from deniable.doors.console.pages import STATIC
from tests.support.served import BY_REGION

PAGES = {
    "alice": ("ask", "history", "budget", "data"),
    "carol": ("people", "activity", "ledger", "budget"),
    "rene": ("epochs",),
}
WIDTHS = (360, 1024, 2560)
MOST = 400_000
"""Bytes that a page loads, packed."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_barrier_or_is_wider_than_the_window(person, scheme):
    alice = person("alice", color_scheme=scheme)
    alice.ask(BY_REGION, "")
    looked(alice, "the answer")
    alice.page.goto("/console/ask")
    alice.write("SELECT AVG(agee) FROM visits").page.wait_for_selector("[data-refusal]")
    looked(alice, "a refusal")
    for name, pages in PAGES.items():
        someone = alice if name == "alice" else person(name, color_scheme=scheme)
        for page in pages:
            assert someone.status(f"/console/{page}") == 200
            looked(someone, page)
    stranger = person(color_scheme=scheme)
    stranger.page.goto("/console/")
    looked(stranger, "the entrance")


def looked(someone, page):
    """At the page, in every width."""
    for width in WIDTHS:
        someone.page.set_viewport_size({"width": width, "height": 900})
        wide = someone.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{page} is {wide} wide in a window of {width}"
    assert someone.barriers() == [], page


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
