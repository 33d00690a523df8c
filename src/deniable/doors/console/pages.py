"""How a page is made: one template each, in which every value is text, and headers under which nothing else runs."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from deniable import __version__
from deniable.core.shown import at_least, at_most, error, label, plain, printable
from deniable.doors.console.builder import quoted
from deniable.doors.console.drawn.meanings import meaning
from deniable.doors.console.drawn.wording import in_words
from deniable.service.tokens import Role

HOME = "/console"
STATIC = Path(__file__).parent / "static"
_TEMPLATES = Path(__file__).parent / "templates"

MENU = {
    Role.ANALYST: (("ask", "Ask"), ("history", "History"), ("budget", "Budget"), ("data", "Data")),
    Role.CUSTODIAN: (
        ("policy", "Policy"),
        ("people", "People"),
        ("releases", "Releases"),
        ("budget", "Budget"),
        ("activity", "Activity"),
        ("ledger", "Ledger"),
        ("data", "Data"),
    ),
    Role.REVIEWER: (("ledger", "Ledger"), ("epochs", "Policy"), ("budget", "Budget"), ("data", "Data")),
}
"""Where each role goes. What it may do there is decided by the service, not here."""


_ROOMS = {"answers": "ask", "proofs": "ledger"}
"""Pages that belong to another one's entry in the menu."""


def _environment() -> Environment:
    """Whatever a template is given is escaped; a name that it was not given is an error."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "in_words": in_words,
        "meaning": meaning,
        "at_least": at_least,
        "at_most": at_most,
        "error": error,
        "label": label,
        "plain": plain,
        "printable": printable,
        "quoted": quoted,
    }
    made.globals |= {"home": HOME, "version": __version__}
    return made


_PAGES = _environment()


def page(request: Request, name: str, status: int = 200, **facts: Any) -> Response:  # noqa: ANN401 - whatever is shown
    """A whole page; or, asked for by a script of ours, the part of it that changes."""
    visit = getattr(request.state, "visit", None)
    nonce = token_urlsafe(16)
    role = None if visit is None else visit.token.role
    known = {
        "nonce": nonce,
        "at": _ROOMS.get(room := request.url.path.removeprefix(f"{HOME}/").split("/")[0], room),
        "visit": visit,
        "menu": MENU[role] if role is not None else (),
        "form": "" if visit is None else visit.form,
        "who": "" if visit is None else visit.token.name,
        "role": "" if role is None else role.value,
        "population": "" if visit is None else visit.population.name,
    }
    text = _PAGES.get_template(f"{name}.html").render(**known, **facts)
    return HTMLResponse(text, status, headers(nonce))


def headers(nonce: str) -> dict[str, str]:
    """Scripts and styles from this server alone, nothing inline; the nonce is for the editor's own style sheet."""
    rules = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'self' 'nonce-{nonce}'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    said = "; ".join(f"{name} {value}" for name, value in rules.items())
    return {
        "Content-Security-Policy": said,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "same-origin",
    }


def by_script(request: Request) -> bool:
    """Whether a script of ours asks, and wants a part of a page."""
    return request.headers.get("hx-request") == "true"


def go(request: Request, place: str) -> Response:
    """To another page, by a GET: what was sent is not sent again when the page is loaded again."""
    if by_script(request):
        return Response(status_code=HTTPStatus.OK, headers={"HX-Redirect": place})
    return RedirectResponse(place, HTTPStatus.SEE_OTHER)
