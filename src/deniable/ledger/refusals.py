"""Every refusal of the ledger, with its code and what to do about it, in one place."""

from __future__ import annotations

from deniable.core.errors import Refused


class Unusable(Refused):
    """The ledger itself is out of reach, or is not the one that was written. Nothing is served until that is mended."""


def over_budget(account: str, left: str, asked: str) -> Refused:
    """The question does not fit. Follows from sums and caps, which are public."""
    return Refused(
        "over-budget",
        f"The account {account!r} has {left} left; this question loses {asked}.",
        "Spend less on it, or repeat an earlier question: repeats are free.",
    )


def too_many_today(account: str, most: int) -> Refused:
    """The account has paid for as many questions as it may on one day. Nothing is lost by waiting."""
    return Refused(
        "questions-per-day",
        f"The account {account!r} may pay for {most:,} questions a day, and has done so today.",
        "Ask again tomorrow (UTC), or repeat an earlier question: repeats are free and do not count.",
    )


def too_many_requests(most: int) -> Refused:
    """An analyst cannot fill the ledger with requests."""
    return Refused(
        "too-many-requests",
        f"{most} of your requests wait for an answer.",
        "Wait until the custodian has answered one of them.",
    )


def unknown_request(request: int) -> Refused:
    """A request is answered once."""
    return Refused(
        "unknown-request", f"No request {request} waits for an answer.", "See the list of requests that are open."
    )


def too_many_digits() -> Refused:
    """A number that would be stored is longer than any purpose needs."""
    return Refused(
        "too-many-digits",
        "A number of this question has more than 1,233 digits.",
        "Write the spend, and every number in the question, with fewer digits.",
    )


def already_answered() -> Refused:
    """A ticket is good for one answer."""
    return Refused(
        "already-answered",
        "Another answer is on record for this charge.",
        "Ask again: the recorded answer is free.",
    )


def exists(name: str) -> Refused:
    """A second ledger in the same place would start with nothing spent."""
    return Refused(
        "ledger-exists",
        f"There is a ledger, or a part of one, at {name} already.",
        "Open that one. Only if nothing was ever answered from it, remove it first, with its .head file.",
    )


def source_taken(population: str, ledger: str) -> Refused:
    """The same people would be promised a budget twice."""
    return Refused(
        "source-taken",
        f"The same data has an account already: that of the population {population!r}, in {ledger}.",
        "Use that account: one population has one budget. If these are other people, or nothing was ever answered from "
        'it, say why: deniable ledger create policy.toml --reason "...".',
    )


def registry_damaged(path: str) -> Refused:
    """It cannot be told which accounts there are."""
    return Refused(
        "registry-damaged",
        f"{path}, the list of accounts, cannot be read.",
        "Bring back an unchanged copy of it. If there is none, move it away: accounts made before are then not known.",
    )


def missing(name: str) -> Refused:
    """No ledger, no answers: what was spent is unknown."""
    return Unusable(
        "ledger-missing",
        f"There is no ledger at {name}.",
        "If there was one, bring it back: a new one would forget what was spent. For a new population: "
        "`deniable ledger create`.",
    )


def anchor_missing(name: str) -> Refused:
    """Without its anchor, a ledger cannot be told from an older copy of itself."""
    return Unusable(
        "ledger-anchor-missing",
        f"{name} is missing, which says how long the ledger is; it may be an older copy.",
        f"Bring {name} back. If it is lost, or this machine is new to a ledger on a server, make it from a head that "
        "was kept elsewhere: deniable ledger anchor policy.toml DIGEST, as `deniable ledger verify` prints it. If "
        "creating it was interrupted and nothing was ever asked, remove the ledger.",
    )


def rolled_back() -> Refused:
    """Entries that were there are gone: cut off, or the whole is an older copy."""
    return Unusable(
        "ledger-rolled-back",
        "The ledger is shorter than it was: it was cut short, or restored from an older copy.",
        "Bring back the newest copy of the ledger, with its -wal file if there is one. What was spent since an older "
        "copy is spent.",
    )


def edited(sequence: int) -> Refused:
    """The digests do not fit."""
    return Unusable(
        "ledger-edited",
        f"The ledger was changed or damaged from outside, at entry {sequence}.",
        "Bring back an unchanged copy, as long as this one. `deniable ledger verify` checks it.",
    )


def index_edited() -> Refused:
    """The entries fit; by what they are found does not."""
    return Unusable(
        "ledger-edited",
        "The ledger's index was changed or damaged from outside: it does not lead to the entries.",
        "Bring back an unchanged copy, as long as this one. `deniable ledger verify` checks it.",
    )


