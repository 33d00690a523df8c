"""What an analyst has been shown of the private profile, and what follows from it for a question: notes with numbers.

Everything here is post-processing of a recorded release, and of public facts: it costs nothing. An analyst who was not
shown the profile gets nothing of it, not even a word: what their share bounds is what they have seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from threading import Lock

import pyarrow as pa

from deniable.core.algebra.expression import Column, Kind, columns
from deniable.core.algebra.relation import LookedUp, Relation
from deniable.core.loss import Loss
from deniable.curator.purchase import from_bytes
from deniable.ledger import Ledger
from deniable.planner import Plan, PricedStatements
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.choices.histogram import Quantile
from deniable.planner.expressions.evaluate import unrounded
from deniable.planner.intervals.forms import Affine, Forms
from deniable.planner.plan import Bound
from deniable.policy import Account, Policy
from deniable.releases.profile.people import Between
from deniable.releases.profile.profile import Profile, TableProfile
from deniable.releases.profile.suggest import best_contribution

PROFILE = "profile of "
"""How the text of every profile begins; no question does."""
_CONFIDENCE = Fraction(19, 20)


class KnownProfiles:
    """The last profile on record, for those who have paid for it or were shown it. Looked up once."""

    def __init__(self, ledger: Ledger, may_show: Callable[[str], bool] = lambda _question: True) -> None:
        self._ledger, self._may_show = ledger, may_show
        self._lock = Lock()
        self._known: dict[tuple[str, ...], Profile | None] = {}

    def of(self, accounts: Sequence[Account]) -> Profile | None:
        """The profile, if each of these accounts has seen it."""
        names = tuple(account.name for account in accounts)
        with self._lock:
            if names in self._known:
                return self._known[names]
            found = self._read(names)
            if found is not None and not self._may_show(found.release):
                return None
            self._known[names] = found
            return found

    def about(self, rows: str, accounts: Sequence[Account]) -> Iterator[pa.Table]:
        """The noisy tables about these rows that each of the accounts has seen, in that order.

        None that is still on its way: when an answer was recorded says how long its question took.
        """
        for question, answer in self._ledger.seen_about(rows, [account.name for account in accounts]):
            if self._may_show(question):
                yield from from_bytes(answer)

    def paid_before(self, recorded: Sequence[pa.Table], accounts: Sequence[str]) -> Loss:
        """What it cost to find texts for a profile, as far as each of the accounts has paid for that, or seen it."""
        from deniable.curator.profiling.purchase import questions_before  # noqa: PLC0415 - slow to load, and most have no profile

        return self._ledger.price_of_seen(questions_before(recorded), accounts)

    def forget(self) -> None:
        """Something was recorded: look again."""
        with self._lock:
            self._known.clear()

    def _read(self, accounts: tuple[str, ...]) -> Profile | None:
        found = self._ledger.seen(PROFILE, accounts)
        if found is None:
            return None
        from deniable.curator.profiling.purchase import profile_of  # noqa: PLC0415 - same

        question, loss, answer = found
        recorded = from_bytes(answer)
        return profile_of(recorded, loss + self.paid_before(recorded, accounts), _CONFIDENCE, question, free=True)


def noted(together: PricedStatements, profile: Profile, policy: Policy) -> PricedStatements:
    """Statements, each with what the profile says about the rows and columns of its questions."""

    def with_notes(plan: Plan) -> Plan:
        return replace(plan, quote=plan.quote.with_notes(notes(plan, profile, policy)))

    asked = [replace(one, plans=tuple(with_notes(plan) for plan in one.plans)) for one in together.asked]
    return replace(together, asked=tuple(asked))


def notes(plan: Plan, profile: Profile, policy: Policy) -> list[str]:
    """What the profile says about the rows and columns of a question."""
    bound = plan.bound
    table = profile.tables.get(declared_table(bound.source.table) or "")
    if table is None:
        return []
    most = max(policy.tables[table.name].contribution, bound.source.contribution)
    return [*_cut(bound, table), *_smaller(bound, table), *_best(plan, table, most), *_outside(bound, table)]


def declared_table(relation: Relation) -> str | None:
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
    if not people.telling:
        return [f"profile: nobody can tell how many of the rows of {table.name} contribution {most} leaves out"]
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
    if not _cut(bound, table) or people is None or not people.telling or not tried:
        return []
    texts = [
        f"contribution={rows} leaves out {_percents(people.cut(rows))}, for {rows / most:.0%} of the noise of counts"
        for rows in tried
    ]
    return [f"profile: less noise, more cut: {'; '.join(texts)}"]


def _best(plan: Plan, table: TableProfile, most: int) -> list[str]:
    """The contribution at which the first count or sum is off by least, noise and cut together, if that is known.

    `most`: what the policy allows, which may be more than was asked with.
    """
    people, asked, groups = table.people, plan.bound.source.contribution, plan.quote.groups
    told = people is not None and people.telling and _cut(plan.bound, table)
    if people is None or not told or plan.bound.source.where is not None or not groups:
        return []
    lines = [(line, row) for line in plan.quote.lines if (row := _row_of(plan.bound, line.column))]
    if not lines:
        alike = "then each person weighs one row, and they are averages of people"
        return [f"profile: averages and their like have the least noise with contribution=1; {alike}"] * (asked > 1)
    line, row = lines[0]
    left, noise = row / groups, line.error / asked
    best = best_contribution(people, noise, left, most)

    def off(rows: int) -> str:
        return (
            f"{line.column} leaves out {left * people.expected_cut(rows):,.0f} and has ± {noise * rows:,.0f} of noise"
        )

    if best == asked:
        return [f"profile: contribution {asked} is the best for this question: in a group, {off(asked)}"]
    way = f"contribution={best}" if best < most else "no contribution of its own"
    return [f"profile: best for this question: {way}: in a group, {off(best)}; with {asked}, {off(asked)}"]


def _row_of(bound: Bound, column: str) -> float:
    """What a row is expected to add to a count or a sum, in size; 0: that is not known, or it is neither."""
    known = {base.name: base for base in bound.statistics if isinstance(base, Statistic)}
    (output,) = [output for output in bound.outputs if output.name == column]
    form = Forms(dict.fromkeys(known, False)).of(unrounded(output.value))
    if not isinstance(form, Affine):
        return 0.0
    return abs(float(sum(factor * known[name].each_row for name, factor in form.multiples.items())))


def values_of(bound: Bound) -> list[Column]:
    """The columns of numbers, dates and timestamps that are added up or chosen from, by their names."""
    found: dict[str, Column] = {}
    for base in bound.statistics:
        row = base.total.row if isinstance(base, Statistic) and base.total is not None else None
        row = base.histogram.cell if isinstance(base, Quantile) else row
        for column in columns(row) if row is not None else ():
            if column.kind in (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP):
                found[column.name] = column
    return [found[name] for name in sorted(found)]


def _outside(bound: Bound, table: TableProfile) -> list[str]:
    """Which share of the values of each column lies outside of its bounds."""
    texts = []
    for column in values_of(bound):
        if column.name not in table.columns or (column.range.low is None and column.range.high is None):
            continue
        outside = table.columns[column.name].outside(column.range.low, column.range.high)
        share = _percents(outside) if outside.high - outside.low < 1 else "nobody can tell how many"
        texts.append(f"profile: {share} of the values of {column.name} lie outside its bounds, and count as a bound")
    return texts


def _percents(share: Between) -> str:
    """From low to high."""
    return f"{share.low:.1%} to {share.high:.1%}" if share.low >= 0.001 else f"at most {share.high:.1%}"  # noqa: PLR2004
