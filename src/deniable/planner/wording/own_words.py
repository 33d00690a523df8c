"""Refusals in the words of whoever asks: a function as it is written in the question, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sqlglot import exp

QUESTION = "question"
"""Where a tree keeps the text that it was made from, so that a refusal can quote it and underline a place in it."""
_SIGNS: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "//",
    exp.Mod: "%",
    exp.Pow: "^",
    exp.Neg: "-",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.DPipe: "||",
    exp.SimilarTo: "SIMILAR TO",
    exp.AtTimeZone: "AT TIME ZONE",
    exp.RegexpLike: "~",
    exp.RegexpILike: "~*",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.ILike: "ILIKE",
    exp.Glob: "GLOB",
    exp.Array: "A list",
    exp.Struct: "A struct",
    exp.Lambda: "A lambda",
    exp.Any: "ANY",
    exp.All: "ALL",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "XOR",
}
_INSTEAD = {
    "SIMILAR TO": "Write regexp_matches(column, '^...$').",
    "GLOB": "Write column LIKE 'a%'.",
    "~*": "Write column ILIKE '%...%', or regexp_matches(LOWER(column), '...').",
    "AT TIME ZONE": "Leave it out: timestamps are read in the zone that the policy names.",
    "ANY": "Write column IN (1, 2, 3).",
    "A LIST": "Write column IN (1, 2, 3).",
    "AGE": "Write EXTRACT(year FROM AGE(end, start)), or end - start for days.",
    "REGEXP_REPLACE": "Write REPLACE(column, 'old', 'new').",
    "REGEXP_EXTRACT": "Write SPLIT_PART(column, '-', 1), or SUBSTRING(column, 1, 3).",
    "STRPTIME": "Write CAST(column AS TIMESTAMP).",
    "TO_DATE": "Write CAST(column AS DATE).",
    "TO_TIMESTAMP": "Write CAST(column AS TIMESTAMP).",
    "HASH": "Write COUNT(DISTINCT column) to count different values.",
    "MD5": "Write COUNT(DISTINCT column) to count different values.",
    "RANDOM": "Leave it out: noise is added to every answer.",
}


def spelled(node: exp.Expression) -> str:
    """What a node is called in the question itself; if that is not known, by the parser."""
    text, meta = node.root().meta.get(QUESTION, ""), node.meta
    if text and "start" in meta and not isinstance(node, exp.Column | exp.Literal):
        return str(text[meta["start"] : meta["end"] + 1])
    if type(node) in _SIGNS:
        return _SIGNS[type(node)]
    if isinstance(node, exp.Anonymous):
        return node.name
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def instead(name: str, node: exp.Expression, known: Iterable[str]) -> str:
    """What to write where a function is not known."""
    if name.upper() in _INSTEAD:
        return _INSTEAD[name.upper()]
    close = get_close_matches(name.upper(), known, n=1, cutoff=0.75)
    if close:
        return f"Did you mean {close[0]}?"
    column = next((found.sql() for found in node.find_all(exp.Column)), "column")
    quoted = "; a column with brackets in its name goes in double quotes" * isinstance(node, exp.Anonymous)
    return f"Use CASE WHEN {column} ... THEN ... END, or a function of docs/sql.md{quoted}"


def advised(name: str) -> bool:
    """Whether it is known what to write instead of a function."""
    return name.upper() in _INSTEAD
