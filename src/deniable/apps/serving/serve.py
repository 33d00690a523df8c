"""`deniable serve`: a curator that analysts reach over HTTP and with any PostgreSQL client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    from deniable.service.service import Service

_LOOPBACK = "127.0.0.1"
_PORTS = 65_535
_DEMO = """
[analysts.alice]
epsilon = 2.0
per_question = 0.05              # what her questions cost unless they say

[analysts.bob]
epsilon = 1.0

[serve]
release_after = "2s"             # when answers leave, however long they took
"""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a door is."""

    host: str
    port: int

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
    demo: Annotated[
        bool, typer.Option("--demo", help="Serve a made-up clinic from the folder clinic-demo, with three tokens.")
    ] = False,
) -> None:
    """Serve populations to analysts, over HTTP and with any PostgreSQL client.

    Answers leave at fixed times, so that nobody learns from how long a question took. Stop with Ctrl-C.
    """
    import asyncio

    if demo == bool(policies):
        raise InvalidArgumentError("policies", "must be named: deniable serve clinic.toml, or: deniable serve --demo")
    if (tls_cert is None) != (tls_key is None):
        raise InvalidArgumentError("tls-key", "belongs to --tls-cert: give both, or none")
    served = [_made_up(Path("clinic-demo"))] if demo else list(policies or ())
    doors = {
        "http": http or ("8080" if demo or pg is None else None),
        "pg": pg or ("5433" if demo or http is None else None),
    }
    addresses = {name: Address.read(name, written) for name, written in doors.items() if written is not None}
    asyncio.run(_serve(served, addresses, tls_cert, tls_key, Console(stderr=True)))


async def _serve(
    policies: Sequence[Path],
    addresses: dict[str, Address],
    certificate: Path | None,
    key: Path | None,
    console: Console,
) -> None:
    """Until somebody says stop; what has begun is answered first."""
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
            door = _door(name, service, certificate, key)
            port = await door.listen(address.host, address.port)
            doors.append(door)
            words = {"http": "HTTP", "pg": "PostgreSQL"}[name]
            console.print(f"{words}: {address.host}, port {port}", soft_wrap=True, highlight=False)
        console.print(f"serving {', '.join(service.populations)}; stop with Ctrl-C", soft_wrap=True, highlight=False)
        await stop.wait()
        console.print("stopping: questions that were begun are answered first")
    finally:
        await service.finish()
        for door in doors:
            await door.close()
        await service.close()


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


def _made_up(folder: Path) -> Path:
    """The clinic of the demonstration, with a ledger and three tokens; made once."""
    from deniable.apps.clinic import POLICY, make_clinic
    from deniable.curator import create
    from deniable.policy import load
    from deniable.service.tokens import Role, TokenFile

    console, policy = Console(stderr=True), folder / "clinic.toml"
    if not policy.exists():
        console.print(f"making a clinic in {folder} ...", soft_wrap=True)
        make_clinic(folder)
        policy.write_text(f"{POLICY}{_DEMO}", encoding="utf-8")
        create(policy, reason="a demonstration with made-up people").close()
    loaded = load(policy)
    tokens = TokenFile.beside(loaded.place, loaded.population)
    known = {token.name for token in tokens.all() if token.state == "valid"}
    people = {"alice": Role.ANALYST, "bob": Role.ANALYST, "custodian": Role.CUSTODIAN}
    for name in known & set(people):
        tokens.revoke(name)
    typer.echo("tokens of this run (each is the password for both doors):")
    for name, role in people.items():
        secret, _ = tokens.create(name, role, 1)
        typer.echo(f"  {name:<10} {role.value:<10} {secret}")
    typer.echo("")
    return policy
