"""Every attack keeps the contract: it says what it does, has a victim and a saviour, a command and a page."""

from __future__ import annotations

import re
from dataclasses import is_dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from deniable import attacks
from deniable.apps.attack.commands import app
from deniable.apps.attack.lecture import CHAPTERS
from deniable.attacks import Attack, defences
from deniable.attacks.defences import Defence

PAGES = Path(__file__).parents[2] / "docs" / "attacks"
KINDS = [getattr(attacks, name) for name in attacks.__all__ if name not in ("Attack", "Outcome")]
LABELS = ("Target", "Finds", "Confidence", "Cost", "Reference", "Example")
ABSTRACT = ("Defence", "Guard", "Publisher", "Recommender", "Synthesizer", "Trainer")

every_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


@every_kind
def test_the_docstring_has_every_label_in_order(kind: type[Attack]) -> None:
    found = [label for label in re.findall(r"^    (\w+):", kind.__doc__, re.MULTILINE) if label in LABELS]
    assert tuple(found) == LABELS
    assert re.search(r"Reference:.*?\d{4}", kind.__doc__, re.DOTALL)


@every_kind
def test_victim_and_saviour_are_among_the_defences(kind: type[Attack]) -> None:
    known = kind.defences(1)
    assert kind.victim in known
    assert kind.saviour in known
    assert kind.victim != kind.saviour
    assert all(name == defence.name and defence.says for name, defence in known.items())


@every_kind
def test_some_defence_promises_something_and_keeps_what_was_asked(kind: type[Attack]) -> None:
    promises = [defence.promise for defence in kind.defences("0.25").values() if defence.promise is not None]
    assert promises
    assert all(float(promise) == 0.25 for promise in promises)


@every_kind
def test_it_has_a_command_and_a_stop_on_the_tour(kind: type[Attack]) -> None:
    assert kind.name in {command.name for command in app.registered_commands}
    assert kind.name in {stop.attack.name for chapter in CHAPTERS for stop in chapter.stops}
    assert is_dataclass(kind)


@every_kind
def test_its_page_has_pictures_a_number_a_reference_and_what_stops_it(kind: type[Attack]) -> None:
    page = (PAGES / f"{kind.name}.md").read_text()
    for heading in ("How it works", "The number", "What the theory promises", "What stops it", "Run it", "Reference"):
        assert f"\n## {heading}\n" in page
    assert f"deniable attack {kind.name}" in page
    assert f"({kind.name}.md)" in (PAGES / "README.md").read_text()
    for role in ("victim", "stopped"):
        picture = PAGES / f"{kind.name}-{role}.svg"
        assert f"]({picture.name})" in page
        assert ET.parse(picture).getroot().tag.endswith("svg")  # noqa: S314 - our own file


@pytest.mark.parametrize("name", sorted(set(defences.__all__)))
def test_every_defence_is_on_the_page(name: str) -> None:
    kind = getattr(defences, name)
    if isinstance(kind, type) and issubclass(kind, Defence) and name not in ABSTRACT:
        assert f"`{kind.name}`" in (PAGES / "README.md").read_text()
        assert kind.__doc__
