"""Tests of a tree, in a process that has loaded all libraries already and nothing of the tree: that saves time.

The process is a fork of this one, which must therefore never import the program itself.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

PATIENCE = 240
"""Seconds for one run of tests: a bug that makes one wait forever is noticed, too."""
_LIBRARIES = ("numpy", "scipy.stats", "pyarrow.parquet", "pyarrow.compute", "duckdb", "sqlglot")


class _First:
    """Hears of the first test that fails, or of a file that cannot even be read."""

    failed: str | None = None

    def pytest_configure(self) -> None:
        """That a test fails is enough: no shorter example is looked for."""
        from hypothesis import Phase, settings  # noqa: PLC0415 - pytest must be the first to load it

        settings.register_profile("planted", phases=[Phase.explicit, Phase.generate], database=None)
        settings.load_profile("planted")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid.partition("[")[0]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid


def first_failing(root: Path, target: str) -> str | None:
    """The first test below `tests/target` that fails; None if all pass.

    Raises:
        RuntimeError: there is no such test, so the list is out of date.
    """
    for name in _LIBRARIES:
        import_module(name)
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(there)
        _child(root, target, here)
    os.close(here)
    with os.fdopen(there) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    code = pytest.ExitCode.INTERNAL_ERROR if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    if code in {pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED}:
        raise RuntimeError(f"{target} cannot be run: {said}")
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}:
        return f"tests/{target.partition('::')[0]} (killed or without end)"
    return said or None


def _child(root: Path, target: str, here: int) -> None:
    """Run and never return. Workers are told by the environment where the program is."""
    signal.alarm(PATIENCE)
    code = 70
    try:
        os.chdir(root)
        sys.path[:] = [
            str(root / "src"),
            str(root),
            *(path for path in sys.path if "site-packages" in path or "lib" in path),
        ]
        os.environ["PYTHONPATH"] = os.pathsep.join([str(root / "src"), str(root)])
        for name in [name for name in sys.modules if name.partition(".")[0] in {"tests", "deniable", "conftest"}]:
            del sys.modules[name]
        invalidate_caches()
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        heard = _First()
        code = pytest.main(["-x", "-q", "--tb=no", "-p", "no:cacheprovider", f"tests/{target}"], plugins=[heard])
        os.write(here, (heard.failed or "").encode())
    finally:
        os._exit(int(code))
