"""What a form orders, and what each kind of release is, in words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from starlette.exceptions import HTTPException

from deniable.core.algebra.expression import Kind
from deniable.policy import DeclaredTable, Policy
from deniable.service.orders import Order

TITLES = {
    "profile": (
        "A profile",
        "What the tables look like: rows per person, values and missing values of every column. It needs no bounds.",
    ),
    "synthetic": (
        "Synthetic tables",
        "Made-up rows that look like the private ones, and a report of how good they are. They can be shared.",
    ),
    "workload": (
        "A workload",
        "Many counts at once: histograms, ranges, cross-tables. Together they cost far less than one by one.",
    ),
    "anonymized": (
        "An anonymized table",
        "Rows in which everyone hides among others: k-anonymity, l-diversity, t-closeness. No differential privacy.",
    ),
}
PAYMENTS = {
    "profile": (("rho", "rho (ρ)", "0.02"),),
    "synthetic": (("rho", "rho (ρ)", "0.05"), ("epsilon", "or epsilon (ε)", ""), ("delta", "delta (δ)", "")),
    "workload": (
        ("epsilon", "epsilon (ε)", "0.5"),
        ("rho", "or rho (ρ)", ""),
        ("accuracy", "or accuracy: ± at most", ""),
    ),
}
"""By kind: the names under which it is paid, what they are called, and a number to begin with."""


def ordered(kind: str, sent: Mapping[str, str]) -> Order:
    """What was sent, without the spaces around numbers."""
    if kind not in TITLES:
        raise HTTPException(404)
    paid = {name: sent.get(name, "").strip() for name, _, _ in PAYMENTS.get(kind, ())}
    tables = tuple(name.removeprefix("table:") for name in sent if name.startswith("table:"))
    chosen = (sent["table"],) if sent.get("table") else tables
    rows, text, reason = (sent.get(name, "") for name in ("rows", "text", "reason"))
    return Order(kind, sent.get("payer", ""), paid, chosen, rows.strip(), text, reason)


def fields_of(order: Order, policy: Policy) -> dict[str, str]:
    """What the form is filled with: what was sent, or a number to begin with; a delta where values have to be found."""
    begun = {name: first for name, _, first in PAYMENTS.get(order.kind, ())}
    if "delta" in begun and any(_unlisted(table) for table in policy.tables.values() if not table.public):
        begun["delta"] = "1e-8"
    return begun if not any(order.spending.values()) else {name: order.spending.get(name, "") for name in begun}


def _unlisted(table: DeclaredTable) -> bool:
    """Whether it has texts whose values only the data know."""
    named = (table.unit, table.key)
    return any(one.kind is Kind.TEXT and one.values is None and one.name not in named for one in table.columns.values())


def _workload(policy: Policy) -> str:
    """Counts of the first private table that has columns with values or bounds."""
    for name, table in policy.tables.items():
        known = [one for one in table.columns.values() if one.values is not None or one.low is not None]
        if not table.public and known:
            column = next((one.name for one in known if one.values is not None), known[0].name)
            return f"table = {_text(name)}\n\n[[parts]]\nhistogram = [{_text(column)}]\n"
    return ""


def _settings(policy: Policy) -> str:
    """The first private table's columns that others may know; which are sensitive is for the custodian to say."""
    for table in policy.tables.values():
        if not table.public:
            shown = [one for one in table.columns.values() if one.name not in (table.unit, table.key)]
            lines = [f"{_key(one.name)} = {_HIERARCHIES.get(one.kind, '{}')}" for one in shown[:3]]
            return "k = 5\nsuppression = 0.05\n\n[quasi_identifiers]\n" + "\n".join(lines) + "\n\n[sensitive]\n"
    return ""


def _key(name: str) -> str:
    """As TOML writes it in front of a value."""
    return name if _BARE.fullmatch(name) else _text(name)


def _text(name: str) -> str:
    """In quotes: what JSON escapes in a name, TOML escapes alike."""
    return json.dumps(name, ensure_ascii=False)


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HIERARCHIES = {
    Kind.INTEGER: "{ interval = [5, 10, 20] }",
    Kind.NUMBER: "{ interval = [10, 100] }",
    Kind.DATE: '{ date = ["month", "year"] }',
}
EXAMPLES: dict[str, Callable[[Policy], str]] = {
    "profile": lambda _: "",
    "synthetic": lambda _: "",
    "workload": _workload,
    "anonymized": _settings,
}
"""What the text begins with."""
