"""Tokens: shown once, kept as digests, ended by time or by the custodian."""

import json
import re
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.service.scram import Verifier
from deniable.service.tokens import Role, TokenFile


@pytest.fixture
def tokens(tmp_path):
    return TokenFile(tmp_path / "clinic.tokens", "clinic")


def test_a_token_has_256_bits_and_a_prefix_and_finds_its_owner(tokens):
    secret, token = tokens.create("alice", Role.ANALYST)
    assert re.fullmatch(r"deniable_[\w-]{43}", secret)
    assert tokens.find(secret) == token
    assert (token.name, token.role, token.population, token.state) == ("alice", Role.ANALYST, "clinic", "valid")
    assert tokens.find(secret[:-1] + ("a" if secret[-1] != "a" else "b")) is None
    assert tokens.find("") is None
    assert tokens.find("\ud800") is None


def test_nothing_in_the_file_lets_anyone_in(tokens, tmp_path):
    secret, _ = tokens.create("alice", Role.ANALYST)
    path = tmp_path / "clinic.tokens"
    text = path.read_text()
    assert secret not in text
    assert secret.removeprefix("deniable_") not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (kept,) = json.loads(text)["tokens"]
    for value in kept.values():
        assert value is None or tokens.find(str(value)) is None


def test_a_revoked_token_is_of_no_use_to_anyone_who_holds_the_file_open(tokens, tmp_path):
    secret, token = tokens.create("alice", Role.ANALYST)
    other = TokenFile(tmp_path / "clinic.tokens", "clinic")
    assert other.still(token)
    tokens.revoke(token.id)
    assert not other.still(token)
    assert other.find(secret) is None
    assert other.proofs("alice")[1] == []
    assert [one.state for one in other.all()] == ["revoked"]
    with pytest.raises(InvalidArgumentError, match="neither the id nor the name"):
        tokens.revoke(token.id)


def test_a_name_is_revoked_with_all_its_tokens(tokens):
    secrets = [tokens.create("alice", Role.ANALYST)[0] for _ in range(2)] + [tokens.create("bob", Role.ANALYST)[0]]
    assert len(tokens.revoke("alice")) == 2
    assert [tokens.find(secret) is not None for secret in secrets] == [False, False, True]


def test_a_token_ends_when_its_time_is_over(tokens, monkeypatch):
    secret, token = tokens.create("alice", Role.ANALYST, days=1)
    assert tokens.find(secret) is not None
    monkeypatch.setattr("deniable.service.tokens._written", lambda _when: "9999-01-01T00:00:00+00:00")
    assert token.state == "expired"
    assert tokens.find(secret) is None


@pytest.mark.parametrize(("name", "days"), [("", None), (" ", None), ("a\nb", None), ("x" * 64, None), ("a", 0)])
def test_what_cannot_be_a_token_is_refused(tokens, name, days):
    with pytest.raises(InvalidArgumentError):
        tokens.create(name, Role.ANALYST, days)


def test_a_name_that_nobody_has_gets_a_salt_like_any_other(tokens):
    tokens.create("alice", Role.ANALYST)
    known, unknown = tokens.proofs("alice")[0], tokens.proofs("mallory")[0]
    assert len(known) == len(unknown) == 16
    assert known != unknown
    assert unknown == tokens.proofs("mallory")[0]


def test_tokens_made_at_once_are_all_kept(tmp_path):
    files = [TokenFile(tmp_path / "clinic.tokens", "clinic") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        secrets = list(pool.map(lambda file: file.create("alice", Role.ANALYST)[0], files))
    assert all(files[0].find(secret) for secret in secrets)


def test_a_file_that_is_something_else_is_refused(tmp_path):
    path = tmp_path / "clinic.tokens"
    path.write_text('{"tokens": 7}')
    with pytest.raises(InvalidArgumentError, match="not a file of tokens"):
        TokenFile(path, "clinic").all()


@pytest.mark.parametrize("spoil", [lambda path: path.write_text("{"), lambda path: path.unlink() or path.mkdir()])
def test_a_file_that_cannot_be_read_lets_nobody_in_and_only_the_log_says_so(tokens, spoil, caplog):
    secret, token = tokens.create("alice", Role.ANALYST)
    spoil(tokens.path)
    assert tokens.find(secret) is None
    assert not tokens.still(token)
    assert len(tokens.salt("bank", "alice")) == len(tokens.proofs("alice")[0]) == 16
    assert tokens.proofs("alice")[1] == []
    assert {json.loads(line.message)["event"] for line in caplog.records} == {"tokens-unreadable"}


@pytest.mark.parametrize("proof", [b"", bytes(32), bytes(31), b"x" * 32, bytes(64)])
def test_a_proof_that_nobody_made_is_not_accepted(proof):
    assert not Verifier.of("deniable_secret", bytes(16)).accepts(proof, b"what both have said")


def test_salts_of_names_that_nobody_has_are_the_same_after_a_restart(tmp_path):
    file = TokenFile(tmp_path / "clinic.tokens", "clinic")
    file.create("alice", Role.ANALYST)
    again = TokenFile(tmp_path / "clinic.tokens", "clinic")
    assert file.salt("bank", "alice") == again.salt("bank", "alice")
    assert file.proofs("mallory")[0] == again.proofs("mallory")[0]
    assert len({file.salt("bank", "alice"), file.salt("bank", "bob"), file.proofs("alice")[0]}) == 3
