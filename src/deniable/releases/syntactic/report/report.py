"""What a privacy officer has to know before signing: what holds, what it cost, and what is not promised."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deniable.files.atomic import write
from deniable.releases.syntactic.report.exposures import Exposure, JointExposure, composition, exposures
from deniable.releases.syntactic.report.risks import Risks, losses, released_sizes, risks
from deniable.releases.syntactic.report.sections import ReportSection, sections
from deniable.releases.syntactic.search.lattice import Lattice
from deniable.releases.syntactic.search.losses import ncp
from deniable.releases.syntactic.search.mondrian import mondrian
from deniable.releases.syntactic.search.optimum import judge, optimum
from deniable.releases.syntactic.search.recoding import Recoding, full_domain

if TYPE_CHECKING:
    from deniable.releases.syntactic.report.anonymized_table import AnonymizedTable


class Report:
    """All about one release; computed when it is looked at."""

    def __init__(self, release: AnonymizedTable) -> None:
        self.release = release

    @cached_property
    def before(self) -> Risks:
        """Of the table as it was."""
        return risks(self.release.cells.sizes, self.release.population)

    @cached_property
    def after(self) -> Risks:
        """Of the table as it is published."""
        return risks(released_sizes(self.release.cells, self.release.recoding), self.release.population)

    @cached_property
    def losses(self) -> dict[str, float]:
        """By every metric."""
        return losses(self.release.cells, self.release.recoding)

    @cached_property
    def exposures(self) -> list[Exposure]:
        """Homogeneity, background knowledge, skewness: for each sensitive column."""
        return exposures(self.release.cells, self.release.recoding)

    @cached_property
    def compositions(self) -> list[JointExposure]:
        """With a second release of the same table, under the same models, by another method."""
        second = self._second()
        return [] if second is None else composition(self.release.cells, self.release.recoding, second)

    @cached_property
    def verdict(self) -> str:
        """One sentence to sign or to refuse."""
        certain = max((exposure.certain[0] for exposure in self.exposures), default=0)
        held = "Every model that was asked for holds, checked on the published table."
        if certain:
            return f"{held} Yet {certain:,} rows give their sensitive value away to whoever finds their class."
        return f"{held} No class gives a sensitive value away by itself; other knowledge can: see what is not promised."

    @cached_property
    def sections(self) -> list[ReportSection]:
        """In the order of reading."""
        return sections(self)

    def save(self, path: str | Path) -> Path:
        """One HTML page, with pictures, that needs nothing else."""
        from deniable.releases.syntactic.report.page import page  # noqa: PLC0415 - drawing is needed only here

        write(path, page(self.release), "report")
        return Path(path)

    def __rich__(self) -> Any:  # noqa: ANN401 - what rich draws
        """For terminals."""
        from deniable.releases.syntactic.report.page import rich_report  # noqa: PLC0415 - same

        return rich_report(self)

    def __repr__(self) -> str:
        """The same without colours."""
        from deniable.releases.syntactic.report.page import plain_report  # noqa: PLC0415 - same

        return plain_report(self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from deniable.releases.syntactic.report.page import body  # noqa: PLC0415 - same

        return body(self.release)

    def _second(self) -> Recoding | None:
        release = self.release
        models = release.demands.bound(release.cells)
        if not release.cells.sensitive:
            return None
        if release.method != "mondrian":
            return mondrian(release.cells, models, release.demands.k)
        lattice = Lattice(release.cells)
        best = optimum(lattice, models, ncp(release.cells), release.demands.limit(release.cells.total))
        if best is None:
            return None
        return full_domain(release.cells, best.node, judge(lattice, best.node, models).kept)
