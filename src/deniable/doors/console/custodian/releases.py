"""What a custodian publishes: an order with its price, how far it is, and what came of it, to look at and take away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.doors.console.custodian.made import document, file_of, names_of
from deniable.doors.console.custodian.orders import EXAMPLES, PAYMENTS, TITLES, fields_of, ordered
from deniable.doors.console.pages import HOME, by_script, go, page
from deniable.doors.console.visitors import Visiting, Visitor
from deniable.doors.http.jobs import Asked
from deniable.service.custodian.custody import Custody
from deniable.service.custodian.publishing import PAID, OrderPrice, Published, Publishing
from deniable.service.history import RELEASED
from deniable.service.orders import Order
from deniable.service.session import Session

router = APIRouter()


@dataclass(frozen=True, slots=True)
class PricedOrder:
    """What is said below an order: a price, or why it is refused."""

    order: Order
    price: OrderPrice | None = None
    refusal: Refused | None = None

    @property
    def seal(self) -> str:
        """Stands for the order and what it costs, so that nobody pays a price that they have not seen."""
        cost = "" if self.price is None or self.price.loss is None else str(self.price.loss.to_dict())
        return sha256(f"{self.order.digest} {cost}".encode()).hexdigest()


@router.get("/releases")
async def releases(request: Request, visitor: Visiting) -> Response:
    """What can be made, what was made here, and what the ledger knows of."""
    publishing = Publishing(visitor.session)
    publishing.require()
    entries = await Custody(visitor.session).entries()
    noted = [one for one in reversed(entries) if one.kind == "published" or one.text.startswith(RELEASED)]
    made = [(one, request.app.state.orders.get(one.id)) for one in _jobs(request, visitor.session)]
    begun = [(one, order) for one, order in reversed(made) if isinstance(order, Order)]
    here = {order.digest for _, order in begun}
    before = {name: order for name, order in (await publishing.before()).items() if name not in here}
    return page(request, "releases", titles=TITLES, begun=begun, before=before, noted=noted[:50])


@router.get("/releases/new/{kind}")
async def new(request: Request, kind: str, visitor: Visiting, again: str = "") -> Response:
    """An order to begin with: one that was made before, or an example."""
    publishing = Publishing(visitor.session)
    publishing.require()
    order, before = ordered(kind, {}), await publishing.before()
    if again in before and before[again].kind == kind:
        return await _order(request, visitor, before[again], shown=True)
    return await _order(request, visitor, replace(order, text=EXAMPLES[order.kind](visitor.session.policy)))


@router.post("/releases/new/{kind}/price")
async def price(request: Request, kind: str, visitor: Visiting) -> Response:
    """What it would cost. Reads no private row, and costs nothing."""
    Publishing(visitor.session).require()
    order = ordered(kind, visitor.sent)
    if not by_script(request):
        return await _order(request, visitor, order, shown=True)
    return page(request, "parts/order_price", priced=await _priced(visitor.session, order))


@router.post("/releases/new/{kind}")
async def make(request: Request, kind: str, visitor: Visiting) -> Response:
    """Make it, if the price now is the one that was shown. What no budget covers takes one's own token once more."""
    publishing, order = Publishing(visitor.session), ordered(kind, visitor.sent)
    publishing.require()
    priced = await _priced(visitor.session, order)
    if priced.refusal is not None or visitor.sent.get("priced") != priced.seal:
        return await _order(request, visitor, order, shown=True)
    if kind not in PAID:
        visitor.show_token()

    async def work(asked: Asked) -> Published:
        return await publishing.make(order, asked.told)

    asked = request.app.state.jobs.start(_owner(visitor.session), None, "", work)
    request.app.state.orders.keep(asked.id, order)
    return go(request, f"{HOME}/releases/{asked.id}")


@router.get("/releases/{name}")
async def look(request: Request, name: str, visitor: Visiting) -> Response:
    """What came of it, or how far it is."""
    asked, order = _mine(request, visitor.session, name)
    facts: dict[str, Any] = {"place": f"{HOME}/releases/{name}", "order": order, "title": TITLES[order.kind][0]}
    if not asked.over or asked.task is None:
        return page(request, "release", **facts, stage=asked.stages[-1], made=None, problem=None)
    try:
        made = asked.task.result()
    except (Refused, Failed) as problem:
        return page(request, "release", **facts, stage="", made=None, problem=problem)
    return page(request, "release", **facts, stage="", made=made, problem=None, files=names_of(made))


@router.get("/releases/{name}/stage")
async def stage(request: Request, name: str, visitor: Visiting) -> Response:
    """How far it is; when it is there, the page is opened anew."""
    asked, order = _mine(request, visitor.session, name)
    if asked.over:
        return Response(headers={"HX-Refresh": "true"})
    return page(request, "parts/making", stage=asked.stages[-1], order=order)


@router.get("/releases/{name}/files/{file}")
async def download(request: Request, name: str, file: str, visitor: Visiting) -> Response:
    """A table, or the page, as a file."""
    made = _made(request, visitor.session, name)
    return await visitor.session.aside(lambda: file_of(made, file))


@router.get("/releases/{name}/page")
async def report(request: Request, name: str, visitor: Visiting) -> Response:
    """The page that came with it, by itself: it runs no script and reaches nothing."""
    return document(_made(request, visitor.session, name).page)


async def _order(request: Request, visitor: Visitor, order: Order, *, shown: bool = False) -> Response:
    publishing = Publishing(visitor.session)
    facts: dict[str, Any] = {
        "order": order,
        "title": TITLES[order.kind],
        "payments": PAYMENTS.get(order.kind, ()),
        "fields": fields_of(order, visitor.session.policy),
        "payers": publishing.payers if order.kind in PAID else (),
        "private": [name for name, table in visitor.session.policy.tables.items() if not table.public],
        "priced": await _priced(visitor.session, order) if shown else None,
    }
    return page(request, "order", **facts)


async def _priced(session: Session, order: Order) -> PricedOrder:
    try:
        return PricedOrder(order, await Publishing(session).price(order))
    except Refused as refusal:
        return PricedOrder(order, refusal=refusal)
    except InvalidArgumentError as error:
        return PricedOrder(order, refusal=Refused("bad-argument", f"{error}.", "Correct it."))


def _owner(session: Session) -> tuple[str, str]:
    return session.population.name, session.who


def _jobs(request: Request, session: Session) -> list[Asked]:
    found: list[Asked] = request.app.state.jobs.of(_owner(session))
    return found


def _mine(request: Request, session: Session, name: str) -> tuple[Asked, Order]:
    """Somebody else's is not there, and neither is one that was forgotten."""
    Publishing(session).require()
    asked, order = request.app.state.jobs.get(_owner(session), name), request.app.state.orders.get(name)
    if asked is None or order is None:
        raise HTTPException(404, "This is not kept here any more. Make it again: what was paid for is free.")
    return asked, order


def _made(request: Request, session: Session, name: str) -> Published:
    asked, _ = _mine(request, session, name)
    if not asked.over or asked.task is None or asked.task.exception() is not None:
        raise HTTPException(404)
    found: Published = asked.task.result()
    return found
