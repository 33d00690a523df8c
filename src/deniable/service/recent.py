"""What was seen lately, and is forgotten when there is too much of it: looking it up again is only slower."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

_MOST_NAMES = 16_384


class RecentNames:
    """Names that were noted lately.

    Example:
        >>> names = RecentNames(most=2)
        >>> names.note(["a", "b", "c"])
        >>> "a" in names, "c" in names
        (False, True)
    """

    def __init__(self, most: int = _MOST_NAMES) -> None:
        self._most, self._lock = most, threading.Lock()
        self._known: OrderedDict[str, None] = OrderedDict()

    def note(self, names: Iterable[str]) -> None:
        """Each is known until there are too many after it."""
        with self._lock:
            self._known |= dict.fromkeys(names)
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def __contains__(self, name: str) -> bool:
        """Whether it is still known."""
        with self._lock:
            return name in self._known
