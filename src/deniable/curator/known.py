"""What an analyst has been shown of the private profile, and what follows from it for a question: notes with numbers.

Everything here is post-processing of a recorded release, and of public facts: it costs nothing. An analyst who was not
shown the profile gets nothing of it, not even a word: what their share bounds is what they have seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from threading import Lock

from deniable.core.algebra.expression import Column, Kind, columns
from deniable.core.algebra.relation import LookedUp, Relation
from deniable.curator.purchase import from_bytes
from deniable.ledger import Ledger
from deniable.planner import Plan, PricedStatements
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.choices.histogram import Quantile
from deniable.planner.plan import Bound
from deniable.policy import Account
from deniable.releases.profile.people import Between
from deniable.releases.profile.profile import Profile, TableProfile

PROFILE = "profile of "
"""How the text of every profile begins; no question does."""
_CONFIDENCE = Fraction(19, 20)


class KnownProfiles:
    """The last profile on record, for those who have paid for it or were shown it. Looked up once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = Lock()
        self._known: dict[tuple[str, ...], Profile | None] = {}

    def of(self, accounts: Sequence[Account]) -> Profile | None:
        """The profile, if each of these accounts has seen it."""
        names = tuple(account.name for account in accounts)
        with self._lock:
            if names not in self._known:
                self._known[names] = self._read(names)
            return self._known[names]

    def forget(self) -> None:
        """Something was recorded: look again."""
        with self._lock:
            self._known.clear()

    def _read(self, accounts: tuple[str, ...]) -> Profile | None:
        found = self._ledger.seen(PROFILE, accounts)
        if found is None:
            return None
        from deniable.curator.profiling import profile_of  # noqa: PLC0415 - slow to load, and most have no profile

        question, loss, recorded = found
        return profile_of(from_bytes(recorded), loss, _CONFIDENCE, question, free=True)


def noted(together: PricedStatements, profile: Profile) -> PricedStatements:
    """The same statements, each with what the profile says about the rows and columns of its questions."""

    def with_notes(plan: Plan) -> Plan:
        return replace(plan, quote=plan.quote.with_notes(notes(plan, profile)))

    asked = [replace(one, plans=tuple(with_notes(plan) for plan in one.plans)) for one in together.asked]
    return replace(together, asked=tuple(asked))


def expected_sizes(together: PricedStatements, profile: Profile) -> tuple[int, ...]:
    """About how many rows the smallest, the middle and the largest group have; nothing if the profile cannot say.

    It can, if a statement is one question about all rows of one table. Groups of a column whose values were counted
    have their part of the rows; others have equal ones.
    """
    if len(together.asked) != 1 or len(together.asked[0].plans) != 1:
        return ()
    (plan,) = together.asked[0].plans
    table, groups = profile.tables.get(_named(plan.bound.source.table) or ""), plan.quote.groups
    if table is None or not groups or plan.bound.source.where is not None:
        return ()
    kept = 1.0 if table.people is None else 1 - table.people.cut(plan.bound.source.contribution).value
    rows = table.rows.value * kept
    shares = _shares(plan.bound, table) or [1 / groups] * 3
    return tuple(max(1, round(rows * share)) for share in (shares[0], shares[len(shares) // 2], shares[-1]))


def _shares(bound: Bound, table: TableProfile) -> list[float]:
    """Of the groups by one column whose values were counted, from the smallest to the largest."""
    value = bound.keys[0].value if len(bound.keys) == 1 else None
    listed = table.listed.get(value.name) if isinstance(value, Column) else None
    if listed is None:
        return []
    counts: dict[object, float] = dict(zip(listed.values, listed.noisy, strict=False))
    counts[None] = listed.noisy[-1]  # what is missing; before it stands what is none of the values, which has no group
    there = [max(0.0, counts.get(key, 0.0)) for key in bound.keys[0].domain or ()]
    return sorted(count / sum(there) for count in there) if sum(there) > 0 else []


def notes(plan: Plan, profile: Profile) -> list[str]:
    """What the profile says about the rows and columns of a question."""
    bound = plan.bound
    table = profile.tables.get(_named(bound.source.table) or "")
    if table is None:
        return []
    return [*_cut(bound, table), *_smaller(bound, table), *_outside(bound, table)]


def _named(relation: Relation) -> str | None:
    """The declared table, if the rows are those of one."""
    if isinstance(relation, LookedUp):
        return relation.table
    return relation if isinstance(relation, str) else None


def _cut(bound: Bound, table: TableProfile) -> list[str]:
    """What the contribution leaves out: of all rows of the table, whatever the question's WHERE."""
    people, most = table.people, bound.source.contribution
    counted = any(isinstance(base, Statistic) and base.total is not None for base in bound.statistics)
    if people is None or bound.source.unit is None or not counted:
        return []
    cut, more = people.cut(most), people.more_than(most)
    text = f"profile: contribution {most} leaves out {_percents(cut)} of the rows of {table.name}"
    whose = f"(those of {more.low:,.0f} to {more.high:,.0f} people)"
    if not people.beyond:
        return [f"{text} {whose}"]
    as_far = (
        f"as far as people have at most {people.known:,} rows; at most {people.beyond:,} may have more, and lose more"
    )
    return [f"{text} {whose}, {as_far}"]


def _smaller(bound: Bound, table: TableProfile) -> list[str]:
    """What smaller contributions would leave out, and how much noise they would save: all of it scales with them."""
    people, most = table.people, bound.source.contribution
    tried = [rows for part in (3, 10) if (rows := most // part) >= 1]
    if not _cut(bound, table) or people is None or not tried:
        return []
    texts = [
        f"contribution={rows} leaves out {_percents(people.cut(rows))}, for {rows / most:.0%} of the noise"
        for rows in tried
    ]
    return [f"profile: less noise, more cut: {'; '.join(texts)}"]


def _outside(bound: Bound, table: TableProfile) -> list[str]:
    """Which share of the values of each column lies outside of its bounds."""
    found: dict[str, Column] = {}
    for base in bound.statistics:
        row = base.total.row if isinstance(base, Statistic) and base.total is not None else None
        row = base.histogram.cell if isinstance(base, Quantile) else row
        for column in columns(row) if row is not None else ():
            if column.kind in (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP) and column.name in table.columns:
                found[column.name] = column
    texts = []
    for name, column in sorted(found.items()):
        if column.range.low is None and column.range.high is None:
            continue
        outside = table.columns[name].outside(column.range.low, column.range.high)
        texts.append(
            f"profile: {_percents(outside)} of the values of {name} lie outside its bounds, and count as a bound"
        )
    return texts


def _percents(share: Between) -> str:
    """From low to high."""
    return f"{share.low:.1%} to {share.high:.1%}" if share.low >= 0.001 else f"at most {share.high:.1%}"  # noqa: PLR2004
