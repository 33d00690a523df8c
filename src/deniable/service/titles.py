"""What analysts call their own questions. Names are for finding them again: no sum and no answer depends on one."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from deniable.core.errors import Refused
from deniable.files.atomic import write

_LONGEST, _MOST = 120, 10_000


class TitleFile:
    """Names by analyst and by which of their questions it is, in a file beside the tokens.

    Promise:  an analyst reads and writes their own names alone. A file that is lost loses names, nothing else.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()

    def of(self, analyst: str) -> dict[int, str]:
        """All names that this analyst has given."""
        return {int(entry): title for entry, title in self._read().get(analyst, {}).items()}

    def name(self, analyst: str, entry: int, title: str) -> None:
        """Call a question so; an empty name takes the name away.

        Raises:
            Refused: it is too long, or there are too many.
        """
        clean = " ".join(title.split())
        if len(clean) > _LONGEST or not clean.isprintable():
            raise Refused("bad-title", f"A name has at most {_LONGEST} characters.", "Choose a shorter one.")
        with self._lock:
            known = self._read()
            mine = {**known.get(analyst, {}), str(entry): clean}
            mine = {key: value for key, value in mine.items() if value}
            if len(mine) > _MOST:
                raise Refused("bad-title", "There are too many names.", "Take some away.")
            write(self._path, json.dumps({**known, analyst: mine}, ensure_ascii=False))

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            found: dict[str, dict[str, str]] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found
