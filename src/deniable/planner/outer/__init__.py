"""What is public is free to compute with: a statement around noisy answers is computed on them, never inside.

    split.split            which parts of a statement are questions about private rows, and what is around them
      natures              what a query's rows are: private, noisy or public
      apart                one SELECT that computes more around its aggregates than a question can: taken apart
      grouping_sets        ROLLUP, CUBE and GROUPING SETS: a question for each set of keys
      mixed                private rows beside noisy numbers: refused, with the way to ask in two steps
    check.check            what is around them: only functions that compute, by a list
    carry.carried          which of its columns keep an interval, and how that is computed beside them
      scope                the tables of one SELECT, and what its names mean (rows: what each table gives)
      ends                 the ends of what is computed from noisy numbers
    statement.OuterQuery   the statement that runs on noisy tables, in an empty database

The rule: a subquery grouped by the unit, or by a key that leads to it, is an exact relation and stays inside a
question. Any other aggregate of private rows is a question, and noisy; whatever uses it is outside. Nothing of what is
outside ever changes what is asked inside. Why that is sound stands in docs/proofs/outer.md.
"""

from deniable.planner.outer.split import SplitStatement, split
from deniable.planner.outer.statement import OuterQuery

__all__ = ["OuterQuery", "SplitStatement", "split"]
