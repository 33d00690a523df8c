"""From SQL text to a plan: parse, bind, price. Small passes in one visible order; they read the policy, never data."""

from deniable.planner.batch import Batch, BatchQuote, price_all
from deniable.planner.bind import bind
from deniable.planner.parse import parse
from deniable.planner.plan import Plan, Quote
from deniable.planner.price import price
from deniable.planner.spend import Payment, Spend

__all__ = ["Batch", "BatchQuote", "Payment", "Plan", "Quote", "Spend", "bind", "parse", "price", "price_all"]
