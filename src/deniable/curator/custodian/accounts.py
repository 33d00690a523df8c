"""What a custodian does to an account that is there: accept a changed policy, move it, let a machine use it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.custodian.check import ensure
from deniable.engines import Engine, engine_of
from deniable.files.atomic import write
from deniable.ledger import Head, Holding, Ledger, note
from deniable.ledger import move as move_ledger
from deniable.policy import Policy, Weight, load, terms_of
from deniable.policy.amendments import amendments
from deniable.policy.load import loads


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


def amend(path: str | Path, text: str, reason: str) -> list[str]:
    """Put a changed policy into its file and accept it, if it changes nothing but what is asked, and how exactly.

    For custodians who are not at the machine: see `amendments`. Returns the changes in words. The file is written
    first; if the ledger then refuses, the old one is put back, and if the process ends in between, nothing is served
    until the two agree. What the ledger accepts is what was judged here; the data that the account answers for stay
    noted as they are, because no source can be added.

    Raises:
        InvalidPolicyError: with every problem that was found.
        Refused: it changes more than that, or the data are not as it says.
    """
    file = Path(path)
    before, policy = file.read_text(encoding="utf-8-sig"), loads(text, str(path))
    for change in amendments(load(path), policy):
        if change.weight is not Weight.PLAIN:
            raise Refused(
                "not-from-here", f"{change.words}.", "Change the file where the data are, and adopt it there."
            )
    with closing(engine_of(policy)) as engine:
        ensure(policy, engine)
    write(file, text, "policy")
    try:
        with closing(Ledger.open(policy.ledger, policy.population)) as ledger:
            return ledger.accept(terms_of(policy), reason)
    except (Refused, InvalidArgumentError):
        write(file, before, "policy")
        raise


def move(path: str | Path, to: str, progress: Callable[[int, int], None] = lambda _done, _of: None) -> Head:
    """Move the account of a policy file to a server: the same entries there, and the old ledger closed.

    The policy must name the new address afterwards. Returns the head that both had in common.

    Raises:
        Refused: see `deniable.ledger.accounts.move`.
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
