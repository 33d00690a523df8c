"""From SQL text to a plan. Small passes in one visible order; they read the policy, never data.

    passes.plan_question                   the order, as code
     0. limits.ChargeLimits                a spend that is too small or too large, an answer that is too long: refused
     1. parse.parse                        text -> tree: one SELECT, and only clauses that have a meaning
          wording.spellings.plainly        names that mean the same become one
        bind.bind                          tree -> Bound: only what the policy declares exists
          wording.spellings.clocked        CURRENT_DATE and its like become constants
     2.   choices.syntax.spread            a list of quantiles becomes a column for each
     3.   relations.from_clause.Relations  FROM, JOIN, WITH, IN (SELECT), WHERE: the rows, and whose they are
     4.   expressions.keys.domain          GROUP BY: which groups there are, if that is public
     5.   aggregates.written.written       each aggregate: its row in aggregates.table
     6.   aggregates.makers                what it is made of: base statistics, shared between columns
     7.   expressions.translate.translate  what is computed around aggregates, in HAVING and in ORDER BY
        price.price                        Bound -> Plan: what it costs
     8.   choices.price, running_counts    noise for what is chosen; for sums, price itself
     9.   cautions.cautions                what the answer leaves out besides noise
        work.counted                       both count their steps, and refuse what takes too many

`batch.price_all` is step 8 for several questions at once, `release_cells` the same for a whole workload. `plan` and
`spend` hold what goes in and out. The plan of each shape of question stands in tests/plans, as text.
"""

from deniable.planner.batch import Batch, BatchQuote, price_all
from deniable.planner.bind import bind
from deniable.planner.limits import ChargeLimits
from deniable.planner.parse import parse
from deniable.planner.passes import plan_batch, plan_question
from deniable.planner.plan import Plan, Quote
from deniable.planner.price import price
from deniable.planner.spend import Payment, Spend

__all__ = [
    "Batch",
    "BatchQuote",
    "ChargeLimits",
    "Payment",
    "Plan",
    "Quote",
    "Spend",
    "bind",
    "parse",
    "plan_batch",
    "plan_question",
    "price",
    "price_all",
]
