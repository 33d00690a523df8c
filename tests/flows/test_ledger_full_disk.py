from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import pytest

from deniable.core.errors import Failed, Refused
from deniable.ledger import Ledger
from tests.unit.ledger.asking import account, ask, charge, url


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A megabyte of memory as a file system; only root may have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = _run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place))
    if not mounted:
        pytest.skip("may not mount; the limit on file sizes below stands in for it")
    yield place
    _run("umount", "--lazy", str(place))


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _fill(file: Path) -> None:
    """Until there is no byte left."""
    with file.open("wb", buffering=0) as rest:
        try:
            while True:
                rest.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017 - the loop ends in no other way


def test_full_at_charge_is_refused_and_full_at_record_stays_charged(small_disk: Path) -> None:
    path, filler = small_disk / "clinic.ledger", small_disk / "filler"
    ledger = Ledger.create(url(path), "clinic")
    ask(ledger, "one")
    _fill(filler)
    for _ in range(3):
        with pytest.raises(Refused) as refused:
            ledger.charge(charge("two"), [account(1)])
        assert refused.value.code == "ledger-unavailable"
    assert ledger.find("one") == b"42"
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)
    filler.unlink()
    ticket = ledger.charge(charge("two"), [account(1)])
    _fill(filler)
    with pytest.raises(Failed):
        ledger.record(ticket, b"2")
    filler.unlink()
    assert ledger.find("two") is None
    assert ledger.spent("clinic").epsilon == Fraction(1, 5)
    ledger.close()
    again = Ledger.open(url(path), "clinic")
    assert again.verify() == 4
    again.record(ticket, b"2")
    assert again.find("two") == b"2"
    again.close()


def test_full_at_creation_leaves_nothing_behind(small_disk: Path) -> None:
    _fill(small_disk / "filler")
    with pytest.raises(Refused) as refused:
        Ledger.create(url(small_disk / "clinic.ledger"), "clinic")
    assert refused.value.code == "ledger-unavailable"
    assert [file.name for file in small_disk.iterdir()] == ["filler"]


def _without_room(path: Path) -> None:
    """The same, where files may not grow any further. Python ignores the signal that comes with it."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ledger = Ledger.open(url(path), "clinic")
    ask(ledger, "one")
    here = path.with_name("clinic.ledger-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (here, hard))
    try:
        ledger.charge(charge("two"), [account(1)])
        os._exit(1)
    except Refused as refused:
        assert refused.code == "ledger-unavailable"  # noqa: PT017
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    ticket = ledger.charge(charge("two"), [account(1)])
    here = path.with_name("clinic.ledger-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (here, hard))
    try:
        ledger.record(ticket, b"2")
        os._exit(2)
    except Failed:
        os._exit(0)


def test_files_that_may_not_grow_are_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "clinic.ledger"
    Ledger.create(url(path), "clinic").close()
    process = get_context("spawn").Process(target=_without_room, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == 0
    ledger = Ledger.open(url(path), "clinic")
    assert [entry.kind for entry in ledger.history()] == ["created", "charged", "answered", "charged"]
    assert ledger.find("two") is None
    assert ledger.spent("clinic").epsilon == Fraction(1, 5)
