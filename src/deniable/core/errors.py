"""What can go wrong, and what an analyst may hear of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unicodedata import east_asian_width

_WIDEST = 100
"""Of a line of the question, what is shown around the place."""


class InvalidArgumentError(ValueError):
    """An argument that no theorem covers. The message names the argument; nothing was drawn or spent."""

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument} {problem}")
        self.argument = argument


class Refused(Exception):
    """A question that is not answered. Decided from public facts alone, before data is read; nothing is spent.

    `code` is stable and documented; `hint` says what to write instead; `position` is where in the question, as the
    offsets of the first character and past the last one; `question` is its text, where it is known. All of it is
    made from the question and the policy, so that it can be shown to whoever asks.

    Example:
        >>> print(Refused("unknown-column", "There is no column 'ag'.", "Did you mean 'age'?", (7, 9), "SELECT ag"))
        There is no column 'ag'. (unknown-column)
          SELECT ag
                 ^^
        hint: Did you mean 'age'?
    """

    def __init__(
        self, code: str, reason: str, hint: str = "", position: tuple[int, int] | None = None, question: str = ""
    ) -> None:
        super().__init__(code, reason, hint, position, question)
        self.code = code
        self.reason = reason
        self.hint = hint
        self.position = position
        self.question = question

    def __str__(self) -> str:
        """What an uncaught refusal says: reason, code, the place underlined, the hint."""
        return "\n".join([f"{self.reason} ({self.code})", *self._below(self.question)])

    def show(self, question: str = "") -> str:
        """The same, starting with what happened; the place is underlined in the text that is given, or is known."""
        return "\n".join([f"refused ({self.code}): {self.reason}", *self._below(question or self.question)])

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        place = None if self.position is None else list(self.position)
        return {"code": self.code, "reason": self.reason, "hint": self.hint, "position": place}

    def _below(self, question: str) -> list[str]:
        underlined = [] if self.position is None or not question else _underlined(question, *self.position)
        return [*underlined, *([f"hint: {self.hint}"] if self.hint else [])]


class Failed(Exception):
    """The engine broke after the charge, which stays spent. Says nothing more: the text of an error can quote rows."""

    def __init__(self) -> None:
        super().__init__("the question could not be answered; what it cost stays spent")


class NotYet(Exception):
    """The answer to a question is on record, and nobody is to notice before the deadline of who paid for it.

    It reaches no analyst: a server waits for the deadline, and looks again.
    """

    def __init__(self, question: str) -> None:
        super().__init__("it is on record, and not to be seen yet")
        self.question = question


@contextmanager
def asking(question: str) -> Iterator[None]:
    """A refusal in here learns the text that it is about, so that it can show the place."""
    try:
        yield
    except Refused as refusal:
        refusal.question = refusal.question or question
        raise


def _underlined(question: str, start: int, end: int) -> list[str]:
    """The line of the question in which the place starts, and the place marked below it."""
    before = question.rfind("\n", 0, start) + 1
    line = question[before:].split("\n", 1)[0]
    first, last = start - before, max(start - before + 1, min(end - before, len(line)))
    cut = max(0, min(first - _WIDEST // 3, len(line) - _WIDEST))
    shown = "".join(one if one.isprintable() else " " for one in line[cut : cut + _WIDEST])
    left, right = "…" * (cut > 0), "…" * (cut + _WIDEST < len(line))
    space = " " * (len(left) + _width(shown[: first - cut]))
    return [f"  {left}{shown}{right}", f"  {space}{'^' * max(1, _width(shown[first - cut : last - cut]))}"]


def _width(text: str) -> int:
    """How many places of a terminal it takes."""
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in text)
