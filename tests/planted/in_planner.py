"""Bugs in what the planner claims."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "squares reach one step too far",
        "planner/aggregates/statistics.py",
        "where, most - half, worth, signed=True)",
        "where, max(1, half), worth, signed=True)",
        (
            "conformance/test_reach.py::test_the_farthest_row_is_what_is_claimed",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "products reach one step too far",
        "planner/aggregates/statistics.py",
        "reach = left.reach * right.reach // divisor\n",
        "reach = max(1, left.reach * right.reach // divisor - 1)\n",
        (
            "conformance/test_reach.py::test_the_farthest_row_is_what_is_claimed",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "a unit claimed to weigh as one row",
        "planner/aggregates/statistics.py",
        "per_unit = ceil(Fraction(self.source.contribution * WEIGHT * reach, 1 << shift))",
        "per_unit = ceil(Fraction(WEIGHT * reach, 1 << shift))",
        (
            "unit/planner/pricing/test_price.py::test_units_weigh_their_contribution",
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
        ),
    ),
    Bug(
        "a unit claimed to be in one group",
        "planner/aggregates/statistics.py",
        "groups = self.source.contribution if self.grouped else 1",
        "groups = 1",
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "a unit claimed to have one value",
        "planner/aggregates/statistics.py",
        "most = self.source.contribution if self.source.unit is not None else 1",
        "most = 1",
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "replacing costs no more than removing",
        "planner/pricing/distance.py",
        "    return 2 * statistic.reach\n",
        "    return statistic.reach\n",
        (
            "unit/planner/pricing/test_price.py::test_distances_are_the_textbooks",
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
        ),
    ),
    Bug(
        "replacing in l2 by less than the root of two",
        "planner/pricing/distance.py",
        "return -floor(-root_above(Fraction(2)) * statistic.reach)",
        "return -floor(-root_above(Fraction(3, 2)) * statistic.reach)",
        (
            "unit/planner/pricing/test_price.py::test_distances_are_the_textbooks",
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "counts by group replaced in one group only",
        "planner/pricing/distance.py",
        "or (not statistic.signed and not grouped):",
        "or not statistic.signed:",
        (
            "unit/planner/pricing/test_price.py::test_distances_are_the_textbooks",
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
        ),
    ),
    Bug(
        "a row counts in every condition that holds",
        "planner/parallel.py",
        'where=call("equal", first, number(place))',
        "where=statistic.total.where",
        (
            "conformance/test_parallel.py::test_overlapping_conditions_never_count_a_row_twice",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "conditions side by side replaced as if there were one",
        "planner/pricing/noise.py",
        "replace(member, signed=signed), bound.neighbours, grouped=True,",
        "replace(member, signed=signed), bound.neighbours, grouped=False,",
        (
            "conformance/test_parallel.py::test_one_extreme_unit_moves_all_of_them_together_by_the_claim",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "ends that are equal as doubles taken for different",
        "planner/parallel.py",
        "else float(self.high) < float(other.low)",
        "else self.high < other.low",
        (
            "conformance/test_parallel.py::test_conditions_that_exclude_each_other_share_a_price",
            "unit/planner/test_parallel.py::test_these_may_hold_at_once_or_nobody_can_tell",
        ),
    ),
    Bug(
        "only the first statistic is charged",
        "planner/pricing/price.py",
        "loss = sum(parts, start=Loss.zero())",
        "loss = sum(parts[:1], start=Loss.zero())",
        (
            "unit/planner/pricing/test_price.py::test_the_whole_spend_is_used_and_no_more",
            "adversary/test_sql.py::test_57_every_part_is_charged",
        ),
    ),
    Bug(
        "every statistic gets the whole spend",
        "planner/pricing/noise.py",
        "shares = {name: weight / total for name, weight in weights.items()}",
        "shares = {name: weight / max(weights.values()) for name, weight in weights.items()}",
        (
            "unit/planner/pricing/test_price.py::test_the_whole_spend_is_used_and_no_more",
            "adversary/test_sql.py::test_57_every_part_is_charged",
        ),
    ),
    Bug(
        "private keys chosen as if a unit had one",
        "planner/pricing/noise.py",
        "partitions = bound.most_keys if bound.source.unit is not None else 1",
        "partitions = 1",
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "a unit keeps one private key too many",
        "planner/pricing/queries.py",
        "Kept(bound.source, keys, totals, bound.most_keys, ",
        "Kept(bound.source, keys, totals, bound.most_keys + 1, ",
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "private keys under replace",
        "planner/pricing/price.py",
        "if bound.neighbours is Neighbours.REPLACE:",
        "if bound.neighbours is None:",
        (
            "unit/planner/test_refusals.py::test_private_keys_need_the_add_remove_relation",
            "conformance/test_made_up.py",
        ),
    ),
    Bug(
        "an interval for nothing",
        "planner/choices/price.py",
        "return chosen if self.around is None else chosen + self.around.mechanism.loss",
        "return chosen",
        (
            "unit/planner/pricing/test_price.py::test_the_whole_spend_is_used_and_no_more",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
            "flows/test_identity.py::test_what_is_charged_is_what_ran",
        ),
    ),
    Bug(
        "most common values of a replaced unit",
        "planner/choices/price.py",
        "return reach if neighbours is Neighbours.ADD_REMOVE or not grouped else 2 * reach",
        "return reach",
        (
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
            "conformance/test_made_up.py::test_no_extreme_unit_moves_an_answer_farther_than_claimed",
        ),
    ),
    Bug(
        "running counts move one level too few",
        "planner/choices/running_counts.py",
        "mechanism = Laplace(sensitivity=moved * tree.levels * reach,",
        "mechanism = Laplace(sensitivity=moved * max(1, tree.levels - 1) * reach,",
        (
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "running counts in l2 of a replaced unit",
        "planner/choices/running_counts.py",
        "root_above(Fraction(moved * tree.levels))",
        "root_above(Fraction(tree.levels))",
        (
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
            "conformance/test_made_up.py::test_no_extreme_unit_moves_an_answer_farther_than_claimed",
        ),
    ),
    Bug(
        "confidence left out of a choice's identity",
        "planner/plan/plan.py",
        "repr((self.queries, self.events, keys, choices))",
        "repr((self.queries, self.events, keys))",
        (
            "flows/test_identity.py::test_each_part_of_a_payment_makes_a_new_charge_or_leaves_the_numbers_valid",
            "unit/planner/pricing/test_price.py::test_how_sure_an_interval_is_belongs_to_a_choice_and_to_nothing_else",
        ),
    ),
    Bug(
        "noise left out of a question's identity",
        "planner/plan/plan.py",
        "repr((self.queries, self.events, keys, choices))",
        "repr((self.queries, keys, choices))",
        (
            "flows/test_identity.py::test_each_part_of_a_payment_makes_a_new_charge_or_leaves_the_numbers_valid",
            "unit/planner/pricing/test_price.py::test_another_question_has_another_name",
        ),
    ),
    Bug(
        "a batch's keys spend delta several times",
        "planner/pricing/batch.py",
        "spend.delta / (2 * private)",
        "spend.delta / 2",
        (
            "unit/curator/test_batch.py::test_private_keys_of_several_questions_take_no_more",
            "unit/planner/pricing/test_batch.py",
        ),
    ),
    Bug(
        "a batch is not composed once more after rounding",
        "planner/pricing/batch.py",
        (
            "        if found.guarantee.epsilon <= epsilon:\n"
            "            return Batch(tuple(plans), Loss.approximate(found.guarantee.epsilon, delta), "
            "found.method)"
        ),
        (
            "        if found:\n"
            "            return Batch(tuple(plans), Loss.approximate(epsilon / 2, delta), found.method)"
        ),
        (
            "unit/curator/test_batch.py::test_the_tight_price_is_never_below_what_the_noise_loses",
            "unit/planner/pricing/test_batch.py",
        ),
    ),
    Bug(
        "a quotient that forgets the noise of its divisor",
        "planner/intervals/fieller.py",
        "sizes = np.abs(top[:, None] - bottom[:, None] * values)",
        "sizes = np.abs(top[:, None] + 0 * values)",
        (
            "unit/planner/intervals/test_fieller.py::test_the_set_holds_the_quotient_as_often_as_it_says",
            "statistics/test_interval_widths.py::test_intervals_hold_as_often_as_they_say_and_hardly_more_often",
        ),
    ),
    Bug(
        "combined noise with twice the doubt",
        "planner/intervals/law.py",
        "laplace_radius(scales, float(doubt)) + steps.sum(axis=0) / 2",
        "laplace_radius(scales, 2 * float(doubt)) + steps.sum(axis=0) / 2",
        (
            "unit/planner/intervals/test_law.py::test_combinations_exceed_their_radius_at_most_as_often_as_allowed",
            "statistics/test_interval_widths.py::test_intervals_hold_as_often_as_they_say_and_hardly_more_often",
        ),
    ),
    Bug(
        "a whole row at the upper end and half a row at the lower one",
        "planner/divided.py",
        'call("add", number(reach), place))',
        'call("add", number(2 * reach), place))',
        (
            "unit/planner/test_divided.py",
            "conformance/test_sensitivity.py",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "half a row claimed at each end",
        "planner/divided.py",
        "many.total.where, 2 * reach)",
        "many.total.where, reach)",
        (
            "unit/planner/test_divided.py",
            "conformance/test_sensitivity.py",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "a count divided with the sum of other rows",
        "planner/divided.py",
        "return many.total.where == present(other.total.where if other.total is not None else None, value)",
        "return True",
        (
            "unit/planner/test_divided.py",
            "conformance/test_plain.py",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "half a row claimed for moments",
        "planner/bernstein.py",
        "scratch.end(LABEL, row, where, whole)",
        "scratch.end(LABEL, row, where, whole // 2)",
        (
            "unit/planner/test_bernstein.py",
            "conformance/test_sensitivity.py",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "the middle polynomial takes what the others have",
        "planner/bernstein.py",
        'call("subtract", call("subtract", number(whole), low), high)',
        'call("subtract", number(whole), low)',
        (
            "unit/planner/test_bernstein.py",
            "conformance/test_sensitivity.py",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
)
