"""Requests for more: an analyst asks, a custodian replies, and the ledger keeps both. No sum changes."""

from __future__ import annotations

from deniable.core.errors import InvalidArgumentError
from deniable.ledger import clock, refusals
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.chain import Chain
from deniable.ledger.entries.entry import Link
from deniable.ledger.entries.records import Records

_MOST_REQUESTS = 5
"""Of one analyst, that wait for an answer."""


class Requests:
    """The part of a ledger in which analysts and custodians write to each other."""

    _chain: Chain

    def request(self, analyst: str, wanted: str, reason: str) -> int:
        """An analyst asks for more, and says why. Changes no sum; the entry under which it can be answered.

        Raises:
            Refused: too many of the analyst's requests wait for an answer.
        """
        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")

        def compose(_: Records, standing: Standing) -> Link:
            if list(standing.requests.values()).count(analyst) >= _MOST_REQUESTS:
                raise refusals.too_many_requests(_MOST_REQUESTS)
            body = {"analyst": analyst, "reason": reason, "wanted": wanted, "written": clock.now()}
            return Link.after(standing.head, "requested", body)

        return self._chain.append(compose).sequence

    def reply(self, request: int, custodian: str, reason: str, *, granted: bool) -> None:
        """The custodian's answer to a request, with its reason. What is granted is in the policy, not here.

        Raises:
            Refused: no such request waits for an answer.
        """
        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")

        def compose(_: Records, standing: Standing) -> Link:
            if request not in standing.requests:
                raise refusals.unknown_request(request)
            said = {"custodian": custodian, "granted": granted, "reason": reason, "request": request}
            body = {**said, "analyst": standing.requests[request], "written": clock.now()}
            return Link.after(standing.head, "replied", body)

        self._chain.append(compose)

    def publish(self, custodian: str, text: str, reason: str) -> None:
        """A custodian publishes what no budget covers, and says why. Changes no sum; it is here for whoever reviews."""
        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")

        def compose(_: Records, standing: Standing) -> Link:
            body = {"custodian": custodian, "reason": reason, "text": text, "written": clock.now()}
            return Link.after(standing.head, "published", body)

        self._chain.append(compose)
