"""The Ask page: what is written, its price as it is typed, and one button that says what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.curator import Budget
from deniable.doors.console.begun import begin
from deniable.doors.console.builder import SIGNS, Built, first_example
from deniable.doors.console.data import described
from deniable.doors.console.drawn.previews import DrawnPreview, previewed
from deniable.doors.console.drawn.sketches import sketches
from deniable.doors.console.mending import Mended, mended, usual_amount
from deniable.doors.console.pages import HOME, by_script, go, page
from deniable.doors.console.visitors import Visiting, Visitor
from deniable.doors.console.written import WrittenQuestion
from deniable.planner import Quote
from deniable.service.session import Session

router = APIRouter()
_FREE = frozenset({"public-table"})
"""Codes of refusals to name a price, because there is none."""
_REFUSED = "warning: this would be refused: "


@dataclass(frozen=True, slots=True)
class Price:
    """What is said below a question: a price, that there is none, or why it is refused."""

    written: WrittenQuestion
    quote: Quote | None = None
    budget: Budget | None = None
    refusal: Refused | None = None
    free: str = ""
    """Why it costs nothing, if it does."""
    mended: tuple[Mended, ...] = ()
    """What the hint of a refusal suggests."""

    @property
    def seal(self) -> str:
        """Stands for the question and for what it costs, so that nobody pays a price that they have not seen."""
        cost = "free" if self.free or self.quote is None else str(self.quote.loss.to_dict())
        return sha256(f"{self.written.digest} {cost}".encode()).hexdigest()

    @property
    def like(self) -> int:
        """How many questions like this one could be asked."""
        if self.quote is None or self.budget is None or self.quote.loss == Loss.zero():
            return 0
        return self.budget.more_like(self.quote.loss)

    @property
    def left(self) -> float | None:
        """The largest epsilon of one question, once this one is paid."""
        if self.quote is None or self.budget is None or not self.like:
            return None
        return self.budget.after(self.quote.loss).largest_epsilon

    @property
    def preview(self) -> DrawnPreview:
        """Its error bars, for groups of a few sizes."""
        return previewed(self.quote)

    @property
    def refused(self) -> str:
        """Why the account would refuse it now, as its notes say; empty, if it would not."""
        notes = () if self.quote is None else self.quote.notes
        return next((note.removeprefix(_REFUSED).split(". ")[0] for note in notes if note.startswith(_REFUSED)), "")

    @property
    def falls(self) -> tuple[float, float] | None:
        """What is left of the account before and after it, in percent: of the sum that has most room then."""
        if self.quote is None or self.budget is None:
            return None
        cap, before, after = self.budget.total, self.budget.spent, self.budget.after(self.quote.loss).spent
        found = [
            (_left(getattr(before, form), whole), _left(spent, whole))
            for form in ("epsilon", "rho", "mu_squared")
            if (whole := getattr(cap, form)) and (spent := getattr(after, form)) is not None
        ]
        return max(found, key=lambda pair: pair[1], default=None)


def _left(spent: Fraction, whole: Fraction) -> float:
    return round(100 * max(0.0, 1 - float(spent / whole)), 2)


@router.get("/ask")
async def ask_page(request: Request, visitor: Visiting) -> Response:
    """An empty page, or a question to begin with."""
    said, usual = dict(request.query_params), _usual(visitor.session)
    built = Built.read(said)
    if sql := built.sql(visitor.session.policy):
        return await shown(request, visitor, replace(usual, sql=sql), built)
    return await shown(request, visitor, WrittenQuestion.read(said) if "sql" in said else usual)


@router.post("/ask/price")
async def price(request: Request, visitor: Visiting) -> Response:
    """What it would cost. Reads no private row, and costs nothing."""
    written = WrittenQuestion.read(visitor.sent)
    if not by_script(request):
        return await shown(request, visitor, written, Built.read(visitor.sent))
    visitor.session.may_ask()
    return page(request, "parts/price", price=await priced(visitor.session, written))


@router.post("/ask/build")
async def build(request: Request, visitor: Visiting) -> Response:
    """The question that the buttons write."""
    built, policy = Built.read(visitor.sent), visitor.session.policy
    written = WrittenQuestion.read({**visitor.sent, "sql": built.sql(policy) or visitor.sent.get("sql", "")})
    if not by_script(request):
        return await shown(request, visitor, written, built)
    visitor.session.may_ask()
    return page(request, "parts/builder", **_buttons(visitor.session, built), write=built.sql(policy))


@router.post("/ask")
async def pay(request: Request, visitor: Visiting) -> Response:
    """Ask, if the price now is the one that was shown: a usual spend, the policy or the data may have changed since."""
    visitor.session.may_ask()
    written = WrittenQuestion.read(visitor.sent)
    price = await priced(visitor.session, written)
    if price is None or price.refusal is not None or not (price.free or visitor.sent.get("priced") == price.seal):
        return await shown(request, visitor, written, Built.read(visitor.sent), price=price)
    return go(request, f"{HOME}/answers/{begin(request, visitor.session, written)}")


async def shown(
    request: Request, visitor: Visitor, written: WrittenQuestion, built: Built | None = None, **more: object
) -> Response:
    """The page with all of its parts."""
    session = visitor.session
    session.may_ask()
    facts: dict[str, Any] = {
        "written": written,
        "price": None if "answer" in more or "price" in more else await priced(session, written),
        "tables": described(session.policy),
        "pictures": sketches(await session.profile()),
        "schema": {name: list(table.columns) for name, table in session.policy.tables.items()},
        "budget": await session.budget(),
        "usual": session.policy.per_question.get(session.who),
        "asked": len(await session.history(0, 2)),
        "example": first_example(session.policy),
        "answer": None,
        "waiting": None,
        "write": "",
        **_buttons(session, built or Built()),
    }
    return page(request, "ask", **{**facts, **more})


async def priced(session: Session, written: WrittenQuestion) -> Price | None:
    """The price, or the refusal that asking would meet; None where nothing is written."""
    if not written.sql.strip():
        return None
    try:
        plain, spending = written.settled
        quote = await session.explain(plain, spending)
        seen = await session.has_seen(plain, spending)
    except Refused as refusal:
        if refusal.code in _FREE:
            return Price(written, free="It is about public tables alone: the answer is exact, and free.")
        return Price(written, refusal=refusal, mended=await _mended(session, written, refusal))
    why = "You have this answer already: you see it again, with the same noise, for free." if seen else ""
    if quote.loss == Loss.zero():
        why = "No row is looked at: the answer is exact, and free."
    return Price(written, quote, await session.budget(), free=why)


async def _mended(session: Session, written: WrittenQuestion, refusal: Refused) -> tuple[Mended, ...]:
    async def price(changed: WrittenQuestion) -> Quote:
        return await session.explain(*changed.settled)

    total = (await session.budget()).total
    usual = usual_amount(float({"epsilon": total.epsilon, "rho": total.rho}.get(written.pay) or 0))
    return await mended(written, refusal, usual, price)


def _usual(session: Session) -> WrittenQuestion:
    """Where an analyst begins: with their usual spend, if the policy gives them one."""
    usual = session.policy.per_question.get(session.who)
    return WrittenQuestion("", amount="" if usual is None else f"{float(usual):g}")


def _buttons(session: Session, built: Built) -> dict[str, Any]:
    choices = built.choices(session.policy)
    return {"built": built, "choices": choices, "values": built.values(session.policy), "signs": list(SIGNS)}
