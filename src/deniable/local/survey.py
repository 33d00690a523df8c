"""Surveys: several questions, each with its own protocol, and one loss for all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from hashlib import sha256
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number
from deniable.local.choose import choose
from deniable.local.estimate import Estimate
from deniable.local.families.listed import ListedProtocol
from deniable.local.protocols.hybrid import Hybrid
from deniable.local.protocols.warner_response import WarnerResponse
from deniable.local.reports import Reports
from deniable.policy.load import read_toml
from deniable.policy.problems import InvalidPolicyError
from deniable.policy.section import Section

MOST_VALUES = 500
"""Of one question: a person has to choose among them."""
_YES, _NO = {"yes", "true", "1"}, {"no", "false", "0"}


Asked = WarnerResponse | ListedProtocol | Hybrid


class SurveyKind(Enum):
    """What a question asks for."""

    YES_NO = "yes-no"
    CHOICE = "choice"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """What is asked, and how the answer is made noisy. Every report is one whole number."""

    name: str
    text: str
    kind: SurveyKind
    protocol: Asked

    def values(self, answers: ArrayLike) -> Any:  # noqa: ANN401 - each protocol has its own values
        """Answers as the protocol takes them; texts are what a CSV file holds."""
        given = np.atleast_1d(np.asarray(answers))
        if given.dtype.kind == "O" and any(value is None for value in given.tolist()):
            raise InvalidArgumentError(
                self.name, "is not always answered; give it a value such as 'no answer', so that silence is private too"
            )
        if given.dtype.kind not in "OU" or self.kind is SurveyKind.CHOICE:
            return given
        return self._spoken(given.astype(np.str_))

    def _spoken(self, texts: NDArray[np.str_]) -> NDArray[Any]:
        """Yes, no and numbers from their texts."""
        if self.kind is SurveyKind.NUMBER:
            try:
                return texts.astype(np.float64)
            except ValueError:
                raise InvalidArgumentError(self.name, "must be answered with numbers") from None
        distinct, inverse = np.unique(texts, return_inverse=True)
        words = [str(text).strip().lower() for text in distinct]
        if not set(words) <= _YES | _NO:
            raise InvalidArgumentError(self.name, "must be answered with yes or no")
        return np.array([word in _YES for word in words])[inverse]


@dataclass(frozen=True, slots=True)
class Survey:
    """Questions that are asked together.

    Guarantee:  a respondent's whole answer sheet loses the sum of the questions' epsilons, pure, against everybody who
                sees the reports; each question is perturbed with its own draw (basic composition).
    """

    name: str
    title: str
    version: int
    questions: Sequence[SurveyQuestion]

    @classmethod
    def load(cls, path: str | Path) -> Survey:
        """The survey that a TOML file declares.

        Raises:
            InvalidPolicyError: with every problem that was found.
        """
        return _read(read_toml(str(path), "a survey file, such as survey.toml"), str(path))

    @property
    def loss(self) -> Loss:
        """Of one respondent's sheet."""
        return reduce(add, (question.protocol.loss for question in self.questions))

    @property
    def fingerprint(self) -> str:
        """Changes with everything that the meaning of a report follows from."""
        facts = [self.name, self.version, [[each.name, dict(each.protocol.settings)] for each in self.questions]]
        return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    def perturb(self, answers: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """One column of reports for each question; the columns of answers are as long as there are respondents."""
        missing = [question.name for question in self.questions if question.name not in answers]
        if missing:
            raise InvalidArgumentError("answers", f"have no column {', '.join(missing)}")
        values = {each.name: _checked(each, answers[each.name]) for each in self.questions}
        if len({len(column) for column in values.values()}) != 1:
            raise InvalidArgumentError("answers", "must be as many for each question")
        return {each.name: each.protocol.perturb(values[each.name]).data for each in self.questions}

    def estimate(self, reports: Mapping[str, NDArray[Any]], confidence: Number = 0.95) -> dict[str, Estimate]:
        """One estimate for each question."""
        return {
            each.name: each.protocol.estimate(Reports(each.protocol.settings, reports[each.name]), confidence)
            for each in self.questions
        }


def _checked(question: SurveyQuestion, answers: ArrayLike) -> Any:  # noqa: ANN401 - each protocol has its own values
    """The values; what the protocol refuses is told with the question's name, before anything is drawn."""
    values = question.values(answers)
    try:
        question.protocol.check(values)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(question.name, str(error).removeprefix("values ")) from None
    return values


def _read(root: Section, origin: str) -> Survey:
    """All keys, with every problem noted before any is raised."""
    head = root.inner("survey")
    head.require("name", 'name = "students"')
    name = head.text("name", 'name = "students"') or ""
    title = head.text("title", 'title = "How students study"') or name
    version = head.whole("version", "version = 1", most=10**6) or 1
    head.finish()
    root.require("questions", "[questions.cheated] and its keys below it")
    questions = [_question(key, section) for key, section in root.inner("questions").each().items()]
    root.finish()
    if not questions and not root.problems:
        root.problem("questions", "are none", "write [questions.cheated] and its keys below it")
    if root.problems:
        raise InvalidPolicyError(origin, root.problems)
    return Survey(name, title, version, tuple(question for question in questions if question is not None))


def _question(name: str, section: Section) -> SurveyQuestion | None:
    """One question, or None with its problems noted."""
    section.require("text", 'text = "Did you ever cheat in an exam?"')
    section.require("kind", 'kind = "yes-no", "choice" or "number"')
    section.require("epsilon", "epsilon = 1.0")
    text = section.text("text", 'text = "Did you ever cheat in an exam?"')
    kind = section.choice("kind", SurveyKind)
    epsilon = section.number("epsilon", "epsilon = 1.0")
    protocol = None
    if kind is not None and epsilon is not None:
        try:
            protocol = _PROTOCOLS[kind](section, epsilon)
        except InvalidArgumentError as error:
            key = {"domain": "values"}.get(error.argument, error.argument)
            section.problem(key, str(error).removeprefix(f"{error.argument} "), "see docs/local.md for an example")
        section.finish()
    if text is None or kind is None or protocol is None:
        return None
    return SurveyQuestion(name, text, kind, protocol)


def _choice(section: Section, epsilon: Number) -> Asked | None:
    """Among named values, by the protocol that suits them."""
    section.require("values", 'values = ["first", "second", "third"]')
    values = section.value("values")
    if values is None:
        return None
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        section.problem("values", "must be a list of texts", 'write values = ["first", "second", "third"]')
        return None
    if len(values) > MOST_VALUES:
        section.problem("values", f"are more than {MOST_VALUES}", "ask for fewer, or use deniable.local in Python")
        return None
    return choose(values, epsilon).protocol


def _number(section: Section, epsilon: Number) -> Asked | None:
    """Between two bounds."""
    section.require("bounds", "bounds = [0, 80]")
    bounds = section.value("bounds")
    if bounds is None:
        return None
    if not isinstance(bounds, list) or len(bounds) != 2:  # noqa: PLR2004 - the lower and the upper one
        section.problem("bounds", "must be two numbers", "write bounds = [0, 80]")
        return None
    return Hybrid(epsilon, (bounds[0], bounds[1]))


def _yes_no(section: Section, epsilon: Number) -> Asked | None:
    """Nothing more to say."""
    del section
    return WarnerResponse(epsilon=epsilon)


_PROTOCOLS = {
    SurveyKind.YES_NO: _yes_no,
    SurveyKind.CHOICE: _choice,
    SurveyKind.NUMBER: _number,
}
