"""A real browser without a window, spoken to over a pipe in its own debugging protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")


def installed() -> str | None:
    """Where a browser is, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One page of a running browser."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = os.fdopen(reading, "rb", buffering=0), os.fdopen(writing, "wb", buffering=0)
        self._number, self._rest = 0, b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.requests: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and wait for its answer; what the network was asked for is noted on the way."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        self._writing.write(json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = self._reading.read(1 << 16)
            assert read, "the browser has gone"
            self._rest += read
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def open(self, path: Path) -> None:
        self.evaluate("window.before = true")
        self.call("Page.navigate", url=path.as_uri())
        while not self.evaluate("window.before === undefined && document.readyState === 'complete'"):
            pass

    def evaluate(self, script: str) -> Any:
        """The value of a script, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def close(self) -> None:
        self._reading.close()
        self._writing.close()


@contextmanager
def browser(program: str) -> Iterator[Page]:
    """A page of a browser that is started for it, and ended after it."""
    from_us, to_them = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory() as profile:
        # the protocol's pipes are the descriptors 3 and 4, by its definition
        command = (
            f'exec "{program}" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run '
            f'--user-data-dir="{profile}" --remote-debugging-pipe 3<&{from_us[0]} 4>&{to_them[1]}'
        )
        process = subprocess.Popen(
            ["/bin/bash", "-c", command],
            pass_fds=(from_us[0], to_them[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us[0])
        os.close(to_them[1])
        page = Page(to_them[0], from_us[1])
        try:
            yield page
        finally:
            page.close()
            process.terminate()
            process.wait(timeout=20)
