"""What a custodian does to an account that is there: accept a changed policy, move it, let a machine use it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from deniable.core.errors import Refused
from deniable.engines import Engine, engine_of
from deniable.ledger import Head, Holding, Ledger, note
from deniable.ledger import move as move_ledger
from deniable.policy import Policy, load, terms_of


def adopt(path: str | Path, reason: str, *, confirmed: bool = False, raising: bool = False) -> list[str]:
    """Accept what a policy file has changed since its account was last used; the ledger keeps it, with the reason.

    Returns the changes in words. A table that becomes public, or has another source, must be `confirmed`; a larger
    budget is accepted only if `raising` says that it is one. Unit, neighbours and the division of delta cannot change
    once something was spent: the sums so far were kept for them.

    Raises:
        Refused: the change is none of these, or is not said to be the one that it is.
    """
    policy = load(path)
    with closing(Ledger.open(policy.ledger, policy.population)) as ledger:
        words = ledger.accept(terms_of(policy), reason, confirmed=confirmed, raising=raising)
    with closing(engine_of(policy)) as engine:
        note(holding(policy, engine, reason))
    return words


def move(path: str | Path, to: str, progress: Callable[[int, int], None] = lambda _done, _of: None) -> Head:
    """Move the account of a policy file to a server: the same entries there, and the old ledger closed.

    The policy must name the new address afterwards. Returns the head that both had in common.

    Raises:
        Refused: see `deniable.ledger.move`.
    """
    policy = load(path)
    head = move_ledger(policy.ledger, to, policy.population, progress)
    with closing(engine_of(policy)) as engine:
        note(replace(holding(policy, engine, "moved"), ledger=to))
    return head


def anchor(path: str | Path, digest: str) -> None:
    """Let this machine use the account of a policy file, if its ledger goes through a head that was kept elsewhere."""
    policy = load(path)
    Ledger.reanchor(policy.ledger, policy.population, digest)


def holding(policy: Policy, engine: Engine, reason: str) -> Holding:
    """The private data that the policy's account answers for."""
    private = {table.source: table.name for table in policy.tables.values() if not table.public}
    try:
        sources = {source: engine.identity(name) for source, name in private.items() if source}
    except OSError as error:
        raise Refused(
            "data-unavailable", f"The data cannot be read: {error.strerror}.", "See: deniable check"
        ) from None
    return Holding(policy.ledger, policy.population, sources, reason)
