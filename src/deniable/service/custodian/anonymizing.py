"""What may be asked of an anonymized table from afar: declared columns, k of 2 at least, and no file of the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.policy import DeclaredTable, InvalidPolicyError, Policy

if TYPE_CHECKING:  # slow to load, and questions do without
    from deniable.releases.syntactic.report.anonymized_table import AnonymizedTable

_ROLES = ("quasi_identifiers", "sensitive")


def not_promised(table: DeclaredTable) -> tuple[str, ...]:
    """What has to be said before anybody signs."""
    more = (
        "Whoever knows more about somebody than the columns that you name, or has another table about the same "
        "people, can learn more than it seems. The report measures how much."
    )
    rows = "Rows are counted, not people: rows that look alike can all be those of one person."
    return (
        "k-anonymity, l-diversity and t-closeness are not differential privacy, and no budget covers this table.",
        more,
        *(() if table.unit is None and not table.path else (rows,)),
    )


def anonymizing(
    tables: Sequence[str], written: Mapping[str, Any], policy: Policy
) -> tuple[DeclaredTable, dict[str, Any]]:
    """The table, and the arguments of `anonymize`, from settings that were written in a browser.

    A browser is taken over more easily than a machine. So nothing is published as it is, nothing that the policy does
    not declare or that names people, and no file is read but the table's own.

    Raises:
        Refused: the settings ask for more than that, or are wrong.
    """
    from deniable.releases.syntactic.settings import read_settings  # noqa: PLC0415 - slow to load

    declared = policy.tables.get(tables[0]) if len(tables) == 1 else None
    if declared is None or declared.public:
        raise InvalidArgumentError("table", "must be one of the private tables")
    inner = [one for role in _ROLES for one in _values(written.get(role))]
    if "keep" in written or any(isinstance(one, Mapping) and "tree" in one for one in inner):
        what = "Trees from files, and columns that are kept as they are, cannot be asked for from here."
        raise Refused("not-from-here", what, "Leave them out, or use the command line: deniable anonymize")
    try:
        asked = read_settings(written)
    except InvalidPolicyError as error:
        found = "; ".join(f"{one.key}: {one.what}" for one in error.problems)
        raise Refused("bad-settings", f"{found}.", "Mend it first.") from None
    known = [name for name in declared.columns if name not in _naming(declared)]
    for name in _columns(asked):
        if name not in known:
            raise InvalidArgumentError(name, f"is no column that can be published: they are {', '.join(known)}")
    if asked.get("k", 1) == 1:
        raise InvalidArgumentError("k", "is missing: ask for 2 at least")
    return declared, asked


def anonymized(table: DeclaredTable, asked: Mapping[str, Any], progress: Callable[[int, int], None]) -> AnonymizedTable:
    """The table that meets what is asked, or a refusal that names the nearest settings that would do."""
    from deniable.files.tables import read_table  # noqa: PLC0415 - slow to load
    from deniable.releases import anonymize  # noqa: PLC0415 - same

    if table.file is None:
        raise Refused("no-file", f"The rows of {table.name!r} are in no file.", "Anonymize them where they are.")
    return anonymize(read_table(table.file, "table", _columns(asked)), **asked, progress=progress)


def _values(section: object) -> list[object]:
    return list(section.values()) if isinstance(section, Mapping) else []


def _columns(asked: Mapping[str, Any]) -> list[str]:
    return [name for role in _ROLES for name in asked.get(role, ())]


def _naming(table: DeclaredTable) -> set[str]:
    """Columns that name people, or lead to them."""
    return {name for name in (table.unit, table.key) if name is not None} | {step.column for step in table.path[:1]}
