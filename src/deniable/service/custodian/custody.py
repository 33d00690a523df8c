"""What custodians and reviewers may do: look after tokens, check the policy and the ledger, see how much there was."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.custodian.check import check
from deniable.policy import Change, InvalidPolicyError, Policy, Weight
from deniable.policy.amendments import amendments
from deniable.policy.load import loads
from deniable.policy.problems import Problem
from deniable.policy.shares import with_share
from deniable.service.history import requests
from deniable.service.log import note
from deniable.service.session import Session, Stage
from deniable.service.tokens import Role, Token

if TYPE_CHECKING:
    from deniable.ledger import Entry


@dataclass(frozen=True, slots=True)
class Considered:
    """A policy that is not adopted yet: what is wrong with it, or what it would change."""

    problems: tuple[Problem, ...] = ()
    changes: tuple[Change, ...] = ()
    policy: Policy | None = None

    @property
    def plain(self) -> bool:
        """Whether all of it can be changed from afar."""
        return self.policy is not None and all(change.weight is Weight.PLAIN for change in self.changes)


@dataclass(frozen=True, slots=True)
class Custody:
    """The rights of a role beyond asking. Every method refuses whoever has not the role."""

    session: Session

    async def check(self) -> list[dict[str, str]]:
        """Each declared column beside its file's. For custodians: it looks at private rows."""
        self._require(Role.CUSTODIAN)
        policy, engine = self.session.policy, self.session.population.curator.engine
        return await self.session.free("check", lambda: [asdict(seen) for seen in check(policy, engine)])

    async def verify(self, told: Stage = lambda _stage: None) -> tuple[int, str]:
        """How many entries the ledger has, all of them checked, and its head; `told` hears how far it is."""
        self._require(Role.CUSTODIAN, Role.REVIEWER)
        ledger, loop = self.session.population.curator.ledger, asyncio.get_running_loop()
        said = -1

        def progress(checked: int, of: int) -> None:
            nonlocal said
            if (part := 100 * checked // max(1, of)) > said:
                said = part
                loop.call_soon_threadsafe(told, f"{checked:,} of {of:,} entries")

        return await self.session.free("verify", lambda: (ledger.verify(progress), ledger.head.digest))

    def may_review(self) -> None:
        """Refuses whoever may not see the ledger."""
        self._require(Role.CUSTODIAN, Role.REVIEWER)

    async def export(self) -> bytes:
        """Every entry of the ledger as a line of JSON, without the answers."""
        self._require(Role.CUSTODIAN, Role.REVIEWER)
        ledger = self.session.population.curator.ledger

        def work() -> bytes:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "ledger.jsonl"
                ledger.export(path)
                return path.read_bytes()

        return await self.session.free("export", work)

    async def tokens(self) -> list[Token]:
        """All that were ever given."""
        self._require(Role.CUSTODIAN)
        return await self.session.free("tokens", self.session.population.tokens.all)

    async def give(self, name: str, role: Role, days: float | None) -> tuple[str, Token]:
        """A new token, which is shown this once, and what is kept of it."""
        self._require(Role.CUSTODIAN)
        shares = self.session.policy.analysts
        if role is Role.ANALYST and shares and name not in shares:
            raise Refused("unknown-analyst", f"{name!r} has no share in the policy.", "Add a share first.")
        tokens = self.session.population.tokens
        secret, token = await self.session.free("give-token", lambda: tokens.create(name, role, days))
        self._note("token-given", token.id)
        return secret, token

    async def revoke(self, which: str) -> list[Token]:
        """End a token by its id, or all tokens of a name."""
        self._require(Role.CUSTODIAN)

        def work() -> list[Token]:
            try:
                return self.session.population.tokens.revoke(which)
            except InvalidArgumentError as error:
                raise Refused("unknown-token", f"{error}.", "See the list of tokens.") from None

        ended = await self.session.free("revoke-token", work)
        for token in ended:
            self._note("token-revoked", token.id)
        return ended

    def may_give(self) -> None:
        """Refuses whoever may not say who comes in."""
        self._require(Role.CUSTODIAN)

    async def entries(self) -> list[Entry]:
        """Every entry of the ledger, each checked, oldest first."""
        self._require(Role.CUSTODIAN, Role.REVIEWER)
        return await self.session.free("ledger", self.session.population.curator.history)

    def policy_text(self) -> str:
        """The policy as it stands in its file."""
        self._require(Role.CUSTODIAN)
        return _text(self.session.policy)

    async def consider(self, text: str) -> Considered:
        """What adopting this text would change, and what is wrong with it. Changes nothing."""
        self._require(Role.CUSTODIAN)

        def work() -> Considered:
            try:
                policy = loads(text, self.session.policy.origin)
            except InvalidPolicyError as error:
                return Considered(problems=error.problems)
            return Considered(changes=tuple(amendments(self.session.policy, policy)), policy=policy)

        return await self.session.free("consider", work)

    async def unadopted(self) -> tuple[Change, ...]:
        """What the file says and the policy in force does not: it was changed on the machine, and is not adopted."""
        return (await self.consider(self.policy_text())).changes

    async def amend(self, text: str, reason: str, based: str) -> list[str]:
        """Adopt a changed policy, with a reason that the ledger keeps; `based` is the digest of what it was made from.

        What is judged is every difference from the policy in force: also what somebody has changed in the file.

        Raises:
            Refused: it changes what cannot be changed from afar, or the file was changed meanwhile.
        """
        self._require(Role.CUSTODIAN)
        self.session.admit()

        def still() -> None:
            if digest_of_text(_text(self.session.policy)) != based:
                hint = "Open it again, and change it there."
                raise Refused("policy-moved", "The policy was changed meanwhile.", hint)

        still()
        if not reason.strip():
            raise Refused("no-reason", "A change needs a reason.", "Say why: the ledger keeps it.")
        far = next((one for one in (await self.consider(text)).changes if one.weight is not Weight.PLAIN), None)
        if far is not None:
            hint = "Change the file where the data are, and adopt it there."
            raise Refused("not-from-here", f"{far.words}.", hint)
        try:
            words = await self.session.population.amend(text, reason, still)
        except InvalidPolicyError as error:
            found = "; ".join(f"{one.key}: {one.what}" for one in error.problems)
            raise Refused("bad-policy", f"{found}.", "Mend it first.") from None
        self._note("policy-amended")
        return words

    async def reply(self, request: int, reason: str, share: str | None) -> None:
        """Answer a request: with a new share for whoever asked, which the policy is changed to; or with a refusal.

        Raises:
            Refused: no such request is open, or the share cannot be given from afar.
        """
        self._require(Role.CUSTODIAN)
        asked = next((one for one in requests(await self.entries(), None) if one.entry == request), None)
        if asked is None or asked.granted is not None:  # before a share changes: nothing is granted twice
            raise Refused("unknown-request", f"There is no request {request}.", "See the list of requests.")
        if share is not None and (waiting := await self.unadopted()):
            raise Refused(
                "not-adopted",
                f"The policy file was changed on the machine, and is not adopted yet: {waiting[0].words}.",
                "Look at it on the Policy page, and adopt it first: a share is granted by itself.",
            )
        if share is not None:
            before = _text(self.session.policy)
            why = f"request {request} of {asked.analyst}: {reason}" if reason.strip() else ""
            await self.amend(with_share(before, asked.analyst, share), why, digest_of_text(before))
        ledger, who = self.session.population.curator.ledger, self.session.who
        await self.session.free("reply", lambda: ledger.reply(request, who, reason, granted=share is not None))
        self._note("request-granted" if share is not None else "request-declined")

    def metrics(self) -> str:
        """How much of each kind there was, in the text format of Prometheus."""
        self.session.admit()
        self._require(Role.CUSTODIAN)
        return self.session.population.metrics.prometheus(self.session.population.name)

    def _require(self, *roles: Role) -> None:
        if self.session.token.role not in roles:
            wanted = " or ".join(role.value for role in roles)
            raise Refused("wrong-role", f"This takes the role of a {wanted}.", "Ask the custodian for a token.")

    def _note(self, event: str, token: str | None = None) -> None:
        session = self.session
        note(event, request=session.request, population=session.population.name, analyst=session.who, token=token)


def digest_of_text(text: str) -> str:
    """Stands for a text, so that a change of it is noticed."""
    return sha256(text.encode()).hexdigest()


def _text(policy: Policy) -> str:
    try:
        return Path(policy.origin).read_text(encoding="utf-8-sig")
    except OSError:
        raise Refused(
            "no-policy-file", "The policy is in no file.", "Serve it from one: deniable serve clinic.toml"
        ) from None
