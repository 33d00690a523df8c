"""A first policy for a file, for the custodian to correct. It looks at the data, and says where."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from deniable.core.algebra.expression import Kind
from deniable.engines.duckdb.look import Looked, counted, look
from deniable.files.formats import FileFormat
from deniable.files.kinds import kind_of, misfit, unit_kind_of
from deniable.files.sniff import sniffed
from deniable.files.source import DataFile
from deniable.files.tables import unreadable

MARK = "FROM THE DATA"
"""What stands beside everything that was looked up in private rows."""
FEW = 24
"""Texts with so few different values are probably a public list; and so few are no people."""
_YES_NO = 2
_NEVER = ", nulls = false"
_LOOKED = f"# {MARK}: replace by public knowledge"
_NUMBERS = 'most of these are numbers: with type = "number" and bounds, the others count as missing'
_SIGNED = (
    "these seem to be numbers with signs (12%, $5, 1,234.50), which are not read: take them out of the file to add up"
)
_ALWAYS = f"{MARK}: no row is without a value; if that can change, delete: nulls = false"
_NOTHING = "no row has a value"
_TOO_LONG = 'some have more than 64 bits: 15 digits count; if they are names and no amounts, write type = "text"'
_FOREIGN = (
    'these seem to be days: to use them as dates, say how they are written, csv = { dates = "31.12.2025" }; '
    "years need four digits"
)
_NAMED = re.compile(r"(?i:(.*[\W_])?(id|no|nr|num|key|uuid|guid|ssn)\W*)|.*[a-z](Id|ID|No|Nr|Key|UUID|Uuid)")
"""Names that mean a number of somebody or something, as `customer_id` and `Patienten-Nr.` do."""
_WHO = (
    "patient|person|people|customer|client|user|member|student|employee|subject|citizen|account|visitor|household"
    "|kunde|mitglied|versichert|paciente"
)
_PERSON = re.compile(rf"(?i).*({_WHO}).*")
_CALLED = re.compile(
    rf"(?i)(.*[\W_])?({_WHO})s?([\W_]?(name|login|code|number|hash))?|.*[a-z](?-i:Patient|Customer|User)"
)
"""Names of somebody, without a word for a number: `patient`, `user_name`, `account`."""
_ZONE = 'zone = "UTC"                   # your decision: the time zone in which timestamps that have one are read\n'
_BARE = re.compile(r"[A-Za-z0-9_-]+")

_HEAD = """\
# A draft. Lines marked '{mark}' were looked up in private rows: replace each by what is known publicly,
# and delete the mark. Columns that you delete do not exist for analysts.

[population]
name = {title}
neighbours = "add-remove"
{zone}
[budget]
epsilon = 1.0                  # your decision: how much may be lost about any one unit, for ever
delta = 1e-6                   # far below 1 in the number of units; leave out for pure differential privacy
delta_for_keys = 5e-7          # of that, for showing group keys that are private

