"""What is released works by itself: the wheel has all it needs, and a stranger's environment needs nothing else."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import deniable

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OFFERED = {"excel", "learn", "pandas", "pld", "plot", "polars", "postgres", "serve", "spark"}
"""The extras that people choose from; the others are for those who change the project."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    return Path(built)


def test_the_version_is_said_once_and_repeated_rightly() -> None:
    assert f"\nversion: {deniable.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## [{deniable.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_all_is_every_extra_that_people_choose_from() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(extras) == OFFERED | {"all", "bench", "bench-local", "docs", "test"}
    assert extras["all"] == [f"deniable[{','.join(sorted(OFFERED))}]"]


def test_every_extra_that_a_message_names_is_offered() -> None:
    for file in (ROOT / "src").rglob("*.py"):
        for names in re.findall(r"deniable\[([a-z,]+)\]", file.read_text()):
            assert set(names.split(",")) <= OFFERED, file


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    package = ROOT / "src"
    files = {path.relative_to(package).as_posix() for path in (package / "deniable").rglob("*") if path.is_file()}
    assert {name for name in files if "__pycache__" not in name} <= set(zipfile.ZipFile(wheel).namelist())


def test_the_unpacked_wheel_lists_its_attacks(wheel: Path, tmp_path: Path) -> None:
    """The fast version: with the libraries of this environment, and none of the repository's files."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "package")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "package")}
    program = "import sys, deniable; print(deniable.__file__, *sys.modules)"
    place, *loaded = run([sys.executable, "-c", program], tmp_path, environment).split()
    assert place.startswith(str(tmp_path))
    assert not {"numpy", "scipy", "pyarrow", "duckdb", "sqlglot", "sqlalchemy"} & set(loaded)
    assert "reconstruct" in run([sys.executable, "-m", "deniable", "attack", "list"], tmp_path, environment)


@pytest.mark.deep
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_wheel_alone_in_an_empty_environment(version: str, wheel: Path, tmp_path: Path) -> None:
    """As a stranger has it: installed with what it asks for, then the demo, the attacks and a served clinic."""
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"no Python {version} here")
    run([python, "-m", "venv", "empty"], tmp_path)
    programs = tmp_path / "empty" / "bin"
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DENIABLE_STATE": str(tmp_path / "state")}
    pip = {**os.environ, **home}
    run([str(programs / "pip"), "install", "--quiet", str(wheel)], tmp_path, pip)
    assert "audit passed" in run([str(programs / "deniable"), "demo"], tmp_path, home)
    assert "reconstruct" in run([str(programs / "deniable"), "attack", "list"], tmp_path, home)
    run([str(programs / "pip"), "install", "--quiet", f"{wheel}[serve]"], tmp_path, pip)
    with subprocess.Popen(
        [str(programs / "deniable"), "serve", "--demo", "--http", "0", "--pg", "0"],
        cwd=tmp_path,
        env={**home, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            said = ""
            while "serving clinic" not in said:
                said += server.stdout.readline()
            host, port = re.search(r"HTTP: ([\w.]+), port (\d+)", said).groups()
            with urllib.request.urlopen(f"http://{host}:{port}/healthz", timeout=30) as answer:
                assert answer.status == 200
        finally:
            server.send_signal(signal.SIGTERM)


def run(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints, if it ends well."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout
