"""One word, one idea: a public class name has one home in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2] / "src" / "deniable"


def homes(root: Path) -> dict[str, list[str]]:
    """Every public class that a module defines, and the modules that do."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(root).as_posix())
    return found


def test_a_public_class_name_has_one_home() -> None:
    found = homes(ROOT)
    assert {"Account", "Cap", "Curator", "Loss"} <= set(found)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_a_second_home_is_noticed(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Account: ...\nclass _Own: ...\n")
    assert homes(tmp_path) == {"Account": ["one.py", "other.py"]}
