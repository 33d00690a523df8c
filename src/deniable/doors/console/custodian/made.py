"""What was made, as files and as a page: the page under rules by which it runs nothing and reaches nothing."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from deniable.doors.http.formats import CSV, PARQUET, csv_of
from deniable.files.tables import decoded
from deniable.service.custodian.publishing import Published

_STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def document(text: str) -> Response:
    """A page that was made here and needs nothing else: its own styles, each by its digest, and nothing besides."""
    if not text:
        raise HTTPException(404)
    digests = [b64encode(sha256(style.encode()).digest()).decode() for style in _STYLES.findall(text)]
    styles = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    rules = (
        f"sandbox; default-src 'none'; img-src data:; style-src {styles}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    shown = text.replace("<head>", '<head><link rel="icon" href="data:,">', 1)  # else browsers ask the server for one
    return HTMLResponse(shown, headers={"Content-Security-Policy": rules, "Referrer-Policy": "no-referrer"})


def names_of(made: Published) -> list[str]:
    """Every file that can be taken away."""
    tables = [f"{name}.{form}" for name in made.tables for form in ("csv", "parquet")]
    return [*([f"{made.order.kind}.html"] if made.page else []), *tables]


def file_of(made: Published, name: str) -> Response:
    """With a name, so that a browser keeps it and does not show it."""
    if name not in names_of(made):
        raise HTTPException(404)
    stem, _, form = name.rpartition(".")
    if form == "html":
        found = Response(made.page, media_type="text/html; charset=utf-8")
    elif form == "csv":
        found = Response(csv_of(decoded(made.tables[stem])), media_type=f"{CSV}; charset=utf-8")
    else:
        sink = pa.BufferOutputStream()
        pq.write_table(made.tables[stem], sink)
        found = Response(sink.getvalue().to_pybytes(), media_type=PARQUET)
    safe = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
    found.headers["Content-Disposition"] = f'attachment; filename="{safe}"'
    return found
