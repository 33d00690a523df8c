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
OFFERED = {"excel", "learn", "pandas", "pld", "plot", "polars", "postgres", "scipy", "serve", "spark"}
"""The extras that people choose from; the others are for those who change the project."""
USAGE = 2
MOST = 350
"""What an installation takes, in MB, as du -m counts."""
WITHOUT_EXTRAS = """
import sys
EXTRAS = {"scipy", "sqlalchemy", "pandas", "polars", "matplotlib", "sklearn", "fastapi", "psycopg", "httpx", "uvicorn"}
class Hidden:
    def find_spec(name, *_):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden)
from deniable.apps.cli import main
main()
"""


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


def test_a_container_forgets_no_account() -> None:
    lines = (ROOT / "Containerfile").read_text()
    (folder,) = re.findall(r"-v \./clinic:(\S+)", lines)
    (kept,) = re.findall(r"DENIABLE_STATE=(\S+)", lines)
    assert Path(kept).is_relative_to(folder)


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    package = ROOT / "src"
    files = {path.relative_to(package).as_posix() for path in (package / "deniable").rglob("*") if path.is_file()}
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in files if "__pycache__" not in name} <= inside
    proofs = {f"deniable/proofs/{path.name}" for path in (ROOT / "docs/proofs").glob("*.md")}  # shown in the console
    assert proofs | {"deniable/proofs/trust.md"} <= inside


def test_the_unpacked_wheel_works_without_extras(wheel: Path, tmp_path: Path) -> None:
    """The fast version: with what is required of this environment, and none of the repository's files."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "package")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "package"), "DENIABLE_STATE": str(tmp_path / "state")}
    program = "import sys, deniable; print(deniable.__file__, *sys.modules)"
    place, *loaded = run([sys.executable, "-c", program], tmp_path, environment).split()
    assert place.startswith(str(tmp_path))
    assert not {"numpy", "scipy", "pyarrow", "duckdb", "sqlglot", "sqlalchemy"} & set(loaded)
    alone = [sys.executable, "-c", WITHOUT_EXTRAS]
    assert "reconstruct" in run([*alone, "attack", "list"], tmp_path, environment)
    assert "audit passed" in run([*alone, "demo"], tmp_path, environment)
    for words, extra in ((["attack", "reconstruct"], "scipy"), (["serve", "--demo"], "serve")):
        refused = subprocess.run([*alone, *words], cwd=tmp_path, env=environment, capture_output=True)  # noqa: PLW1510
        assert refused.returncode == USAGE
        assert refused.stderr.startswith(b"error: ")
        assert f"pip install 'deniable[{extra}]'".encode() in refused.stderr


@pytest.mark.deep
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_wheel_alone_in_an_empty_environment(version: str, wheel: Path, tmp_path: Path) -> None:
    """As a stranger has it: installed with what it asks for, then the demo, the attacks and a served clinic."""
    python = at_hand(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    run([python, "-m", "venv", "empty"], tmp_path)
    programs = tmp_path / "empty" / "bin"
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DENIABLE_STATE": str(tmp_path / "state")}
    pip = {**os.environ, **home}
    run([str(programs / "pip"), "install", "--quiet", str(wheel)], tmp_path, pip)
    run([str(programs / "pip"), "uninstall", "--quiet", "--yes", "setuptools"], tmp_path, pip)
    size, _ = run(["du", "-sm", "--exclude=pip", "empty/lib"], tmp_path).split()
    assert int(size) < MOST
    tool = str(programs / "deniable")
    assert "audit passed" in run([tool, "demo"], tmp_path, home)
    assert "reconstruct" in run([tool, "attack", "list"], tmp_path, home)
    for words in (["audit", "laplace", "--epsilon", "1"], ["profile", "clinic/clinic.toml", "--rho", "0.001"]):
        run([tool, *words], tmp_path, home)
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


def at_hand(version: str) -> str | None:
    """A Python of this version that starts: on the path, or one that pyenv keeps and has not put there."""
    kept = Path.home().glob(f".pyenv/versions/{version}*/bin/python")
    for python in (shutil.which(f"python{version}"), *map(str, kept)):
        if python and not subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
            return python
    return None


def run(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints, if it ends well."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout
