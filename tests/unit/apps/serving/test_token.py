"""`deniable token`: create, list, revoke."""

import pytest
from typer.testing import CliRunner

from deniable.apps.serving.token import app
from deniable.core.errors import InvalidArgumentError
from deniable.policy import load
from deniable.service.tokens import TokenFile

POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 1
[analysts.alice]
epsilon = 1
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer" }
"""


@pytest.fixture
def policy(tmp_path):
    (tmp_path / "clinic.toml").write_text(POLICY)
    return tmp_path / "clinic.toml"


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "200"})


def test_a_token_is_created_shown_once_listed_and_revoked(policy):
    made = run("create", policy, "alice", "--days", "30")
    secret = made.stdout.strip()
    assert secret.startswith("deniable_")
    assert "is not shown again" in made.stderr
    loaded = load(policy)
    token = TokenFile.beside(loaded.place, loaded.population).find(secret)
    assert token.name == "alice"
    listed = run("list", policy)
    assert token.id in listed.stdout
    assert secret not in listed.stdout
    assert "valid" in listed.stdout
    assert f"revoked {token.id} of alice" in run("revoke", policy, "alice").stdout
    assert "revoked" in run("list", policy).stdout


def test_an_analyst_whom_the_policy_does_not_name_gets_no_token(policy):
    result = run("create", policy, "mallory")
    assert isinstance(result.exception, InvalidArgumentError)
    assert "its analysts are: alice" in str(result.exception)
    assert run("create", policy, "carol", "--role", "custodian").exit_code == 0


def test_nobody_has_a_token_at_first(policy):
    assert "there are no tokens" in run("list", policy).stdout
