"""What the policy promises, in sentences: who is protected, what each column allows, what may be lost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.core.algebra.expression import Kind
from deniable.core.sensitivity import Neighbours
from deniable.core.shown import at_least, plain
from deniable.doors.console.custodian.made import document
from deniable.doors.console.drawn.sketches import sketches
from deniable.doors.console.pages import page
from deniable.doors.console.visitors import Visiting
from deniable.policy import Policy
from deniable.policy.column import Bound, DeclaredColumn
from deniable.policy.table import DeclaredTable

router = APIRouter()
_MOST_VALUES, _LONG_VALUE = 12, 60
_HUGE = 30


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column in words."""

    name: str
    type: str
    says: str


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A table in words."""

    name: str
    public: bool
    says: str
    columns: tuple[DescribedColumn, ...]


@router.get("/data")
async def data(request: Request, visitor: Visiting) -> Response:
    """The policy as a page."""
    policy, profile = visitor.session.policy, await visitor.session.profile()
    return page(
        request,
        "data",
        tables=described(policy),
        promises=promises(policy),
        profile=profile,
        pictures=sketches(profile),
    )


@router.get("/data/profile")
async def profile(visitor: Visiting) -> Response:
    """The profile's own page, for whoever has been shown it."""
    from deniable.releases.profile.page import page as profile_page  # noqa: PLC0415 - most have no profile

    found = await visitor.session.profile()
    if found is None:
        raise HTTPException(404, "There is no profile that you have been shown.")
    return document(profile_page(found))


def described(policy: Policy) -> list[DescribedTable]:
    """Every table that may be asked about, with its columns."""
    return [
        DescribedTable(
            name,
            table.public,
            _table(table),
            tuple(DescribedColumn(one.name, one.type, _column(one, table)) for one in table.columns.values()),
        )
        for name, table in policy.tables.items()
    ]


def promises(policy: Policy) -> list[str]:
    """What holds for everybody in the data."""
    units = {table.unit for table in policy.tables.values() if not table.public}
    whom = "one person with all their rows" if any(units) else "one row"
    change = "is in the data or not" if policy.neighbours is Neighbours.ADD_REMOVE else "is exchanged for another"
    epsilon, delta = policy.budget.epsilon, policy.budget.delta
    except_ = f", except with probability {plain(delta)}" if delta else ""
    one, likelier = "person" if any(units) else "row", plain(exp(epsilon)) if epsilon < _HUGE else f"e^{plain(epsilon)}"
    found = [
        f"Protected is {whom}: whether that {one} {change} makes little difference to anything that is answered here.",
        f"All answers together, to all analysts, for ever, make nothing more than {likelier} times as likely because "
        f"of one {one}{except_}. That is the budget: ε {at_least(epsilon)}{f' and δ {plain(delta)}' if delta else ''}.",
        _leaving(policy.serving.release_after),
    ]
    if policy.analysts:
        found.append("Each analyst has a share of the budget; what anyone was shown counts on their own share.")
    return found


def _leaving(after: float) -> str:
    if not after:
        return "An answer leaves when it is there; how long that takes may depend on the data."
    return f"An answer leaves {after:g} seconds after its question, or, if it was late, at a multiple of that."


def _table(table: DeclaredTable) -> str:
    if table.public:
        return "Public: it protects nobody, and what is asked about it alone is exact and free."
    if table.unit is None and not table.path:
        return "Each row is protected by itself."
    unit = table.way if table.path else table.unit
    if table.unweighed:
        return f"Protected is whoever {unit} names. Nothing can be asked until the policy names a contribution."
    rows = f"{table.contribution} row{'s' * (table.contribution != 1)}"
    return f"Protected is whoever {unit} names, with all rows. At most {rows} of each count; more are scaled down."


def _column(column: DeclaredColumn, table: DeclaredTable) -> str:
    if column.name == table.unit:
        return "names whom we protect; it can be counted, never shown"
    found = []
    if column.values is not None:
        more = len(column.values) - _MOST_VALUES
        listed = ", ".join(_short(str(one)) for one in column.values[:_MOST_VALUES])
        found.append(f"one of {listed}{f' and {more} more' if more > 0 else ''}")
    elif column.low is not None and column.high is not None:
        found.append(f"from {_bound(column.low)} to {_bound(column.high)}; what is outside counts as the nearest end")
    elif column.kind is Kind.BOOLEAN:
        found.append("true or false")
    elif column.kind is Kind.TEXT and not table.public:
        found.append("values are private: rare ones stay hidden, and grouping by them costs a delta")
    elif column.kind in (Kind.INTEGER, Kind.NUMBER) and not table.public:
        found.append("no bounds: it can be counted and compared, not added up")
    if column.step is not None and column.kind is Kind.NUMBER:
        found.append(f"in steps of {plain(column.step)}")
    if column.nulls and not table.public:
        found.append("may be missing")
    return "; ".join(found) or ("any value" if table.public else "can be counted and compared")


def _short(value: str) -> str:
    """Long values without their ends: there is little room for a list of them."""
    return value if len(value) <= _LONG_VALUE else f"{value[: _LONG_VALUE - 1]}…"


def _bound(bound: Bound) -> str:
    return plain(bound) if isinstance(bound, Fraction) else str(bound)
