"""`deniable.connect`: the one thing of this room that can be named without the libraries that the room needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deniable.core.extras import needed

if TYPE_CHECKING:
    from deniable.doors.http.client import ServedCurator


def connect(url: str, *, token: str) -> ServedCurator:
    """The curator that is served at this address; a notebook changes one line and keeps the others.

    Raises:
        InvalidArgumentError: the address is not safe for a token, or the extra `serve` is not installed.

    Example:
        >>> connect("http://clinic.example:8080", token="deniable_...")
        Traceback (most recent call last):
        deniable.core.errors.InvalidArgumentError: url must start with https://: a token would be read on the way
    """
    for library in ("fastapi", "httpx"):
        needed("connect", library, "serve")
    from deniable.doors.http.client import ServedCurator  # noqa: PLC0415 - needs these

    return ServedCurator(url, token)
