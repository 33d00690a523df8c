"""The notebooks of the site run, and hold no results: whoever opens one makes their own noise."""

import ast
import json
import warnings
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))

every_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[notebook.stem for notebook in NOTEBOOKS])


def cells(notebook: Path) -> list[dict[str, object]]:
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


@every_notebook
def test_no_result_is_kept(notebook: Path) -> None:
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells(notebook))


@every_notebook
def test_every_cell_runs_and_what_ends_it_can_be_shown(notebook: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells(notebook):
        tree = ast.parse("".join(cell["source"]))
        shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            exec(compile(tree, notebook.name, "exec"), names)  # noqa: S102 - our own cells
            if shown is not None:
                value = eval(compile(ast.Expression(shown.value), notebook.name, "eval"), names)  # noqa: S307 - same
                assert repr(value)
