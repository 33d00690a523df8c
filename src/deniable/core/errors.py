"""What can go wrong, and what an analyst may hear of it."""

from __future__ import annotations


class InvalidArgumentError(ValueError):
    """An argument that no theorem covers. The message names the argument; nothing was drawn or spent."""

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument} {problem}")
        self.argument = argument


class Refused(Exception):
    """A question that is not answered. Decided from public facts alone, before data is read; nothing is spent.

    `code` is stable and documented; `hint` says what to write instead; `position` is where in the question, as the
    offsets of the first character and past the last one.
    """

    def __init__(self, code: str, reason: str, hint: str = "", position: tuple[int, int] | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint
        self.position = position

    def show(self, text: str = "") -> str:
        """The refusal with the place underlined, if the question's text is at hand.

        Example:
            >>> refusal = Refused("unknown-column", "There is no column 'ag'.", "Did you mean 'age'?", (7, 9))
            >>> print(refusal.show("SELECT ag"))
            refused (unknown-column): There is no column 'ag'.
              SELECT ag
                     ^^
            hint: Did you mean 'age'?
        """
        lines = [f"refused ({self.code}): {self.reason}"]
        if self.position is not None and text:
            start, end = self.position
            before = text.rfind("\n", 0, start) + 1
            line = text[before:].split("\n", 1)[0]
            lines += [
                f"  {line}",
                "  " + " " * (start - before) + "^" * max(1, min(end - start, len(line) - start + before)),
            ]
        return "\n".join([*lines, f"hint: {self.hint}"] if self.hint else lines)


class Failed(Exception):
    """The engine broke after the charge, which stays spent. Says nothing more: the text of an error can quote rows."""

    def __init__(self) -> None:
        super().__init__("the question could not be answered; what it cost stays spent")
