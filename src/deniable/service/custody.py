"""What custodians and reviewers may do: look after tokens, check the policy and the ledger, see how much there was."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.check import check
from deniable.service.log import note
from deniable.service.session import Session
from deniable.service.tokens import Role, Token


@dataclass(frozen=True, slots=True)
class Custody:
    """The rights of a role beyond asking. Every method refuses whoever has not the role."""

    session: Session

    async def check(self) -> list[dict[str, str]]:
        """Each declared column beside its file's. For custodians: it looks at private rows."""
        self._require(Role.CUSTODIAN)
        policy, engine = self.session.policy, self.session.population.curator.engine
        return await self.session.free("check", lambda: [asdict(seen) for seen in check(policy, engine)])

    async def verify(self) -> tuple[int, str]:
        """How many entries the ledger has, all of them checked, and its head."""
        self._require(Role.CUSTODIAN, Role.REVIEWER)
        ledger = self.session.population.curator.ledger
        return await self.session.free("verify", lambda: (ledger.verify(), ledger.head.digest))

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
        self._note("token-given", token)
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
            self._note("token-revoked", token)
        return ended

    def metrics(self) -> str:
        """How much of each kind there was, in the text format of Prometheus."""
        self.session.admit()
        self._require(Role.CUSTODIAN)
        return self.session.population.metrics.prometheus(self.session.population.name)

    def _require(self, *roles: Role) -> None:
        if self.session.token.role not in roles:
            wanted = " or ".join(role.value for role in roles)
            raise Refused("wrong-role", f"This takes the role of a {wanted}.", "Ask the custodian for a token.")

    def _note(self, event: str, token: Token) -> None:
        session = self.session
        note(event, request=session.request, population=session.population.name, analyst=session.who, token=token.id)
