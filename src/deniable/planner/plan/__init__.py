"""What goes from pass to pass: the question bound to the policy, its parts with their noise, its quote, its plan."""

from deniable.planner.plan.bound import Bound, OrderTerm, Output, OutputColumn
from deniable.planner.plan.parts import Noisy, Parallel, Part, Single, each, material, singly
from deniable.planner.plan.plan import Plan
from deniable.planner.plan.quote import Preview, Priced, Quote

__all__ = [
    "Bound",
    "Noisy",
    "OrderTerm",
    "Output",
    "OutputColumn",
    "Parallel",
    "Part",
    "Plan",
    "Preview",
    "Priced",
    "Quote",
    "Single",
    "each",
    "material",
    "singly",
]
