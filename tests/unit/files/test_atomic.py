"""A file is written whole or not at all, whatever happens on the way."""

from __future__ import annotations

import ast
import os
import resource
import signal
import stat
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import whole, write

SOURCE = Path(__file__).parents[3] / "src" / "deniable"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_error_in_the_middle_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(KeyError), whole(path) as file:  # noqa: PT012 - what is tested is the end of the block
        file.write(b"half of the new o")
        file.flush()
        raise KeyError
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("page.html", "old")]


KILLED = """
import os, signal, sys
from deniable.files.atomic import whole
with whole(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_the_content_is_on_disk_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, steps = tmp_path / "page.html", []
    flushed, replaced = os.fsync, Path.replace

    def flush(opened: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(opened).st_mode) else f"{os.fstat(opened).st_size} bytes")
        flushed(opened)

    def replace(one: Path, other: Path) -> Path:
        steps.append(f"named {other.name}")
        return replaced(one, other)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(Path, "replace", replace)
    write(path, "whole")
    assert steps == ["5 bytes", "named page.html", "folder"]


def _too_large(path: Path) -> None:
    """A limit on the size of files stands in for a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        write(path, bytes(1 << 20))
    except InvalidArgumentError as error:
        os._exit(7 if "output could not be written to" in str(error) else 8)
    os._exit(9)


def test_on_a_full_disk_the_old_file_stays_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    writer = get_context("spawn").Process(target=_too_large, args=(path,))
    writer.start()
    writer.join()
    assert writer.exitcode == 7
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("page.html", "old")]


def _write_often(path: Path, letter: str) -> None:
    for _ in range(30):
        write(path, letter * 100_000)


def test_two_writers_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write(path, "a" * 100_000)
    writers = [get_context("spawn").Process(target=_write_often, args=(path, letter)) for letter in "ab"]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        text = path.read_text()
        assert len(text) == 100_000
        assert len(set(text)) == 1
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_new_file_takes_no_place_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    write(path, "mine", new=True)
    with pytest.raises(InvalidArgumentError, match=r"^output .*policy.toml exists already"):
        write(path, "yours", new=True)
    other = tmp_path / "other.toml"
    with pytest.raises(FileExistsError), whole(other, new=True) as file:  # noqa: PT012 - same
        file.write(b"yours")
        other.write_text("mine")  # somebody else was faster
    assert sorted((one.name, one.read_text()) for one in tmp_path.iterdir()) == [
        ("other.toml", "mine"),
        ("policy.toml", "mine"),
    ]


def test_a_new_file_needs_no_second_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(one: Path, other: Path) -> None:
        raise PermissionError(one, other)

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / "policy.toml"
    write(path, "mine", new=True)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("policy.toml", "mine")]
    other = tmp_path / "other.toml"
    with pytest.raises(FileExistsError), whole(other, new=True):
        other.write_text("mine")
    assert other.read_text() == "mine"


def test_a_missing_folder_and_one_that_is_a_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in ("no/page.html", "file/page.html"):
        with pytest.raises(InvalidArgumentError, match=rf"^plot could not be written to .*{place}"):
            write(tmp_path / place, "x", "plot")
    with pytest.raises(InvalidArgumentError, match="could not be written"):
        write(tmp_path, "x")


def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    usual = tmp_path / "usual"
    usual.write_text("")
    write(path, "first")
    assert mode(path) == mode(usual)
    path.chmod(0o640)
    write(path, "second")
    assert mode(path) == 0o640
    with whole(path, private=True) as file:
        file.write(b"third")
    assert mode(path) == 0o600


def test_a_link_is_followed_and_a_device_is_not_replaced(tmp_path: Path) -> None:
    path, link = tmp_path / "page.html", tmp_path / "latest.html"
    path.write_text("old")
    link.symlink_to(path)
    write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    write("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


def test_one_writer_only() -> None:
    """Nobody else moves a finished file to its place, or makes a name for an unfinished one."""
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text())
        trees = "sqlglot" in ast.unparse(tree)  # whose nodes replace each other
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                one_place = node.func.attr == "replace" and len(node.args) == 1 and not node.keywords and not trees
                called = ast.unparse(node.func)
                moves = {"os.replace", "os.rename", "os.link", "shutil.move", "tempfile.mkstemp"}
                if one_place or called in moves or called.endswith(("NamedTemporaryFile", ".rename", ".hardlink_to")):
                    found.append(f"{file.relative_to(SOURCE)}: {called}")
    assert sorted(found) == ["files/atomic.py: beside.replace", "files/atomic.py: target.hardlink_to"]
