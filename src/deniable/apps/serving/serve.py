"""`deniable serve`: a curator that analysts reach over HTTP and with any PostgreSQL client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deniable.core.errors import InvalidArgumentError
from deniable.core.extras import needed

if TYPE_CHECKING:
    from deniable.service.service import Service

_LOOPBACK = "127.0.0.1"
_PORTS = 65_535
_LIBRARIES = ("fastapi", "jinja2", "markdown_it", "tomlkit", "uvicorn")
"""What doors and the console are built with."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a door is."""

    host: str
    port: int

    @property
    def named(self) -> str:
        """The host as addresses of pages name it."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @classmethod
    def read(cls, option: str, written: str) -> Address:
        """`8080`, `host:8080` or `[::1]:8080`; a port alone is on this machine only."""
        host, _, port = written.rpartition(":")
        if not port.isdigit() or int(port) > _PORTS:
            raise InvalidArgumentError(option, f"must be a port, or host:port, not {written!r}")
        return cls(host.strip("[]") or _LOOPBACK, int(port))


def command(
    policies: Annotated[list[Path] | None, typer.Argument(metavar="POLICY...", help="Policy files (TOML).")] = None,
    http: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Open the HTTP door here: 8080, or host:8080.")
    ] = None,
    pg: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Open the PostgreSQL door here: 5433, or host:5433.")
    ] = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The certificate (PEM). Without it, only this machine is served."),
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate's key (PEM).")] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open the console in a browser, on this machine.")] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Serve a made-up clinic from the folder clinic-demo, with four tokens.")
    ] = False,
) -> None:
    """Serve populations to analysts: in a browser, over HTTP, and with any PostgreSQL client.

    Answers leave at fixed times, so that nobody learns from how long a question took. Stop with Ctrl-C.
    """
    import asyncio

    if demo == bool(policies):
        raise InvalidArgumentError("policies", "must be named: deniable serve clinic.toml, or: deniable serve --demo")
    if (tls_cert is None) != (tls_key is None):
        raise InvalidArgumentError("tls-key", "belongs to --tls-cert: give both, or none")
    doors = {
        "http": http or ("8080" if demo or pg is None else None),
        "pg": pg or ("5433" if demo or http is None else None),
    }
    addresses = {name: Address.read(name, written) for name, written in doors.items() if written is not None}
    if browse and "http" not in addresses:
        raise InvalidArgumentError("open", "needs the HTTP door: give --http")
    for library in _LIBRARIES:
        needed("serve", library, "serve")
    served, token = list(policies or ()), ""
    if demo:
        from deniable.apps.serving.made_up import made_up

        policy, token = made_up(Path("clinic-demo"))
        served = [policy]
    asyncio.run(_serve(served, addresses, (tls_cert, tls_key), Console(stderr=True), token if browse else None))


async def _serve(
    policies: Sequence[Path],
    addresses: dict[str, Address],
    encryption: tuple[Path | None, Path | None],
    console: Console,
    browse: str | None,
) -> None:
    """Until somebody says stop; what has begun is answered first. `browse`: open a browser, with this token."""
    import asyncio
    import logging
    import signal

    from deniable.service.service import Service

    logging.basicConfig(level=logging.INFO, format="%(message)s")
    _open_many()
    stop = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, stop.set)
    service = await Service.open(policies)
    doors = []
    try:
        for name, address in addresses.items():
            door = _door(name, service, *encryption)
            port = await door.listen(address.host, address.port)
            doors.append(door)
            words = {"http": "HTTP", "pg": "PostgreSQL"}[name]
            console.print(f"{words}: {address.host}, port {port}", soft_wrap=True, highlight=False)
            if name == "http":
                _show(console, f"http{'s' * (encryption[0] is not None)}://{address.named}:{port}/console", browse)
        console.print(f"serving {', '.join(service.populations)}; stop with Ctrl-C", soft_wrap=True, highlight=False)
        await stop.wait()
        console.print("stopping: questions that were begun are answered first")
    finally:
        await service.finish()
        for door in doors:
            await door.close()
        await service.close()


def _show(console: Console, console_address: str, token: str | None) -> None:
    """Where the console is; and a browser there, in which a token is filled in already, if there is one.

    What stands behind the # is for the page alone: no server is sent it, and the page takes it out of its address.
    """
    import webbrowser

    console.print(f"console: {console_address}", soft_wrap=True, highlight=False)
    if token is not None:
        webbrowser.open(f"{console_address}/sign-in{f'#{token}' if token else ''}")


def _open_many() -> None:
    """As many connections as the system lets us have: each is an open file."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _door(name: str, service: Service, certificate: Path | None, key: Path | None):  # type: ignore[no-untyped-def]  # noqa: ANN202 - one of two
    """A door, closed yet."""
    from deniable.doors.http.server import HttpDoor
    from deniable.doors.postgres.login import Encryption
    from deniable.doors.postgres.server import PostgresDoor

    secure = certificate is not None and key is not None
    if name == "http":
        return HttpDoor(service, str(certificate) if secure else None, str(key) if secure else None)
    return PostgresDoor(service, Encryption.load(str(certificate), str(key)) if secure else None)
