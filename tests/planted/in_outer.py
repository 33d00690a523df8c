"""Bugs in what stands around noisy answers."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "the condition around a question is moved into it",
        "planner/outer/split.py",
        "        question = select.copy()\n",
        "        question = select.copy()\n"
        "        around_it = select.parent_select and select.parent_select.args.get('where')\n"
        "        question = question.where(around_it.this.copy()) if around_it else question\n",
        (
            "adversary/test_outer.py::test_nothing_outside_changes_what_is_asked_inside",
            "unit/planner/outer/test_split.py::test_one_question_is_inside_as_if_it_were_asked_alone",
        ),
    ),
    Bug(
        "private rows are joined with noisy answers",
        "planner/outer/split.py",
        "            if Nature.NOISY in natures:\n                raise mixed.beside(select)\n",
        "",
        (
            "unit/planner/outer/test_split.py::test_private_rows_never_meet_noisy_ones",
            "unit/planner/test_refusals.py::test_refusals_have_their_code",
        ),
    ),
    Bug(
        "an outer query is not checked before the charge",
        "curator/price.py",
        "        return self._checked(plan_statement(sql, policy, spend))\n",
        "        return plan_statement(sql, policy, spend)\n",
        (
            "adversary/test_outer.py::test_what_does_not_fit_is_refused_before_the_charge_in_words_of_ours",
            "conformance/test_outer.py::test_equals_plain_duckdb",
        ),
    ),
    Bug(
        "functions that nobody has listed are computed",
        "planner/outer/check.py",
        "if named else (type(node).__name__ not in _FUNCTIONS):\n",
        "if named else False:\n",
        (
            "adversary/test_outer.py::test_functions_that_do_more_than_compute_are_refused_before_anything_is_charged",
            "unit/planner/test_refusals.py::test_refusals_have_their_code",
        ),
    ),
    Bug(
        "several noisy numbers hold as surely as one",
        "planner/outer/carry.py",
        "    levels = tuple(sorted({len(found.columns[place][1].rests or ()) for place in bands}))\n"
        "    found.emit([(place, (len(found.columns[place][1].rests or ()),)) for place in bands], levels)\n",
        "    levels = (1,)\n    found.emit([(place, (1,)) for place in bands], levels)\n",
        (
            "unit/planner/outer/test_carry.py::test_numbers_that_must_hold_together_are_counted",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "a column keeps its interval where noise decides which row it is of",
        "planner/outer/scope.py",
        "not value.carried or not all(self.value(part).exact for part in beside)",
        "not value.carried",
        (
            "unit/planner/outer/test_carry.py::test_what_goes_row_by_row_keeps_its_interval_and_nothing_else_does",
            "statistics/test_outer_intervals.py::test_a_change_in_a_noisy_order_has_no_interval",
        ),
    ),
    Bug(
        "one question inside is charged twice",
        "planner/statements.py",
        "    order = sorted(runs, key=repr)\n",
        "    runs |= {(key, 'again'): bound for key, bound in runs.items()}\n"
        "    paid |= {(key, 'again'): part for key, part in paid.items()}\n"
        "    order = sorted(runs, key=repr)\n",
        (
            "adversary/test_outer.py::test_nothing_outside_changes_what_is_asked_inside",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
)
