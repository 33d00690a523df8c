"""A price for every look: what one charge may cost, how large its answer may be, and how often an analyst may ask."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.policy.section import Section

_MOST_CELLS = 1_000_000_000
_MOST_QUESTIONS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """What holds for each charge: for one question, one batch or one release.

    They are no part of the promise, which holds without them. They keep the account from being filled with answers
    that cost next to nothing, and one slip from spending everything.
    """

    least_spend: Fraction = Fraction(1, 10_000)
    """The part of the budget that a charge costs at least, in the form in which it is paid."""
    most_spend: Fraction = Fraction(1)
    """The part that it costs at most."""
    answer_size: int = 1_000_000
    """How many noisy numbers it may bring: groups times columns."""
    questions_per_day: int = 1_000
    """How many charges each analyst may make on one day (UTC); where nobody has a share, all analysts together."""

    @property
    def facts(self) -> dict[str, str | int]:
        """The same as plain words, ready for JSON."""
        return {
            "least_spend": str(self.least_spend),
            "most_spend": str(self.most_spend),
            "answer_size": self.answer_size,
            "questions_per_day": self.questions_per_day,
        }


def read_limits(section: Section) -> QuestionLimits:
    """The limits, with defaults for what is left out. None can be switched off: there is always a least spend."""
    least = _part(section, "least_spend", "least_spend = 0.0001, one ten-thousandth of the budget")
    most = _part(section, "most_spend", "most_spend = 0.25, a quarter of the budget")
    size = section.whole("answer_size", "answer_size = 1000000", most=_MOST_CELLS)
    questions = section.whole("questions_per_day", "questions_per_day = 1000", most=_MOST_QUESTIONS)
    section.finish()
    plain = QuestionLimits()
    limits = QuestionLimits(
        plain.least_spend if least is None else least,
        plain.most_spend if most is None else most,
        plain.answer_size if size is None else size,
        plain.questions_per_day if questions is None else questions,
    )
    if limits.least_spend > limits.most_spend:
        section.problem("most_spend", "is less than least_spend: nothing could be asked", "write most_spend = 0.25")
    return limits


def _part(section: Section, key: str, instead: str) -> Fraction | None:
    """A part of the budget: above 0, and at most 1."""
    part = section.number(key, instead)
    if part is not None and part > 1:
        section.problem(key, "is more than the whole budget: it is a part of it, at most 1", f"write {instead}")
        return None
    return part
