"""Who is visiting: a cookie that scripts cannot read, and forms that can only come from our own pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl, quote, urlsplit

from fastapi import Depends, Request
from fastapi.responses import Response

from deniable.core.errors import Refused
from deniable.doors.console.pages import HOME
from deniable.service.session import Session
from deniable.service.visits import Visit, Visits

_MOST_FIELDS = 2_000


class Stranger(Exception):
    """Nobody is signed in; `place` is where they wanted to go."""

    def __init__(self, place: str) -> None:
        super().__init__("sign in")
        self.place = place


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in, and what they have sent."""

    visit: Visit
    session: Session
    sent: dict[str, str]
    """The fields of a form; nothing, where none was sent."""

    def show_token(self) -> None:
        """Refuses whoever has not sent the token with which the visit began, but only its cookie."""
        if not self.visit.knows(self.sent.get("own", "").strip()):
            hint = "Go back, and write it again."
            raise Refused("own-token", "That is not the token with which you signed in.", hint)


def cookie_name(*, secure: bool) -> str:
    """Under TLS browsers take care that nobody else can set it: that is what its beginning means to them."""
    return "__Host-deniable" if secure else "deniable"


def remember(response: Response, key: str, *, secure: bool) -> Response:
    """The cookie: for this server alone, not for scripts, and never sent from another site."""
    response.set_cookie(cookie_name(secure=secure), key, path="/", secure=secure, httponly=True, samesite="strict")
    return response


def forget(response: Response, *, secure: bool) -> Response:
    """Without the cookie."""
    response.delete_cookie(cookie_name(secure=secure), path="/", secure=secure, httponly=True, samesite="strict")
    return response


def key_of(request: Request) -> str:
    """What the cookie says."""
    return request.cookies.get(cookie_name(secure=request.app.state.secure), "")


async def visiting(request: Request) -> Visitor:
    """Whoever is signed in; a request that is counted, and a form that is from one of our pages."""
    visits: Visits = request.app.state.visits
    visit = visits.find(key_of(request))
    if visit is None:
        raise Stranger(_wanted(request))
    session = visit.session(request.state.request_id)
    try:
        session.admit()
    except Refused as refusal:
        if refusal.code != "token-ended":
            raise
        visits.end(key_of(request))
        raise Stranger(_wanted(request)) from None
    request.state.visit = visit
    sent = await fields(request)
    if request.method == "POST" and not visit.sent(sent.get("form", "")):
        raise foreign()
    return Visitor(visit, session, sent)


def _wanted(request: Request) -> str:
    """The page that somebody looks at: a script of ours says which, and what was sent is not sent again."""
    if (looked := request.headers.get("hx-current-url")) is not None:
        return urlsplit(looked).path
    return request.url.path if request.method == "GET" else HOME


Visiting = Annotated[Visitor, Depends(visiting)]


async def fields(request: Request) -> dict[str, str]:
    """What a form has sent, each name once. Refused, if it was sent by the page of another site."""
    if request.method != "POST":
        return {}
    refuse_foreign(request)
    try:
        text = (await request.body()).decode()
        said = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Refused("bad-request", "The form cannot be read.", "Go back, and send it again.") from None
    return {name: value.replace("\r\n", "\n") for name, value in said}


def refuse_foreign(request: Request) -> None:
    """What browsers themselves say about where a form comes from; those that say nothing send the cookie nowhere."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site not in {"same-origin", "none"}:
        raise foreign()
    if site is None and origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise foreign()


def foreign() -> Refused:
    """A form from elsewhere, or from a visit that is over."""
    return Refused("foreign-form", "This form is not from a page of your visit.", "Open the page again, and send it.")


def sign_in_address(place: str) -> str:
    """Where to sign in, and to come back from."""
    return f"{HOME}/sign-in?next={quote(place, safe='')}"


def local(place: str) -> str:
    """The place, if it is one of our pages; else the first page. Nobody is sent to another site."""
    ours = place == HOME or place.startswith(f"{HOME}/")
    plain = all(one.isprintable() and one != "\\" for one in place)
    return place if ours and plain and "//" not in place and "sign-" not in place else HOME
