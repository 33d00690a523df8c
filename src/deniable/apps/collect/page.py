"""The respondent's page: one file that works offline, with the survey's exact chances in it."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files
from typing import Any

from deniable.apps.collect.files import stamp
from deniable.local.families.listed import ListedProtocol
from deniable.local.protocols.hybrid import Hybrid
from deniable.local.protocols.warner_response import WarnerResponse
from deniable.local.survey import Survey, SurveyQuestion


def page(survey: Survey) -> str:
    """HTML that asks the questions, perturbs in the browser and shows the odds. It can reach no network."""
    facts = {
        "title": survey.title,
        "stamp": stamp(survey),
        "epsilon": float(survey.loss.epsilon or 0),
        "questions": [_question(question) for question in survey.questions],
    }
    # in a script element only "<" could end it
    text = json.dumps(facts).replace("<", "\\u003c")
    template = files("deniable.apps.collect").joinpath("page.html").read_text(encoding="utf-8")
    return template.replace("/*SURVEY*/", text)


def _question(question: SurveyQuestion) -> dict[str, Any]:
    """What the page needs to draw a report, in whole numbers."""
    protocol = question.protocol
    head = {"name": question.name, "text": question.text, "epsilon": float(protocol.epsilon)}
    match protocol:
        case WarnerResponse():
            return head | {
                "protocol": "listed",
                "labels": ["no", "yes"],
                "messages": 2,
                "parts": [[0], [1]],
                "truth": _exact(protocol.keep),
                "lie": _exact(1 - protocol.keep),
            }
        case ListedProtocol():
            return head | {
                "protocol": "listed",
                "labels": protocol.domain.labels,
                "messages": protocol.messages,
                "parts": [protocol.part(value).tolist() for value in protocol.domain.labels],
                "truth": _exact(protocol.truth),
                "lie": _exact(protocol.lie),
            }
        case Hybrid():
            return head | {
                "protocol": "hybrid",
                "low": float(protocol.low),
                "high": float(protocol.high),
                "cells": protocol.cells,
                "window": protocol.piecewise.window,
                "piecewise": _exact(protocol.piecewise_chance),
                "keep": _exact(protocol.bit.keep),
                "truth": _exact(protocol.piecewise.truth),
            }


def _exact(chance: Fraction) -> tuple[str, str]:
    """A fraction as two texts: JavaScript's numbers would round them."""
    return str(chance.numerator), str(chance.denominator)
