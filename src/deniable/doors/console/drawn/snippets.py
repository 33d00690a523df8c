"""The same question elsewhere: in Python, with psql, with curl; and questions as a notebook."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from fastapi import Request

from deniable.doors.console.written import WrittenQuestion
from deniable.service.session import Session


def snippets(request: Request, written: WrittenQuestion, session: Session) -> dict[str, str]:
    """Each asks for the answer that is shown, which is free: it is on record. `TOKEN` is the analyst's own."""
    address = f"{request.url.scheme}://{request.url.netloc}"
    _, spending = written.settled
    body = json.dumps({"sql": written.sql, **written.spending})
    hint = ", ".join(f"{name}={value}" for name, value in spending.items())
    return {
        "Python": f"{_connected(address)}\n{_asked(written)}\nprint(answer)",
        "psql": _psql(request, session, _hinted(written.sql, hint)),
        "curl": f'curl {address}/v1/questions -H "Authorization: Bearer $TOKEN" \\\n'
        f"  -H 'Content-Type: application/json' -d {shlex.quote(body)}",
    }


def _psql(request: Request, session: Session, sql: str) -> str:
    """The whole command, where the door for it is open."""
    port = request.app.state.service.postgres
    if port is None:
        return f"-- the door for psql is not open: deniable serve ... --pg 5433\n{sql};"
    coded = "require" if request.url.scheme == "https" else "disable"
    place = f"host={request.url.hostname} port={port} user={session.who} dbname={session.population.name}"
    return f'PGPASSWORD="$TOKEN" psql {shlex.quote(f"{place} sslmode={coded}")} -c {shlex.quote(f"{sql};")}'


def notebook(request: Request, questions: Sequence[tuple[str, WrittenQuestion]]) -> str:
    """A notebook (.ipynb) that asks these questions again, each below what it is about."""
    address = f"{request.url.scheme}://{request.url.netloc}"
    cells = [_cell("code", _connected(address))]
    for title, written in questions:
        cells += [_cell("markdown", title), _cell("code", f"{_asked(written)}\nanswer")]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}, indent=1
    )


def _connected(address: str) -> str:
    return f'import os\nimport deniable\n\ncurator = deniable.connect("{address}", token=os.environ["TOKEN"])'


def _asked(written: WrittenQuestion) -> str:
    plain, spending = written.settled
    paid = ", ".join(f"{name}={json.dumps(value)}" for name, value in spending.items())
    return f"answer = curator.ask({_literal(plain.strip())}{', ' if paid else ''}{paid})"


def _literal(sql: str) -> str:
    """As it is written, over several lines, where Python reads it so."""
    clear = sql.isprintable() or all(line.isprintable() for line in sql.split("\n"))
    if "\n" not in sql or not clear or "\\" in sql or '"' in sql:
        return repr(sql)
    return f'"""\n{sql}\n"""'


def _hinted(sql: str, hint: str) -> str:
    """With its price in its own text, behind the first word."""
    first, _, rest = sql.strip().rstrip(";").partition(" ")
    return f"{first} /*+ {hint} */ {rest}" if hint and "/*+" not in sql else sql.strip().rstrip(";")


def _cell(kind: str, text: str) -> dict[str, object]:
    made: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})
