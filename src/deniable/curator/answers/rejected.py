"""Why an outer query cannot be computed, in the words of whoever wrote it: DuckDB's own are only read here.

They were said about empty tables, so they are about the statement and the names of columns alone.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import QUESTION, position


def in_words(message: str, tree: exp.Expression, first: Refused | None = None) -> Refused:
    """The refusal that a message of DuckDB's amounts to, with its place in the question.

    Of a column that is nowhere, `first` says more, which knows the tables: why the statement is no question by itself.
    """
    for pattern, words in _MEANINGS:
        found = re.search(pattern, message)
        if found is not None:
            refusal = words(found, message, tree)
            if first is not None and (first.code, first.position) == ("unknown-column", refusal.position):
                refusal = first
            refusal.question = tree.meta.get(QUESTION, "")
            return refusal
    reason = "What is around the noisy answers cannot be computed from their columns."
    hint = "Check the names and types of the columns inside, or ask for them alone and compute the rest yourself."
    return Refused("type-mismatch", reason, hint, None, tree.meta.get(QUESTION, ""))


def _unknown_column(found: re.Match[str], message: str, tree: exp.Expression) -> Refused:
    name = found[1]
    there = re.findall(r'"([^"]+)"', message.partition("Candidate bindings:")[2])
    known = [one.rpartition(".")[2] for one in there]
    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(known)}." if known else ""
    hint = hint or "Columns of a subquery are called by their aliases: write COUNT(*) AS n, and n around it."
    return Refused("unknown-column", f"There is no column {name!r} here.", hint, _column(tree, name))


def _unknown_table(found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    reason = f"There is no table {found[1]!r} here."
    return Refused("unknown-table", reason, "Use the alias of the subquery.", _column(tree, found[1]))


def _ambiguous(found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    hint = "Write the table before it: table.column."
    return Refused("ambiguous-column", f"{found[1]!r} is in several tables.", hint, _column(tree, found[1]))


def _not_grouped(found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    hint = f"Put it into GROUP BY, or into an aggregate such as MAX({found[1]})."
    return Refused("not-grouped", f"{found[1]!r} has no single value per group.", hint, _column(tree, found[1]))


def _no_function(found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    name, given = found[1], found[2]
    words = ", ".join(_TYPES.get(one.strip().partition("(")[0], "a value") for one in given.split(",")) or "nothing"
    reason = f"{name.upper()} cannot be computed of {words}."
    return Refused("type-mismatch", reason, "Convert a value first: CAST(column AS DOUBLE).", _function(tree, name))


def _unlike(_found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    hint = "Convert one of them: CAST(column AS VARCHAR)."
    return Refused("type-mismatch", "Values of different types are compared or mixed.", hint, position(tree))


def _columns_differ(_found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    place = tree.find(exp.SetOperation)
    hint = "Select as many columns on both sides."
    return Refused(
        "unsupported-form",
        "The two sides have different numbers of columns.",
        hint,
        None if place is None else position(place),
    )


def _constant(found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    literal = next((one for one in tree.find_all(exp.Literal) if one.is_string and one.name == found[1]), None)
    hint = "Write the constant in the type of what it is compared with."
    return Refused(
        "type-mismatch", f"{found[1]!r} cannot be converted.", hint, None if literal is None else position(literal)
    )


def _window(_found: re.Match[str], _message: str, tree: exp.Expression) -> Refused:
    hint = "Put the window into a subquery, and use its column around that; or write QUALIFY."
    window = tree.find(exp.Window)
    return Refused(
        "unsupported-form", "A window cannot stand here.", hint, None if window is None else position(window)
    )


def _column(tree: exp.Expression, name: str) -> tuple[int, int] | None:
    for node in tree.find_all(exp.Column):
        if name.lower() in (node.name.lower(), node.table.lower()) and position(node) is not None:
            return position(node)
    return None


def _function(tree: exp.Expression, name: str) -> tuple[int, int] | None:
    for node in [one for one in tree.find_all(exp.Func, exp.Binary) if isinstance(one, exp.Expression)]:
        names = (node.sql_name().lower() if isinstance(node, exp.Func) else "", node.name.lower())
        if name.lower() in names and position(node) is not None:
            return position(node)
    return None


_TYPES = {
    "VARCHAR": "text",
    "STRING_LITERAL": "text",
    "BIGINT": "a whole number",
    "INTEGER": "a whole number",
    "INTEGER_LITERAL": "a whole number",
    "HUGEINT": "a whole number",
    "DOUBLE": "a number",
    "DECIMAL": "a number",
    "BOOLEAN": "true or false",
    "DATE": "a date",
    "TIMESTAMP": "a timestamp",
    "TIME": "a time",
    "INTERVAL": "an interval",
}
_MEANINGS = (
    (r'Referenced column "([^"]+)" not found', _unknown_column),
    (r'does not have a column named "([^"]+)"', _unknown_column),
    (r'Column with name "?([^"\s]+)"? does not exist', _unknown_column),
    (r'Column "([^"]+)" referenced that exists in the SELECT clause', _unknown_column),
    (r'Referenced table "([^"]+)" not found', _unknown_table),
    (r'Ambiguous reference to column name "([^"]+)"', _ambiguous),
    (r'column "([^"]+)" must appear in the GROUP BY', _not_grouped),
    (r"(?:function call|name and argument types) [\"']([^\s(]+)\(([^)]*)\)", _no_function),
    (r"Cannot (?:compare|mix) values", _unlike),
    (r"Set operations can only apply to expressions with the same number", _columns_differ),
    (r"Could not convert string '([^']*)'", _constant),
    (r"[Ww]indow functions", _window),
)
