"""`deniable serve`: where doors are opened, and what is refused before any is."""

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from deniable.apps.serving.serve import Address, _show, command
from deniable.core.errors import InvalidArgumentError

app = typer.Typer()
app.command()(command)


@pytest.mark.parametrize(
    ("written", "host", "port"),
    [("8080", "127.0.0.1", 8080), ("10.0.0.7:80", "10.0.0.7", 80), ("[::1]:5433", "::1", 5433), ("0", "127.0.0.1", 0)],
)
def test_an_address_is_a_port_or_a_host_and_a_port(written, host, port):
    assert Address.read("http", written) == Address(host, port)


@pytest.mark.parametrize("written", ["", "host", "host:", "host:x", "99999", "host:-1"])
def test_what_is_no_address_is_refused(written):
    with pytest.raises(InvalidArgumentError, match="must be a port"):
        Address.read("http", written)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "must be named"),
        (["clinic.toml", "--demo"], "must be named"),
        (["clinic.toml", "--tls-cert", "cert.pem"], "give both, or none"),
        (["clinic.toml", "--pg", "nowhere"], "must be a port"),
        (["clinic.toml", "--pg", "5433", "--open"], "needs the HTTP door"),
    ],
)
def test_what_cannot_be_served_is_said_before_anything_is_opened(arguments, problem):
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, InvalidArgumentError)
    assert problem in str(result.exception)


@pytest.mark.parametrize(
    ("token", "opened"),
    [(None, []), ("", ["http://h/console/sign-in"]), ("deniable_x", ["http://h/console/sign-in#deniable_x"])],
)
def test_a_browser_is_opened_only_if_that_is_wanted(monkeypatch, capsys, token, opened):
    found = []
    monkeypatch.setattr("webbrowser.open", found.append)
    _show(Console(), "http://h/console", token)
    assert found == opened
    assert capsys.readouterr().out == "console: http://h/console\n"