[tables.{name}]
source = {source}
{layout}{unit}
[tables.{name}.columns]
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A column that may name whom we protect."""

    name: str
    distinct: int
    rows: int

    @property
    def likely(self) -> bool:
        """It may name people who have several rows: as few values as a list has name nobody in a long table."""
        return self.distinct < self.rows and (self.distinct > FEW or self.rows <= FEW)

    def __str__(self) -> str:
        """Its name, and how much it tells apart."""
        return f"{self.name}: {self.distinct:,} different values in {self.rows:,} rows"


Choice = Callable[[Sequence[Candidate]], str | None]
"""Whom to protect, of these, the likeliest first; None: each row by itself."""


def draft(source: str | Path, choose: Choice | None = None) -> str:
    """The text of a policy for one source, read as the engine reads it; blanks are NULL, as in questions.

    `choose` is asked who the unit is; without it, the likeliest column is drafted, with a comment.
    """
    file = DataFile.named(source, "file")
    file.require("file")
    if file.format is FileFormat.CSV:
        try:
            file = replace(file, layout=sniffed(file.files[0]))
        except unreadable() as error:
            raise file.unreadable("file", error) from None
    columns = _once(look(file, FEW))
    bare = not counted(file, columns[0].name)[0] if columns else True
    columns = [replace(column, complete=False) for column in columns] if bare else columns
    candidates = _candidates(file, columns)
    chosen = choose(candidates) if choose else next((one.name for one in candidates if one.likely), None)
    name = re.sub(r"\W", "_", file.title) or "data"
    described = "\n".join(_line(column, is_unit=column.name == chosen, bare=bare) for column in columns)
    head = _HEAD.format(
        mark=MARK,
        title=_quoted(name),
        zone=_ZONE if any(column.instant for column in columns) else "",
        name=_key(name),
        source=_quoted(_beside(file)),
        layout=_layout(file),
        unit=_unit(chosen, candidates),
    )
    return head + (_BARE_FILE if bare else "") + _titled(file) + described + "\n"


def _titled(file: DataFile) -> str:
    """What to say of a first line in which most cells are empty: above the names there is a title, then."""
    cells = file.layout.first_row(file.files[0]) if file.format is FileFormat.CSV and file.layout.header else []
    named = sum(bool(cell.strip()) for cell in cells)
    return (
        f"# The first line {_flat(repr(','.join(cells)))} names {named} of {len(cells)} columns: {_TITLE}\n"
        if 2 * named < len(cells) or cells[0].lower() == "sep="
        else ""
    )


def _candidates(file: DataFile, columns: Sequence[Looked]) -> list[Candidate]:
    """Columns that could name units, the likeliest first. Two values name nobody, whatever the column is called.

    One whose name only ends as if (paid, valid), or that is called like somebody (patient, account), must have more
    different values than a list has.
    """
    found = []
    for place, column in enumerate(columns):
        ending = column.name.lower().endswith(("id", "no", "key")) or _CALLED.fullmatch(column.name) is not None
        if column.kind in {None, Kind.NUMBER, Kind.BOOLEAN} or not (ending or _NAMED.fullmatch(column.name)):
            continue
        rows, distinct = counted(file, column.name)
        clear = _NAMED.fullmatch(column.name) is not None
        if distinct > FEW or (clear and (distinct > _YES_NO or rows <= FEW)):
            person = _PERSON.fullmatch(column.name) is not None
            found.append(((distinct == rows, not person, not clear, place), Candidate(column.name, distinct, rows)))
    return [candidate for _, candidate in sorted(found, key=lambda one: one[0])]


def _once(columns: Sequence[Looked]) -> list[Looked]:
    """A policy tells names apart by more than upper and lower case; a file need not."""
    seen: set[str] = set()
    kept = []
    for column in columns:
        again = column.name.casefold() in seen or not column.name.strip()
        seen.add(column.name.casefold())
        kept.append(replace(column, kind=None, type="") if again else column)
    return kept


def _beside(file: DataFile) -> str:
    """The source as it is written in a policy beside it."""
    name = file.path.name + "/" * file.path.is_dir()
    if file.wild:
        fixed = next(parent for parent in file.path.parents if "*" not in str(parent) and "?" not in str(parent))
        name = file.path.relative_to(fixed).as_posix()
    return name if file.table is None else f"{name}::{file.table}"


def _layout(file: DataFile) -> str:
    """How the file seems to be laid out, where that is not as usual."""
    facts = file.layout.facts
    if not facts:
        return ""
    said = ", ".join(
        f"{key} = {str(value).lower() if value is False else _quoted(value)}" for key, value in facts.items()
    )
    return f"csv = {{ {said} }}   # how the file seems to be laid out: check this\n"


def _unit(chosen: str | None, candidates: Sequence[Candidate]) -> str:
    """Whom the draft protects, and who else it could be."""
    others = "".join(
        f"# or: unit = {_quoted(one.name)}   # {MARK}: {_flat(str(one))}\n" for one in candidates if one.name != chosen
    )
    if chosen is None:
        none = "# whom we protect; without it each row is a unit of its own"
        most = "# the most one unit may weigh, in rows: a profile finds it"
        return f'# unit = "person_id"          {none}\n# contribution = 1             {most}\n{others}'
    known = next((f"{MARK}: {_flat(str(one))}; " for one in candidates if one.name == chosen), "")
    return (
        f"unit = {_quoted(chosen)}   # {known}is this whom we protect?\n"
        f"{others}contribution = 10              # the most one unit may weigh, in rows: your decision\n"
    )


def _line(column: Looked, *, is_unit: bool, bare: bool) -> str:
    """One column's line; what cannot be declared is left out, and says why."""
    name = _key(column.name)
    if column.kind is None:
        reason = "has the name of another column, or none: rename it"
        if column.type:
            reason = misfit(column.type, kind_of(column.type) or Kind.TEXT)
        return f"# {name} {_flat(reason)}"
    if is_unit:
        integer = unit_kind_of(column.type) is Kind.INTEGER
        return f'{name} = {{ type = "{"integer" if integer else "text"}" }}'
    facts = _facts(column) + (_NEVER if column.complete else "")
    if column.instant:
        return f'{name} = {{ type = "timestamp"{facts} }}   {_LOOKED}; it has a time zone, and is read in the one above'
    looked_up = _ALWAYS if facts == _NEVER else _LOOKED.removeprefix("# ")
    said = [looked_up] * bool(facts) + [_NOTHING] * (column.values == () and not bare)
    said += [_TOO_LONG] * column.too_long
    said += [_FOREIGN] * column.foreign_days + [_NUMBERS] * column.mostly_numbers + [_SIGNED] * column.signed_numbers
    return f'{name} = {{ type = "{column.kind.value}"{facts} }}' + (f"   # {'; '.join(said)}" if said else "")


def _facts(column: Looked) -> str:
    """Bounds or values, as the data has them."""
    if column.values:
        return f", values = [{', '.join(map(_quoted, column.values))}]"
    if column.low is None or column.low == column.high:
        return ""
    mark = '"' if column.kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TIME) else ""
    places = _PLACES.fullmatch(column.type) if column.kind is Kind.NUMBER else None
    step = f", step = {Decimal(1).scaleb(-int(places[1]))}" if places else ""
    return f", bounds = [{mark}{column.low}{mark}, {mark}{column.high}{mark}]{step}"


_PLACES = re.compile(r"DECIMAL\(\d+,\s*([1-6])\)")
"""As many digits behind the point as each value has."""
_TITLE = "if it is a title, take the lines above the names out of the file, and draft again."
_BARE_FILE = "# The file has no rows to look at: say yourself what type each column is, and its bounds or values.\n"


def _key(name: str) -> str:
    """A TOML key."""
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found.group()):04x}", escaped) + '"'


def _flat(text: str) -> str:
    """On one line, as comments are."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)
