"""What a role may do beyond asking, and what it may not."""

import asyncio
import logging

import pytest

from deniable.core.errors import Refused
from deniable.service.custodian.custody import Custody
from deniable.service.tokens import Role
from tests.support.served import served, session

RIGHTS = {
    "check": {"carol"},
    "verify": {"carol", "rene"},
    "export": {"carol", "rene"},
    "tokens": {"carol"},
    "give": {"carol"},
    "revoke": {"carol"},
    "metrics": {"carol"},
    "entries": {"carol", "rene"},
    "consider": {"carol"},
}
ARGUMENTS = {"give": ("bob", Role.ANALYST, 1.0), "revoke": ("bob",), "consider": ("",)}


async def tried(who, right, *arguments):
    """What came of it."""
    try:
        found = getattr(Custody(who), right)(*(arguments or ARGUMENTS.get(right, ())))
        if asyncio.iscoroutine(found):
            await found
    except Refused as refusal:
        return refusal.code
    return "allowed"


@pytest.mark.parametrize("right", RIGHTS)
def test_every_right_belongs_to_its_roles(tmp_path, right):
    async def play():
        with served(tmp_path, "1ms") as (service, secrets):
            people = {name: await session(service, secret) for name, secret in secrets.items()}
            found = {name: await tried(who, right) for name, who in people.items()}
            await service.close()
            return found

    assert asyncio.run(play()) == {
        name: "allowed" if name in RIGHTS[right] else "wrong-role" for name in ("alice", "bob", "carol", "rene")
    }


def test_tokens_are_given_to_those_who_have_a_share_and_what_is_done_is_noted(tmp_path, caplog):
    async def play():
        with served(tmp_path, "1ms") as (service, secrets):
            custody = Custody(await session(service, secrets["carol"]))
            with pytest.raises(Refused) as stranger:
                await custody.give("mallory", Role.ANALYST, None)
            secret, token = await custody.give("alice", Role.ANALYST, 1.0)
            ended = await custody.revoke(token.id)
            with pytest.raises(Refused) as unknown:
                await custody.revoke(token.id)
            await service.close()
            return stranger.value.code, unknown.value.code, [one.id for one in ended] == [token.id], secret

    with caplog.at_level(logging.INFO, logger="deniable.serve"):
        stranger, unknown, same, secret = asyncio.run(play())
    assert (stranger, unknown, same) == ("unknown-analyst", "unknown-token", True)
    assert "token-given" in caplog.text
    assert "token-revoked" in caplog.text
    assert secret not in caplog.text


def test_an_export_has_every_entry_and_no_answer(tmp_path):
    async def play():
        with served(tmp_path, "1ms") as (service, secrets):
            people = {name: await session(service, secret) for name, secret in secrets.items()}
            await people["alice"].ask("SELECT COUNT(*) AS n FROM visits", {"epsilon": "0.5"})
            body = await Custody(people["rene"]).export()
            entries, head = await Custody(people["rene"]).verify()
            await service.close()
            return body.decode(), entries, head

    body, entries, head = asyncio.run(play())
    assert len(body.splitlines()) == entries + 1
    assert head in body.splitlines()[-1]


@pytest.mark.parametrize(
    ("right", "arguments"),
    [("policy_text", ()), ("amend", ("", "why", "")), ("reply", (2, "why", None)), ("reply", (2, "why", "3"))],
)
def test_only_custodians_change_the_policy_and_answer_requests(tmp_path, right, arguments):
    async def play():
        with served(tmp_path, "1ms") as (service, secrets):
            found = {}
            for name, secret in secrets.items():
                found[name] = await tried(await session(service, secret), right, *arguments)
            await service.close()
            return found

    missing = "unknown-request" if right == "reply" else "no-policy-file"  # it is served from memory here
    assert asyncio.run(play()) == dict.fromkeys(("alice", "bob", "rene"), "wrong-role") | {"carol": missing}
