"""A strategy that was kept is found again; a spoiled or planted file costs accuracy at most."""

import numpy as np
import pytest

from deniable.releases import Workload
from deniable.releases.linear import cache
from deniable.releases.linear.strategies import choose
from tests.support.workloads import line, noise


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DENIABLE_CACHE", str(tmp_path))
    return tmp_path


def designed():
    return choose("matrix", line(Workload.ranges("a"), 24), noise(rho=1))


def test_the_second_time_it_is_read(folder, monkeypatch):
    first = designed()
    monkeypatch.setattr("deniable.releases.linear.strategies.matrix.optimum", None)
    assert designed().digest == first.digest
    assert [file.suffix for file in (folder / "strategies").iterdir()] == [".npz"]


@pytest.mark.parametrize("spoiled", [b"", b"not a file of numbers", b"PK\x03\x04 half"])
def test_a_spoiled_file_is_found_again(folder, spoiled):
    first = designed()
    (file,) = (folder / "strategies").iterdir()
    file.write_bytes(spoiled)
    assert designed().digest == first.digest
    assert file.read_bytes() != spoiled


@pytest.mark.parametrize(
    "matrix",
    [np.full((24, 24), np.nan), np.zeros((24, 24)), np.full((24, 23), 0.1), np.full((24, 24), 1e9), np.ones(24)],
    ids=["nan", "zero", "narrow", "huge", "flat"],
)
def test_what_is_no_strategy_is_passed_over(folder, matrix):
    first = designed()
    (file,) = (folder / "strategies").iterdir()
    np.savez(file, matrix=matrix, bound=np.full((1, 1), 0.5))
    assert designed().digest == first.digest


def test_a_planted_strategy_is_paid_for_what_it_is(folder):
    """Columns longer than they should be: the noise grows with them, and so does the stated error."""
    honest = designed()
    (file,) = (folder / "strategies").iterdir()
    planted = np.tril(np.ones((24, 24)))
    np.savez(file, matrix=planted, bound=np.full((1, 1), 0.5))
    design = designed()
    (one,) = design.measurements
    columns = np.sqrt((planted**2).sum(axis=0)).max()
    assert float(one.mechanism.sensitivity) >= columns * (1 << 12) * one.block.scale
    assert design.total > honest.total


def test_nothing_is_kept_where_nothing_can_be(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DENIABLE_CACHE", str(tmp_path / "file"))
    assert designed().total > 0


def test_the_users_own_folder_is_the_default(monkeypatch, tmp_path):
    monkeypatch.delenv("DENIABLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert cache.folder() == tmp_path / "deniable"
