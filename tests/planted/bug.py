"""A bug that could be in the program: one line, as it is and as it would be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = Path("src/deniable")


@dataclass(frozen=True)
class Bug:
    """What is wrong, where, and which tests should notice: files below tests, or single tests in them."""

    name: str
    file: str
    """Below src/deniable."""
    right: str
    wrong: str
    tests: tuple[str, ...]
    """In the order in which they are tried; the first two that fail are enough."""

    @property
    def place(self) -> Path:
        """From the root."""
        return SOURCE / self.file

    def planted(self, text: str) -> str:
        """The file's text with the bug in it.

        Raises:
            ValueError: the line is not there exactly once, so the list is out of date.
        """
        if (times := text.count(self.right)) != 1:
            raise ValueError(f"{self.name}: {self.place} has {times} times {self.right!r}")
        return text.replace(self.right, self.wrong)
