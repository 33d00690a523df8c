"""Bugs in numbers, samplers, losses and their sums."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "half of the Laplace noise",
        "core/sampling/laplace.py",
        "    noise = geometric(scale, size, bits)\n",
        "    noise = geometric(scale / 2, size, bits)\n",
        (
            "statistics/test_samplers.py::test_short_draws_follow_the_same_law",
            "unit/mechanisms/test_laplace.py::test_noise_has_the_law_that_was_promised",
        ),
    ),
    Bug(
        "noise to one side only",
        "core/sampling/laplace.py",
        "    noise -= geometric(scale, size, bits)\n",
        "",
        (
            "statistics/test_samplers.py::test_short_draws_follow_the_same_law",
            "unit/mechanisms/test_laplace.py::test_noise_has_the_law_that_was_promised",
        ),
    ),
    Bug(
        "Gaussian proposals accepted by the wrong law",
        "core/sampling/gaussian.py",
        "exponents = (floats - near_centre) ** 2 / doubled",
        "exponents = (floats - near_centre) ** 2 * 2 / doubled",
        (
            "statistics/test_samplers.py::test_short_draws_follow_the_same_law",
            "unit/core/test_sampling.py::test_ties_of_a_gaussian_proposal_are_settled",
        ),
    ),
    Bug(
        "random bytes that repeat",
        "core/bits.py",
        "return os.urandom(count)",
        "return (os.urandom(8) * count)[:count]",
        (
            "statistics/test_samplers.py::test_short_draws_follow_the_same_law",
            "unit/core/test_bits.py",
        ),
    ),
    Bug(
        "half-even for half-up",
        "core/grid.py",
        "index = floor(number / self.step + Fraction(1, 2))",
        "index = round(number / self.step)",
        (
            "unit/core/test_grid.py::test_index_is_the_nearest_multiple_halves_upward",
            "unit/core/test_grid.py::test_floats_next_to_a_half_are_exact",
            "unit/mechanisms/test_laplace.py::test_fractions_land_no_farther_apart_than_the_noise_hides",
        ),
    ),
    Bug(
        "floats read as their decimal text",
        "core/grid.py",
        "self._index(name, Fraction(float(numbers[position])))",
        "self._index(name, Fraction(str(float(numbers[position]))))",
        (
            "unit/core/test_grid.py::test_reading_decimals_would_break_the_distance",
            "unit/mechanisms/test_floats.py::test_floats_are_read_as_they_are_stored",
        ),
    ),
    Bug(
        "distance on the grid rounded down",
        "core/grid.py",
        "return -(-difference // self.step)",
        "return max(1, difference // self.step)",
        (
            "unit/core/test_grid.py::test_the_distance_holds_at_its_edge",
            "unit/mechanisms/test_laplace.py::test_neighbours_land_at_most_the_distance_apart",
        ),
    ),
    Bug(
        "deltas do not add up",
        "core/loss.py",
        "delta=self.delta + other.delta,",
        "delta=max(self.delta, other.delta),",
        (
            "unit/core/test_loss.py::test_losses_add_up_form_by_form",
            "unit/accounting/test_compose.py::test_deltas_add_up_whether_losses_are_one_or_many",
        ),
    ),
    Bug(
        "many uses at the delta of one",
        "core/loss.py",
        "delta=count * self.delta,",
        "delta=self.delta,",
        (
            "unit/core/test_loss.py::test_times_is_repeated_addition",
            "unit/accounting/test_compose.py::test_deltas_add_up_whether_losses_are_one_or_many",
        ),
    ),
    Bug(
        "a group's rho grows with its size, not its square",
        "core/loss.py",
        "rho=people**2 * self.rho",
        "rho=people * self.rho",
        (
            "unit/core/test_loss.py::test_a_group_pays_once_in_epsilon_and_in_squares_otherwise",
            "unit/core/test_theorems.py::test_k_people_together_move_a_gaussian_by_k_squared_rho",
        ),
    ),
    Bug(
        "rho from epsilon too small",
        "core/conversion.py",
        "return epsilon**2 / 2\n",
        "return epsilon**2 / 4\n",
        (
            "unit/core/test_conversion.py::test_rho_of_pure_epsilon_bounds_every_divergence_of_randomized_response",
            "unit/core/test_loss.py",
            "unit/accounting/test_filter.py",
        ),
    ),
    Bug(
        "mu from epsilon halved",
        "core/conversion.py",
        "return above(2 * half) ** 2 * (1 + Fraction(1, 10**9))",
        "return above(half) ** 2 * (1 + Fraction(1, 10**9))",
        (
            "unit/core/test_conversion.py::test_mu_of_pure_epsilon_is_just_above_the_truth",
            "unit/core/test_loss.py",
            "unit/accounting/test_compose.py::test_no_method_shows_less_than_k_randomized_responses_really_lose",
        ),
    ),
    Bug(
        "delta of a group without the growing factor",
        "core/conversion.py",
        "return min(Fraction(1), delta * above(factor))",
        "return min(Fraction(1), delta * people)",
        (
            "unit/core/test_conversion.py::test_delta_of_a_group_is_never_below_the_chain",
            "unit/core/test_theorems.py::test_the_delta_of_a_group_covers_the_worst_mechanism_of_each_of_its_people",
        ),
    ),
    Bug(
        "delta of rho without its last factor",
        "core/conversion.py",
        "exponent = excess * ((1 + excess) * rho - epsilon) - (1 + excess) * log1p(1 / excess) - high",
        "exponent = excess * ((1 + excess) * rho - epsilon) - (2 + excess) * log1p(1 / excess) - high",
        (
            "unit/core/test_conversion.py::test_delta_of_zcdp_is_never_below_the_best_order_and_close",
            "unit/accounting/test_filter.py::test_each_cap_is_as_private_as_its_share_says_and_hardly_more",
            "unit/accounting/test_compose.py::test_zcdp_adds_rhos_and_converts_by_the_best_order",
        ),
    ),
    Bug(
        "delta divided twice over",
        "core/cap.py",
        "rest = (whole.delta - reserve - sum(given.values())) / max(1, len(named) - len(given))",
        "rest = whole.delta - reserve - sum(given.values())",
        (
            "unit/core/test_cap.py",
            "unit/policy/test_policy.py::test_delta_is_divided_exactly",
        ),
    ),
    Bug(
        "one delta for two conversions",
        "accounting/filter.py",
        "budget_for_rho(cap.epsilon, cap.concentrated) if",
        "budget_for_rho(cap.epsilon, cap.delta) if",
        (
            "unit/accounting/test_filter.py::test_each_cap_is_as_private_as_its_share_says_and_hardly_more",
            "unit/accounting/test_worst_analyst.py::test_all_conversions_together_spend_no_more_than_delta",
        ),
    ),
    Bug(
        "delta is not capped",
        "accounting/filter.py",
        "return total.delta <= self.limit.delta and any(",
        "return any(",
        (
            "unit/accounting/test_filter.py::test_a_question_with_a_delta_of_its_own_needs_a_reserve",
            "unit/ledger/test_payment.py::test_a_missing_delta_is_named",
        ),
    ),
    Bug(
        "a missing form passes for zero",
        "accounting/filter.py",
        "spent is not None and cap is not None and spent <= cap",
        "cap is not None and (spent or 0) <= cap",
        (
            "unit/accounting/test_filter.py::test_a_question_without_a_form_closes_that_branch_for_good",
            "unit/accounting/test_filter.py::test_without_delta_only_pure_losses_are_admitted",
            "unit/ledger/test_payment.py",
            "unit/accounting/test_worst_analyst.py",
        ),
    ),
    Bug(
        "loss distributions forget what fails outright",
        "accounting/pld.py",
        "rest = float(below(float((delta - outright) / (1 - outright)))) if delta > outright else 0.0",
        "rest = float(below(float(delta))) if delta > outright else 0.0",
        (
            "unit/accounting/test_pld.py::test_truths_told_outright_take_their_part_of_delta",
            "unit/accounting/test_true_losses.py::test_no_random_batch_loses_more_than_is_claimed",
        ),
    ),
    Bug(
        "loss distributions cut their tails too early",
        "accounting/loss_distribution.py",
        "reach = ceil(sqrt(count * log(1 / cut) / 2)) + 2",
        "reach = ceil(sqrt(count * log(1 / cut) / 32)) + 2",
        (
            "unit/accounting/test_true_losses.py::test_many_equal_counts_lose_no_more_than_is_claimed",
            "unit/accounting/test_pld.py::test_k_randomized_responses_never_lose_more_than_it_says",
            "unit/accounting/test_true_losses.py::test_no_random_batch_loses_more_than_is_claimed",
        ),
    ),
    Bug(
        "cut tails lose nothing",
        "accounting/loss_distribution.py",
        ("return float((self.masses[used] * deltas).sum()) * (1 + roundings * UNIT) + self.beyond + _LEAST"),
        "return float((self.masses[used] * deltas).sum()) / (1 + roundings * UNIT) * (1 - 1e-4)",
        (
            "unit/accounting/test_true_losses.py::test_many_equal_counts_lose_no_more_than_is_claimed",
            "unit/accounting/test_pld.py::test_k_randomized_responses_never_lose_more_than_it_says",
            "unit/accounting/test_compose.py::test_no_method_shows_less_than_k_randomized_responses_really_lose",
        ),
    ),
)