def anchor_edited(name: str) -> Refused:
    """Neither slot of the anchor can be read."""
    return Unusable(
        "ledger-edited",
        f"{name}, which says how long the ledger is, was changed or damaged from outside.",
        "Bring back an unchanged copy of it.",
    )


def damaged() -> Refused:
    """The database cannot make sense of the file."""
    return Unusable(
        "ledger-edited",
        "The ledger was changed or damaged from outside: its file cannot be read.",
        "Bring back an unchanged copy, as long as this one. `deniable ledger verify` checks it.",
    )


def other_population(found: str, wanted: str) -> Refused:
    """Each population has its own ledger, else one would spend the other's budget."""
    return Unusable(
        "ledger-other-population",
        f"This is the ledger of the population {found!r}, not of {wanted!r}.",
        "Name the right ledger in the policy. A population that is renamed is still the same people: keep its name.",
    )


def unavailable() -> Refused:
    """The disk or the database failed before anything was charged."""
    return Unusable(
        "ledger-unavailable",
        "The ledger cannot be used at the moment; nothing was charged.",
        "Try again later. The custodian finds the cause in the curator's log: a full or read-only disk, a folder that "
        "is not there, a file system that cannot lock, a server that cannot be reached, or rights that it does not "
        "give.",
    )


def not_durable(setting: str, found: str) -> Refused:
    """The server may forget a commit that it has confirmed."""
    return Unusable(
        "ledger-not-durable",
        f"The server of the ledger runs with {setting} = {found}: what was spent could be forgotten.",
        f"The server's administrator sets {setting} to its usual value; nothing was charged.",
    )


def no_driver() -> Refused:
    """What speaks to PostgreSQL is not installed."""
    return Unusable(
        "ledger-driver",
        "A ledger on PostgreSQL needs psycopg, which is not installed.",
        "pip install 'deniable[postgres]'",
    )


def moved(to: str) -> Refused:
    """The budget goes on elsewhere; here it would be spent a second time."""
    return Unusable(
        "ledger-moved",
        f"This account was moved, and is closed here. It goes on at {to}.",
        f'Write in the policy: [ledger] url = "{to}".',
    )


def moved_elsewhere(to: str) -> Refused:
    """A second copy would be a second budget."""
    return Refused(
        "ledger-moved",
        f"This account was moved to {to} already.",
        f"If moving was interrupted, say the same again: deniable ledger move policy.toml {to}",
    )


def closed() -> Refused:
    """The ledger was closed, or it lived in the memory of another process."""
    return Unusable(
        "ledger-closed",
        "The ledger is closed in this process.",
        "Open it again; a ledger in memory ends with the process that made it.",
    )


def bad_url(
    what: str = "is not understood",
    hint: str = "write url = 'sqlite:///clinic.ledger', a path to a file, without further options",
) -> Refused:
    """Nothing else is spoken. The address is not quoted: it may hold a password."""
    return Unusable("ledger-url", f"The ledger's address {what}.", f"{hint[0].upper()}{hint[1:]}.")


def policy_changed(words: str) -> Refused:
    """The sums were kept for other terms; what changed is in the policy and not in the data."""
    return Refused(
        "policy-changed",
        f"The policy is not the one that this account was kept for: {words}.",
        'The custodian undoes the change, or says why: deniable ledger adopt policy.toml --reason "...".',
    )


def policy_moved_on() -> Refused:
    """Whoever asks goes by a policy that was the account's when it was opened, and is not any more."""
    return Refused(
        "policy-changed",
        "The policy of this account was changed while this question was on its way.",
        "Ask again. If it was changed by a command, open the curator anew, or restart the server, first.",
    )


def not_adopted() -> Refused:
    """A ledger from before terms were kept."""
    return Refused(
        "policy-not-adopted",
        "This ledger does not say for which unit, neighbours and caps its sums were kept.",
        'If the policy has not changed since, say so once: deniable ledger adopt policy.toml --reason "...".',
    )


def cannot_change(words: str) -> Refused:
    """Not on a ledger that has spent."""
    return Refused(
        "policy-fixed",
        f"Something was spent under the terms before, so this cannot change: {words}.",
        "Undo it. Other people, or another promise to them, are another population with an account of its own.",
    )


def unconfirmed(words: str) -> Refused:
    """A change that may mean that nobody is protected any more."""
    return Refused(
        "policy-unconfirmed",
        f"This must be confirmed: {words}.",
        "If the people are the same, or the table really is public, add --confirm.",
    )


def is_a_raise(words: str) -> Refused:
    """More may be lost than everybody was told."""
    return Refused(
        "policy-raised",
        f"This promises less to everybody in the data than before: {words}.",
        'If that is decided, say so: deniable ledger raise policy.toml --reason "...". Every budget will show it.',
    )
