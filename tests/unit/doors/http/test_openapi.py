"""Everything that `/openapi.json` says, tried by schemathesis: each route, with what is right and what is wrong."""

import subprocess
import sys

import pytest

from deniable.service.limits import ServerLimits
from tests.support.doors import http

pytest.importorskip("schemathesis", reason="schemathesis is not installed")
LIMITS = ServerLimits(per_second=100_000, burst=100_000)
RUN = [sys.executable, "-c", "import schemathesis.cli; schemathesis.cli.schemathesis()"]
ACCEPTED = "positive_data_acceptance"
"""Is left out: which texts are questions is said by the policy, not by a schema."""


SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 413, 422]
"""
"""A body can be refused for its size before it is read."""


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with http(tmp_path_factory.mktemp("clinic"), limits=LIMITS) as opened:
        yield opened


def tried(door, folder, name, examples, left_out=ACCEPTED):
    """What is wrong, in its words."""
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS)
    found = subprocess.run(
        [
            *RUN,
            *("--config-file", str(settings), "run"),
            f"{door.url}/openapi.json",
            *("-H", f"Authorization: Bearer {door.tokens[name]}"),
            *("--exclude-checks", left_out, "--phases", "coverage,fuzzing", "--workers", "1"),
            *("--max-examples", str(examples), "--no-color"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    return found.returncode, found.stdout + found.stderr


def test_the_server_is_as_it_is_described(door, tmp_path):
    """To a custodian, who reaches most of it; the deep run tries every role."""
    status, said = tried(door, tmp_path, "carol", 1, f"{ACCEPTED},ignored_auth")
    assert "Tested: 18" in said, said
    assert status == 0, said


@pytest.mark.deep
@pytest.mark.parametrize("name", ["alice", "carol", "rene"])
def test_the_server_is_as_it_is_described_however_often_it_is_tried(door, tmp_path, name):
    status, said = tried(door, tmp_path, name, 200)
    assert status == 0, said
