"""docs/architecture.md is true: what a way names exists and is called from where it is drawn; no room is missing."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/deniable"
PAGE = (ROOT / "docs/architecture.md").read_text()
STOP = re.compile(r"^ ?(?P<number>\d+)(?P<depth> +)(?P<file>[\w/]+\.py)  (?P<name>[\w.]+)(?=  |$)")
WAYS = ["A question", "A workload", "A synthetic table", "A model", "An anonymized table", "A survey", "An attack"]
HOPS = 12

every_way = pytest.mark.parametrize("title", WAYS)


@dataclass(frozen=True)
class Stop:
    """One line of a drawing."""

    number: int
    depth: int
    file: str
    name: str


def way(title: str) -> list[Stop]:
    """The stops of a way, in the order of the page."""
    (drawing,) = re.findall(rf"^## {title}\n.*?^```text\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    stops = []
    for line in filter(str.strip, drawing.splitlines()):
        found = STOP.match(line)
        assert found, f"not a stop: {line!r}"
        stops.append(Stop(int(found["number"]), len(found["depth"]), found["file"], found["name"]))
    return stops


@cache
def tree(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_text())


def defined(file: str) -> set[str]:
    """The functions and classes of a file, and what classes hold as Class.name."""
    found = set()
    for node in tree(file).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
            fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
            found |= {f"{node.name}.{field.id}" for field in fields if isinstance(field, ast.Name)}
    return found


def used(file: str) -> set[str]:
    """Every name that the code of a file uses, and what it calls things that it imports."""
    nodes = list(ast.walk(tree(file)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return names | attributes | imported


def test_every_way_of_the_page_is_checked() -> None:
    titles = re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    assert titles == [*WAYS, "The rooms"]


@every_way
def test_everything_on_a_way_exists(title: str) -> None:
    for stop in way(title):
        assert (SOURCE / stop.file).is_file(), stop
        assert stop.name in defined(stop.file), stop


@every_way
def test_no_way_has_more_than_twelve_hops(title: str) -> None:
    numbers = [stop.number for stop in way(title)]
    assert numbers == list(range(len(numbers)))
    assert 0 < numbers[-1] <= HOPS


@every_way
def test_every_stop_is_called_from_where_it_is_drawn(title: str) -> None:
    stops = way(title)
    for place, stop in enumerate(stops):
        callers = [earlier for earlier in stops[:place] if earlier.depth < stop.depth]
        if callers:
            assert stop.name.split(".")[-1] in used(callers[-1].file), f"{callers[-1].file} knows no {stop.name}"
        else:
            assert stop.file.startswith("apps/"), f"{stop} is called by nobody"


def test_every_room_is_in_the_table_once() -> None:
    table = re.findall(r"^\| `([\w/]+)` \| .+ \|$", PAGE, flags=re.MULTILINE)
    rooms = [str(path.parent.relative_to(SOURCE)) for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE]
    assert sorted(table) == sorted(rooms)


def test_the_layers_are_those_that_are_checked() -> None:
    (drawn,) = re.findall(r"^```text\n(apps\n.*?)```", PAGE, flags=re.MULTILINE | re.DOTALL)
    (checked,) = re.findall(
        r'^containers = \["deniable"\].*?^layers = \[\n(.*?)^\]',
        (ROOT / "pyproject.toml").read_text(),
        flags=re.MULTILINE | re.DOTALL,
    )
    there = {str(path.parent.name) for path in SOURCE.glob("*/__init__.py")}
    layers = [[room for room in re.findall(r"\w+", line) if room in there] for line in checked.splitlines()]
    assert [re.findall(r"\w+", line) for line in drawn.splitlines()] == layers
