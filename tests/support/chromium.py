"""A real browser in which a person uses the console: one for all tests of a module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import installed
from tests.support.doors import Opened

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = Path(__file__).parent / "assets/axe.min.js"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
"""What axe holds a page to."""
WIDTHS = (360, 1024, 2560)
ANALYSTS = ("alice", "bob")


@contextmanager
def browsing() -> Iterator[Any]:
    """The browser; where there is none, tests that need it are skipped, and fail under CI."""
    program = installed()
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no chromium: install it for the tests of the console")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - which is slow to load

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


class Person:
    """Somebody at a page. Whatever the page complains of is kept: a script that was stopped, a file that is missing."""

    def __init__(self, browser: Any, door: Opened, **settings: Any) -> None:
        self.door = door
        self.context = browser.new_context(base_url=door.url, **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)  # a machine may be busy
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, said: Any) -> None:
        """A price that was on its way when the page was left is no complaint."""
        if said.type == "error" and not said.text.startswith("htmx:"):
            self.complaints.append(said.text)

    def come_in(self, name: str) -> Person:
        """With the token of this name, without the form: analysts are on their first page then, others on none yet."""
        self.context.request.post("/console/sign-in", form={"token": self.door.tokens[name]}, max_redirects=0)
        if name in ANALYSTS:
            self.page.goto("/console/ask")
        return self

    def sign_in(self, name: str) -> Person:
        """With the token of this name, as people do."""
        self.page.goto("/console/sign-in")
        self.page.fill("#token", self.door.tokens[name])
        self.page.click("button.primary")
        self.page.wait_for_selector(f"header .who:has-text('{name}')")
        return self

    def write(self, sql: str) -> Person:
        """Type a question into the editor, in place of what is there."""
        self.page.click(".cm-content")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(sql)
        return self

    def priced(self, sql: str, words: str = "Ask, for") -> Person:
        """Type it, and wait until the button says so."""
        self.write(sql)
        self.page.wait_for_selector(f"#ask:enabled:has-text('{words}')")
        return self

    def ask(self, sql: str, words: str = "Ask, for") -> str:
        """Type, see the price, pay, and read the answer."""
        self.priced(sql, words).page.click("#ask")
        self.page.wait_for_selector("#answer")
        return self.page.inner_text("#answer")

    def status(self, place: str) -> int:
        """Of a page that is opened."""
        return self.page.goto(place).status

    def barriers(self, rules: Any = RULES) -> list[str]:
        """What axe finds on the page, in words."""
        if not self.page.evaluate("typeof window.axe === 'object'"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("rules => axe.run(document, rules)", rules)["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]

    def looks(self, name: str) -> None:
        """At the page: no wider than any window, no barrier, and colours that can be told apart, light and dark."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} wide in a window of {width}"
        assert self.barriers() == [], name
        self.page.emulate_media(color_scheme="dark")
        assert (
            self.barriers({"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]})
            == []
        ), f"{name}, in the dark"
        self.page.emulate_media(color_scheme="light")

    def leave(self) -> None:
        """Close the browser's window, with everything that it remembers."""
        self.context.close()
