"""Bugs in mechanisms."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "Laplace scale halved",
        "mechanisms/laplace.py",
        "return self.distance / self.epsilon",
        "return self.distance / (2 * self.epsilon)",
        (
            "unit/mechanisms/test_laplace.py::test_noise_has_the_law_that_was_promised",
            "contracts/test_mechanisms.py::test_the_audit_passes",
            "unit/core/test_theorems.py::test_laplace_noise_moves_no_outcome_of_a_vector_by_more_than_epsilon",
        ),
    ),
    Bug(
        "rounding of many coordinates forgotten",
        "mechanisms/laplace.py",
        "return Fraction(self._grid.distance(self.sensitivity) + self.coordinates - 1)",
        "return Fraction(self._grid.distance(self.sensitivity))",
        (
            "unit/mechanisms/test_laplace.py::test_neighbours_land_at_most_the_distance_apart",
            "unit/mechanisms/test_floats.py::test_vectors_that_cross_edges_everywhere_land_within_the_distance",
        ),
    ),
    Bug(
        "one draw for all values",
        "mechanisms/additive.py",
        "np.clip(indices + self._noise(indices.size, bits), -RANGE, RANGE)",
        "np.clip(indices + self._noise(min(1, indices.size), bits), -RANGE, RANGE)",
        (
            "unit/curator/test_noise.py::test_groups_and_draws_are_independent",
            "contracts/test_mechanisms.py::test_the_audit_passes",
        ),
    ),
    Bug(
        "Gaussian variance halved",
        "mechanisms/gaussian.py",
        "return self.distance**2 / (2 * self.rho)",
        "return self.distance**2 / (4 * self.rho)",
        (
            "unit/mechanisms/test_gaussian.py::test_rho_says_the_variance",
            "unit/core/test_theorems.py::test_gaussian_noise_loses_rho_at_every_order",
        ),
    ),
    Bug(
        "Gaussian rounding of many coordinates halved",
        "mechanisms/gaussian.py",
        "return self.sensitivity / self.step + root_above(Fraction(self.coordinates))",
        "return self.sensitivity / self.step + root_above(Fraction(self.coordinates)) / 2",
        (
            "unit/mechanisms/test_gaussian.py::test_neighbours_land_at_most_the_distance_apart",
            "unit/mechanisms/test_floats.py::test_vectors_that_cross_edges_everywhere_land_within_the_distance",
        ),
    ),
    Bug(
        "choices without the factor two",
        "mechanisms/selection.py",
        "return self.epsilon / (2 * self._grid.distance(self.sensitivity))",
        "return self.epsilon / self._grid.distance(self.sensitivity)",
        (
            "unit/mechanisms/test_exponential.py::test_no_neighbour_moves_any_chance_by_more_than_epsilon",
            "unit/mechanisms/test_permute_and_flip.py::test_no_neighbour_moves_any_chance_by_more_than_epsilon",
            "unit/mechanisms/test_noisy_max.py::test_law",
            "unit/mechanisms/test_permute_and_flip.py::test_law",
            "unit/mechanisms/test_exponential.py::test_law",
        ),
    ),
    Bug(
        "ties go to the first",
        "mechanisms/selection.py",
        "wanted = uniforms(ranks[:, -1], bits) + 1",
        "wanted = 0 * uniforms(ranks[:, -1], bits) + 1",
        (
            "unit/mechanisms/test_permute_and_flip.py::test_law",
            "unit/mechanisms/test_noisy_max.py::test_law",
        ),
    ),
    Bug(
        "exponential's rho too small",
        "mechanisms/exponential.py",
        "rho=self.epsilon**2 / 8)",
        "rho=self.epsilon**2 / 16)",
        (
            "unit/mechanisms/test_exponential.py::test_a_bounded_range_costs_an_eighth",
            "unit/core/test_theorems.py::test_the_exponential_mechanism_loses_an_eighth_of_epsilon_squared_at_every_order",
        ),
    ),
    Bug(
        "every place of a ranking at full epsilon",
        "mechanisms/top_k.py",
        "epsilon=self.epsilon / self.k, step=self.step)",
        "epsilon=self.epsilon, step=self.step)",
        (
            "unit/mechanisms/test_top_k.py::test_law",
            "unit/core/test_theorems.py::test_no_neighbour_moves_any_ranking_by_more_than_epsilon",
        ),
    ),
    Bug(
        "keys shown at twice their delta",
        "mechanisms/partition_selection.py",
        "part = int(delta * one)",
        "part = int(2 * delta * one)",
        (
            "unit/mechanisms/test_partition_selection.py::test_private_for_every_size",
            "adversary/test_sql.py::test_52_the_chance_of_a_rare_key_is_within_delta",
        ),
    ),
    Bug(
        "each key spends the delta of all",
        "mechanisms/partition_selection.py",
        "return _chances(self.epsilon / self.partitions, self.delta / self.partitions)",
        "return _chances(self.epsilon / self.partitions, self.delta)",
        (
            "unit/mechanisms/test_partition_selection.py::test_several_keys_share_the_loss",
            "adversary/test_sql.py::test_52_the_chance_of_a_rare_key_is_within_delta",
        ),
    ),
    Bug(
        "each key spends the epsilon of all",
        "mechanisms/partition_selection.py",
        "return _chances(self.epsilon / self.partitions, self.delta / self.partitions)",
        "return _chances(self.epsilon, self.delta / self.partitions)",
        (
            "unit/mechanisms/test_partition_selection.py::test_several_keys_share_the_loss",
            "unit/mechanisms/test_partition_selection.py::test_private_for_every_size",
            "plans/test_plans.py::test_each_question_becomes_the_plan_that_stands_beside_it",
        ),
    ),
    Bug(
        "the threshold's noise halved",
        "mechanisms/above_threshold.py",
        "return 2 * self._grid.distance(self.sensitivity) / self.epsilon",
        "return self._grid.distance(self.sensitivity) / self.epsilon",
        (
            "contracts/test_mechanisms.py::test_the_audit_passes",
            "unit/mechanisms/test_above_threshold.py",
        ),
    ),
    Bug(
        "a threshold goes on after its yes",
        "mechanisms/above_threshold.py",
        "self._live[live[above]] = False",
        "self._live[live[above]] = self._live.size == 1",
        (
            "unit/mechanisms/test_above_threshold.py::test_threads_get_one_yes_between_them",
            "flows/test_locks.py::test_two_threads_get_one_yes_of_a_threshold",
        ),
    ),
    Bug(
        "a threshold without a lock",
        "mechanisms/above_threshold.py",
        "        with self._lock:\n",
        "        if self._lock:\n",
        (
            "unit/mechanisms/test_above_threshold.py::test_threads_get_one_yes_between_them",
            "flows/test_locks.py::test_two_threads_get_one_yes_of_a_threshold",
        ),
    ),
    Bug(
        "a threshold that survives a fork",
        "mechanisms/above_threshold.py",
        "if getpid() != self._process:",
        "if getpid() < 0:",
        (
            "unit/mechanisms/test_above_threshold.py::test_a_forked_watch_is_of_no_use",
            "flows/test_locks.py::test_a_forked_process_has_no_use_of_either",
        ),
    ),
    Bug(
        "randomized response that lies too rarely",
        "mechanisms/randomized_response.py",
        "return logistic(self.epsilon) if",
        "return logistic(self.epsilon * 3 / 2) if",
        (
            "unit/mechanisms/test_randomized_response.py::test_truth_is_told_as_often_as_promised",
            "contracts/test_mechanisms.py::test_the_audit_passes",
        ),
    ),
    Bug(
        "smooth sensitivity's noise halved",
        "mechanisms/smooth_median.py",
        "noise = discrete_student(4 * smooth / self.epsilon, count, bits)",
        "noise = discrete_student(2 * smooth / self.epsilon, count, bits)",
        (
            "unit/mechanisms/test_smooth_median.py::test_noise_is_students_t_or_laplace",
            "unit/core/test_theorems.py::test_noise_at_smooth_sensitivity_has_the_scale_of_its_theorem",
        ),
    ),
    Bug(
        "smooth sensitivity that falls too fast",
        "mechanisms/smooth_median.py",
        "return self.epsilon / 8",
        "return self.epsilon / 2",
        (
            "unit/mechanisms/test_smooth_median.py::test_growth_is_within_the_theorem",
            "unit/core/test_theorems.py::test_neighbours_have_smooth_sensitivities_within_a_factor",
        ),
    ),
    Bug(
        "ranks move by the smaller side",
        "mechanisms/ranks.py",
        "one = max(top, bottom - top) * reach",
        "one = min(top, bottom - top) * reach",
        (
            "unit/mechanisms/test_ranks.py",
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
        ),
    ),
    Bug(
        "ranks of a replaced unit in one group only",
        "mechanisms/ranks.py",
        "return 2 * one if grouped else bottom * reach",
        "return one if grouped else bottom * reach",
        (
            "unit/mechanisms/test_ranks.py",
            "conformance/test_reach.py::test_one_extreme_unit_moves_each_statistic_by_the_claim",
        ),
    ),
)
