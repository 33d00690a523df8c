"""The documentation is true: links lead somewhere, what exists is documented, what is named exists, examples run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from deniable import mechanisms
from deniable.apps.cli import app
from deniable.apps.plan.commands import app as plan

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
THEOREMS = ROOT / "docs" / "theorems.md"

every_page = pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def headings(page: Path) -> set[str]:
    """The places within a page that a link may point to, named as code hosts name them."""
    titles = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@every_page
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, place = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not place or place in headings(file), f"{page.name} links to {target}"


@every_page
def test_no_page_knows_a_machine(page: Path) -> None:
    found = re.search(
        r"(?<![\w.])/(home|root|Users|work|tmp|opt|usr|var|mnt)/|[A-Z]:\\\\|localhost|\b127\.0\.0\.1", page.read_text()
    )
    assert found is None, found


@every_page
def test_code_blocks_are_closed(page: Path) -> None:
    assert len(re.findall(r"^```", page.read_text(), flags=re.MULTILINE)) % 2 == 0


# ---------------------------------------------------------------------------------------------- the command line


def commands(command: typer.core.TyperGroup, words: tuple[str, ...] = ("deniable",)) -> Iterator[str]:
    """Every command that does something, as it is typed."""
    context = typer.Context(command)
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if hasattr(child, "list_commands"):
            yield from commands(child, (*words, name))
        elif not child.hidden:
            yield " ".join((*words, name))


@pytest.mark.parametrize("command", list(commands(get_command(app))))
def test_every_command_is_documented(command: str) -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    assert re.search(rf"{command}\b", text), f"no page shows `{command}`"


@pytest.mark.parametrize("command", [one for one in commands(get_command(app)) if " attack " not in one])
def test_the_page_of_commands_has_every_command(command: str) -> None:
    assert f"| `{command}` |" in (ROOT / "docs/cli.md").read_text()


def shown() -> list[tuple[str, str]]:
    """The commands on the page about planning, each with the output that is printed below it."""
    blocks = re.findall(
        r"^```console\n\$ (.+?)\n(.*?)^```", (ROOT / "docs/plan.md").read_text(), re.MULTILINE | re.DOTALL
    )
    return [(command, output) for command, output in blocks if output]


@pytest.mark.parametrize(("command", "output"), shown(), ids=[command for command, _ in shown()])
def test_the_calculators_print_what_their_page_shows(command: str, output: str) -> None:
    result = CliRunner().invoke(plan, command.split()[2:], env={"COLUMNS": "100"})
    printed = [line.rstrip() for line in result.output.splitlines()]
    for line in output.splitlines():
        assert line in printed


# -------------------------------------------------------------------------------------------------- the mechanisms

MECHANISMS = sorted(set(mechanisms.__all__) - {"Mechanism"})


@pytest.mark.parametrize("page", ["docs/mechanisms.md", "docs/theorems.md"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_is_on_the_page(name: str, page: str) -> None:
    assert f"`{name}" in (ROOT / page).read_text()


# ------------------------------------------------------------------------------------------ from theorem to test


@cache
def names(path: Path) -> set[str]:
    """The functions and classes of a file, methods as Class.method."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
            found |= {
                f"{node.name}.{part.target.id}"
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            }
    return found


def rows() -> list[list[str]]:
    """The table: statement, reference, code, test."""
    lines = [line for line in THEOREMS.read_text().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize("row", rows(), ids=[row[0][:60] for row in rows()])
def test_every_theorem_has_a_reference_code_and_a_test_that_exists(row: list[str]) -> None:
    statement, reference, code, tests = row
    assert statement
    assert re.search(r"\d{4}|\]\(", reference), "a year, or a page"
    for name, path in re.findall(r"\[`([\w.]+)`\]\(\.\./([\w/.]+)\)", code):
        file = ROOT / path
        assert file.is_file()
        assert name in names(file), f"{path} has no {name}"
    assert tests
    for test in tests.split(", "):
        path, function = re.fullmatch(r"`(tests/[\w/]+\.py)::(\w+)`", test).groups()
        assert (ROOT / path).is_file(), path
        assert function in names(ROOT / path), test


def test_every_path_that_a_page_names_exists() -> None:
    for page in PAGES:
        for path in re.findall(r"\b((?:src|tests|docs|benchmarks)/[\w/.]+\.(?:py|md))\b", page.read_text()):
            assert (ROOT / path).exists(), f"{page.name} names {path}"


def test_every_path_that_the_code_names_exists() -> None:
    """A module is named by its path in the repository, in the package, or beside the file that names it."""
    for file in sorted((ROOT / "src").rglob("*.py")):
        for path in re.findall(r"(?<![\w/.*<])([\w/]+\.(?:py|md))\b", file.read_text()):
            homes = (ROOT, ROOT / "src/deniable", file.parent)
            assert any((home / path).exists() for home in homes), f"{file.relative_to(ROOT)} names {path}"
