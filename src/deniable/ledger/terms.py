"""What the numbers of a ledger mean: the terms in force, and how a custodian changes them."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.core.errors import InvalidArgumentError
from deniable.ledger import clock, refusals
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.chain import Chain
from deniable.ledger.entries.entry import Link
from deniable.ledger.entries.records import Records
from deniable.policy import Change, Terms, Weight, changes, reunited

_MOST_NAMED = 5
"""Differences that a refusal lists."""


class Agreement:
    """The part of a ledger that says under which terms it is kept."""

    _chain: Chain

    @property
    def policy(self) -> str:
        """The digest of the terms in force."""
        return self._chain.read(lambda _, standing: standing.policy)

    @property
    def raises(self) -> list[str]:
        """Every raise of the budget, in words; whoever asks what is left is told."""
        return self._chain.read(lambda _, standing: list(standing.raises))

    def require(self, terms: Terms) -> None:
        """Refuse a policy whose terms are not those that the ledger's numbers mean."""

        def look(_: Records, standing: Standing) -> None:
            if standing.moved:
                raise refusals.moved(standing.moved)
            if not standing.terms:
                raise refusals.not_adopted()
            if found := changes(standing.terms[-1], terms):
                raise refusals.policy_changed("; ".join(change.words for change in found[:_MOST_NAMED]))

        self._chain.read(look)

    def accept(self, terms: Terms, reason: str, *, confirmed: bool = False, raising: bool = False) -> list[str]:
        """From now on the numbers mean `terms`; what that changes is an entry, with the reason. Returns it in words.

        Raises:
            Refused: the change needs a confirmation, is a raise and not said to be one, or is impossible because
                something was spent: unit, neighbours and the division of delta are what the sums so far were kept for.
        """
        words: list[str] = []

        def compose(_: Records, standing: Standing) -> Link | None:
            found = changes(standing.terms[-1], terms) if standing.terms else []
            found = [*reunited(standing.terms, terms), *found] if standing.has_spent else found
            words[:] = dict.fromkeys(change.words for change in found)
            if standing.terms and not found:
                return None
            _check(found, spent=standing.has_spent, confirmed=confirmed, raising=raising)
            kind = "raised" if any(change.weight is Weight.RAISE for change in found) else "adopted"
            body = {"changes": words, "reason": reason, "terms": terms, "written": clock.now()}
            return Link.after(standing.head, kind, body)

        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")
        self._chain.append(compose)
        return words


def _check(found: Sequence[Change], *, spent: bool, confirmed: bool, raising: bool) -> None:
    """What each change takes, which the weightiest one decides."""
    for change in found:
        if change.weight is Weight.NEVER and spent:
            raise refusals.cannot_change(change.words)
        if change.weight is Weight.CONFIRMED and not confirmed:
            raise refusals.unconfirmed(change.words)
        if change.weight is Weight.RAISE and spent and not raising:
            raise refusals.is_a_raise(change.words)
