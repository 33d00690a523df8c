"""Public tables of a database, copied to where questions about public tables are answered; again when they change."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp

from deniable.core.algebra.expression import Column
from deniable.engines import Engine
from deniable.files.atomic import whole
from deniable.files.kinds import kind_of, misfit
from deniable.policy import DeclaredTable


@dataclass(frozen=True)
class Copies:
    """Files with the rows of public tables, in a folder that is gone when nobody uses it any more."""

    engine: Engine
    tables: Mapping[str, DeclaredTable]
    """Those that are not files already."""
    _folder: Path = field(init=False, repr=False)
    _versions: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """A folder, if there is anything to copy."""
        object.__setattr__(self, "_folder", Path(mkdtemp(prefix="deniable-")) if self.tables else Path())
        if self.tables:
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def as_file(self, table: DeclaredTable) -> DeclaredTable:
        """The table, with its copy as its source."""
        if table.name not in self.tables:
            return table
        return replace(table, source=str(self._path(table.name)), remote=False, version_query=None)

    def refresh(self, name: str) -> None:
        """Copy the table, unless the copy has what it has. May raise what the engine raises."""
        import pyarrow.parquet as pq  # noqa: PLC0415 - where all tables are files, this is not needed

        if name not in self.tables:
            return
        with self.engine.session() as engine:
            version = engine.version(name)
            if self._versions.get(name) == version:
                return
            rows = engine.rows(name, self._columns(engine, name))
        with whole(self._path(name), private=True) as file:
            pq.write_table(rows, file)
        self._versions[name] = version

    def close(self) -> None:
        """Remove the copies."""
        self._versions.clear()
        for name in self.tables:
            self._path(name).unlink(missing_ok=True)

    def _columns(self, engine: Engine, name: str) -> list[Column]:
        """The declared ones; where none are, all that could be."""
        declared = [column.expression for column in self.tables[name].columns.values()]
        stored = engine.describe(name)
        kinds = {title: kind_of(kind) for title, kind in stored.items()}
        found = [
            Column(title, kind) for title, kind in kinds.items() if kind is not None and not misfit(stored[title], kind)
        ]
        return declared or found

    def _path(self, name: str) -> Path:
        place = list(self.tables).index(name)
        return self._folder / f"{place}.parquet"
