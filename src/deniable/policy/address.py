"""The address of a PostgreSQL server, as a policy writes it: everything but the password."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

SCHEME = "postgresql"
_OPTIONS = (
    "host",
    "passfile",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "sslcrl",
    "channel_binding",
    "connect_timeout",
    "gssencmode",
    "krbsrvname",
    "target_session_attrs",
)
"""Of libpq's own; none of them changes what the server does once it is reached."""
_PORT = 5432
_EXAMPLE = 'write url = "postgresql://curator@db.example.org/accounts"'


class AddressError(ValueError):
    """What is wrong with an address, and what to write instead. The address is not quoted: it may hold a password."""

    def __init__(self, what: str, hint: str = _EXAMPLE) -> None:
        super().__init__(what)
        self.what, self.hint = what, hint


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Which database on which server, and as whom. The password comes from the environment or from a file.

    Example:
        >>> address = ServerAddress.read("postgresql://curator@db.example.org/accounts?sslmode=verify-full")
        >>> address.settings
        {'dbname': 'accounts', 'host': 'db.example.org', 'user': 'curator', 'sslmode': 'verify-full'}
        >>> ServerAddress.read("postgresql://curator:hush@db.example.org/accounts")
        Traceback (most recent call last):
        deniable.policy.address.AddressError: holds a password, which does not belong into a policy
    """

    host: str
    port: int | None
    user: str | None
    database: str
    options: Mapping[str, str]

    @classmethod
    def read(cls, url: str) -> Self:
        """The address that a url writes.

        Raises:
            AddressError: it holds a password, or is not an address.
        """
        try:
            parts = urlsplit(url)
            host, port, user = parts.hostname, parts.port, parts.username
            options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        except ValueError:
            raise AddressError("is not the address of a server") from None
        if parts.password is not None or "password" in options:
            raise AddressError(
                "holds a password, which does not belong into a policy",
                "leave it out, and set PGPASSWORD, or write it into ~/.pgpass or the file that PGPASSFILE names",
            )
        if unknown := sorted(options.keys() - set(_OPTIONS)):
            raise AddressError(f"the option {unknown[0][:40]!r} is not understood", f"options: {', '.join(_OPTIONS)}")
        host, database = unquote(host or "") or options.pop("host", ""), unquote(parts.path.removeprefix("/"))
        if parts.scheme != SCHEME or not host or not database or parts.fragment or "\0" in unquote(url):
            raise AddressError("is not the address of a server")
        return cls(host, port, unquote(user) if user else None, database, options)

    @property
    def settings(self) -> dict[str, str]:
        """What libpq is told."""
        named = {"dbname": self.database, "host": self.host, "port": str(self.port or ""), "user": self.user or ""}
        return {name: value for name, value in (named | dict(self.options)).items() if value}

    @property
    def place(self) -> tuple[str, int, str]:
        """Where the database is, whoever connects to it and however."""
        return self.host, self.port or _PORT, self.database

    def __str__(self) -> str:
        """As it is written: one text for one address."""
        who = f"{quote(self.user, safe='')}@" if self.user else ""
        options = dict(self.options)
        at = self.host
        if "/" in at:  # the folder of a socket is an option, not a host's name
            at, options = "", {"host": self.host, **options}
        elif ":" in at:
            at = f"[{at}]"
        port = f":{self.port}" if self.port else ""
        query = f"?{urlencode(options, safe='/')}" if options else ""
        return f"{SCHEME}://{who}{at}{port}/{quote(self.database)}{query}"
