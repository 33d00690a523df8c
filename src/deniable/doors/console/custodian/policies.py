"""The policy's page: a form and the text side by side, in step; what is wrong, and what each change means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.core.errors import Refused
from deniable.doors.console.data import described
from deniable.doors.console.pages import by_script, page
from deniable.doors.console.visitors import Visiting, Visitor
from deniable.service.custodian.custody import Custody, digest_of_text
from deniable.service.custodian.policy_form import groups_of, with_analyst, with_fields

router = APIRouter()


@dataclass(frozen=True, slots=True)
class SentPolicy:
    """What was sent: the text, the fields of the form, and what both were when they were last the same."""

    text: str
    fields: tuple[str, ...]
    new: tuple[str, str]
    """The name and the share of an analyst to be added."""
    text_was: str
    fields_were: str

    @classmethod
    def read(cls, sent: dict[str, str]) -> SentPolicy:
        """Fields are numbered, in the order of the text that they were made from."""
        values: list[str] = []
        while (value := sent.get(f"field{len(values)}")) is not None:
            values.append(value)
        new = sent.get("new_name", "").strip(), sent.get("new_share", "").strip()
        were = sent.get("text_was", ""), sent.get("fields_were", "")
        return cls(sent.get("text", ""), tuple(values), new, *were)

    @property
    def text_changed(self) -> bool:
        """Since the two were the same."""
        return digest_of_text(self.text) != self.text_was

    @property
    def form_changed(self) -> bool:
        """Likewise."""
        return any(self.new) or _digest(self.fields) != self.fields_were

    def by_form(self) -> str:
        """The text with what the form says."""
        if not self.form_changed:
            return self.text
        if self.text_changed:
            raise Refused("out-of-step", "Both the form and the text were changed.", "Here is the text. Change one.")
        text = with_fields(self.text, self.fields)
        return with_analyst(text, *self.new) if any(self.new) else text


@router.get("/policy")
async def policy(request: Request, visitor: Visiting) -> Response:
    """The policy as it stands, to be changed."""
    return await _policy(request, visitor, Custody(visitor.session).policy_text())


@router.post("/policy/check")
async def check(request: Request, visitor: Visiting) -> Response:
    """The text was changed: what is wrong with it, or what it would change, and the form that says the same."""
    Custody(visitor.session).may_give()
    sent = SentPolicy.read(visitor.sent)
    if by_script(request):
        return await _parts(request, visitor, sent.text, "fields")
    return await _formed(request, visitor, sent)


@router.post("/policy/form")
async def formed(request: Request, visitor: Visiting) -> Response:
    """The form was changed: the text that says the same, and what that would change."""
    Custody(visitor.session).may_give()
    sent = SentPolicy.read(visitor.sent)
    if not by_script(request):
        return await _formed(request, visitor, sent)
    try:
        return await _parts(request, visitor, sent.by_form(), "written")
    except Refused as refusal:
        return await _parts(request, visitor, sent.text, "fields", refusal)


@router.post("/policy")
async def adopt(request: Request, visitor: Visiting) -> Response:
    """Adopt the text, with its reason. What only the form says is put into the text first, and shown."""
    sent, custody = SentPolicy.read(visitor.sent), Custody(visitor.session)
    custody.may_give()
    if sent.form_changed and visitor.sent.get("text_was"):
        return await _formed(request, visitor, sent)
    try:
        words = await custody.amend(sent.text, visitor.sent.get("reason", ""), visitor.sent.get("based", ""))
    except Refused as refusal:
        return await _policy(request, visitor, sent.text, problem=refusal)
    return await _policy(request, visitor, custody.policy_text(), adopted=words or ["Nothing that the account keeps."])


async def _formed(request: Request, visitor: Visitor, sent: SentPolicy) -> Response:
    """A whole page, with the form's changes in its text."""
    try:
        return await _policy(request, visitor, sent.by_form(), moved=sent.form_changed)
    except Refused as refusal:
        return await _policy(request, visitor, sent.text, problem=refusal)


async def _policy(
    request: Request,
    visitor: Visitor,
    text: str,
    problem: Refused | None = None,
    adopted: list[str] | None = None,
    *,
    moved: bool = False,
) -> Response:
    custody = Custody(visitor.session)
    facts: dict[str, Any] = {
        **await _facts(visitor, text),
        "based": visitor.sent.get("based") or digest_of_text(custody.policy_text()),
        "reason": visitor.sent.get("reason", "") if adopted is None else "",
        "unadopted": await custody.unadopted(),
        "waiting": list(dict.fromkeys(one.analyst for one in await visitor.session.requests() if one.granted is None)),
        "problem": problem,
        "moved": moved,
        "adopted": adopted or [],
    }
    if adopted is not None:
        facts["based"] = digest_of_text(custody.policy_text())
    return page(request, "policy", 200 if problem is None else 400, **facts)


async def _parts(request: Request, visitor: Visitor, text: str, other: str, refusal: Refused | None = None) -> Response:
    """What changes on the page: what the text means, and the other one of form and text."""
    facts = {**await _facts(visitor, text), "other": other, "refusal": refusal}
    return page(request, "parts/in_step", **facts)


async def _facts(visitor: Visitor, text: str) -> dict[str, Any]:
    considered, groups = await Custody(visitor.session).consider(text), groups_of(text)
    fields = tuple(field.value for group in groups for field in group.fields)
    return {
        "text": text,
        "same": text == Custody(visitor.session).policy_text(),
        "groups": groups,
        "considered": considered,
        "tables": described(considered.policy or visitor.session.policy),
        "text_was": digest_of_text(text),
        "fields_were": _digest(fields),
    }


def _digest(fields: tuple[str, ...]) -> str:
    """Of what a browser sends back of fields that nobody has touched."""
    return digest_of_text("\0".join(fields))
