"""The made-up clinic on a server that speaks Spark Connect, and reads this machine's files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq

from deniable.apps.demo.clinic import point


def move(folder: Path, url: str) -> None:
    """Name the folder's files as the server finds them, all of them Parquet."""
    pq.write_table(pyarrow.csv.read_csv(folder / "hospitals.csv"), folder / "hospitals.parquet")
    found = {name: folder.absolute() / f"{name}.parquet" for name in ("visits", "patients", "hospitals")}
    point(folder, f'kind = "spark"\nurl = "{url}"', {name: str(file) for name, file in found.items()})
