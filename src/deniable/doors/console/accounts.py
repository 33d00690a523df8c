"""Budgets: how an account falls over time, in all of its sums, and what may still be asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from deniable.curator import Budget
from deniable.doors.console.drawn.charts import falling
from deniable.doors.console.pages import HOME, go, page
from deniable.doors.console.visitors import Visiting
from deniable.service.history import Charged
from deniable.service.tokens import Role

router = APIRouter()
_MOST = 100_000
_FORMS = {"epsilon": "epsilon (pure)", "rho": "rho (zCDP)", "mu_squared": "mu² (GDP)"}


@dataclass(frozen=True, slots=True)
class Sum:
    """One of the sums of an account, of which one must hold."""

    name: str
    cap: Fraction
    spent: Fraction | None
    """None: a question lacked this form, and the sum is closed."""
    picture: Markup

    @property
    def closed(self) -> bool:
        """Whether questions are paid from another sum, because this one has no room."""
        return self.spent is None or self.spent > self.cap

    @property
    def share(self) -> int:
        """What is left, in percent."""
        return 0 if self.spent is None else max(0, round(100 * (1 - self.spent / self.cap)))


@router.get("/budget")
async def budget(request: Request, visitor: Visiting) -> Response:
    """An analyst's own account; every account for the other roles."""
    session = visitor.session
    charges = await session.history(0, _MOST)
    accounts = [(one, sums_of(one, charges)) for one in await session.budgets()]
    spent: dict[str, int] = defaultdict(int)
    for charge in charges:
        spent[charge.analyst] += 1
    mine = session.token.role is Role.ANALYST
    requests = await session.requests() if mine else []
    facts: dict[str, Any] = {
        "accounts": accounts,
        "mine": mine,
        "charges": charges,
        "asked": dict(spent),
        "requests": requests,
    }
    return page(request, "budget", **facts)


@router.post("/budget/requests")
async def ask_for_more(request: Request, visitor: Visiting) -> Response:
    """A request for a larger share, with its reason, into the ledger."""
    await visitor.session.ask_for_more(visitor.sent.get("wanted", ""), visitor.sent.get("reason", ""))
    return go(request, f"{HOME}/budget")


def sums_of(account: Budget, charges: Sequence[Charged]) -> list[Sum]:
    """How each sum has grown, charge by charge."""
    whole, who = account.name == "population", account.name.removeprefix("analyst:")
    own = [one for one in charges if (whole and not one.shown) or (not whole and one.analyst == who)]
    found = []
    for form, name in _FORMS.items():
        cap, spent = getattr(account.total, form), getattr(account.spent, form)
        if not cap:
            continue
        points, total = [], 0.0
        for one in own:
            part = getattr(one.loss, form)
            total = float("inf") if part is None else total + float(part)
            points.append((one.written, min(total, float(cap))))
        found.append(Sum(name, cap, spent, falling(points, float(cap), name)))
    return found
