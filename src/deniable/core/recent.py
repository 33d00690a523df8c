"""What was worked out lately, and is forgotten when there is too much of it: to work it out again is only slower."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The values that were used last, at most so many; for several threads at once.

    Example:
        >>> recent = Recent(most=2)
        >>> for letter in "ab":
        ...     recent.keep(letter, letter.upper())
        >>> recent.get("a")
        'A'
        >>> recent.keep("c", "C")  # there is no room for all: "b" was not used since
        >>> recent.get("a"), recent.get("b"), recent.get("c")
        ('A', None, 'C')
    """

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._known: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value, if it is still known; it then stays so for longer than those that nobody asks for."""
        with self._lock:
            if (found := self._known.get(key)) is not None:
                self._known.move_to_end(key)
            return found

    def keep(self, key: Key, value: Value) -> None:
        """Until there are too many that were used since."""
        with self._lock:
            self._known[key] = value
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
