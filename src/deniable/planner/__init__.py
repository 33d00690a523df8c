"""From SQL text to a plan. Small passes in one visible order; they read the policy, never data.

    wording.parameters.filled              before all: `?`, `$1` and `:name` become constants
    passes.plan_statement                  the order, as code
     0. pricing.limits.ChargeLimits        a spend that is too small or too large, an answer that is too long: refused
     1. parse.parse                        text -> tree: one SELECT, and only clauses that have a meaning
          wording.spellings.plainly        names that mean the same become one
        outer.split                        which parts are questions; what is around them is computed from their answers
        bind.bind                          tree -> Bound: only what the policy declares exists
          wording.spellings.clocked        CURRENT_DATE and its like become constants
     2.   choices.syntax.spread            a list of quantiles becomes a column for each
          listing.as_groups                DISTINCT without aggregates becomes GROUP BY
     3.   relations.from_clause.Relations  FROM, JOIN, WITH, IN (SELECT), WHERE: the rows, and whose they are
     4.   expressions.keys.domain          GROUP BY: which groups there are, if that is public
     5.   aggregates.written.written       each aggregate: its row in aggregates.table
     6.   aggregates.makers                what it is made of: base statistics, shared between columns
          parallel.parallel                conditions that exclude each other: one number for each row
     7.   expressions.translate.translate  what is computed around aggregates, in HAVING and in ORDER BY
        pricing.price.price                Bound -> Plan: what it costs
     8.   pricing.noise.noise_for          noise for each statistic; of what is chosen: choices.price, running_counts
     9.   pricing.cautions.cautions        what the answer leaves out besides noise
        work.counted                       both count their steps, and refuse what takes too many

`pricing.batch.price_all` is step 8 for several questions at once, `release_cells` the same for a whole workload. `plan`
and `spend` hold what goes in and out. The plan of each shape of question stands in tests/plans, as text.
"""

from deniable.planner.bind import bind, bind_cells
from deniable.planner.parse import parse
from deniable.planner.passes import plan_listing, plan_question, plan_statement, plan_statements
from deniable.planner.plan import OutputColumn, Plan, Quote
from deniable.planner.pricing.batch import Batch, BatchQuote
from deniable.planner.pricing.limits import ChargeLimits
from deniable.planner.pricing.price import price
from deniable.planner.spend import Payment, ReleasePayment, Spend
from deniable.planner.statements import PricedStatement, PricedStatements

__all__ = [
    "Batch",
    "BatchQuote",
    "ChargeLimits",
    "OutputColumn",
    "Payment",
    "Plan",
    "PricedStatement",
    "PricedStatements",
    "Quote",
    "ReleasePayment",
    "Spend",
    "bind",
    "bind_cells",
    "parse",
    "plan_listing",
    "plan_question",
    "plan_statement",
    "plan_statements",
    "price",
]
