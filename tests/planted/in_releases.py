"""Bugs in releases and in the local model."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "a linear release of a replaced unit, in l1",
        "releases/linear/measurement.py",
        "return self.reach * max(1, block.taxi) * (2 if replaced else 1)",
        "return self.reach * max(1, block.taxi)",
        (
            "unit/releases/linear/test_sensitivity.py",
            "unit/releases/linear/test_measurement.py",
        ),
    ),
    Bug(
        "a linear release of a replaced unit, in l2",
        "releases/linear/measurement.py",
        "square = max(1, block.square, 2 * (block.square - block.least) if replaced else 0)",
        "square = max(1, block.square)",
        (
            "unit/releases/linear/test_sensitivity.py",
            "unit/releases/linear/test_measurement.py",
        ),
    ),
    Bug(
        "a finer grid without its larger sensitivity",
        "releases/linear/measurement.py",
        "distance = self.distance(finer)",
        "distance = self.distance(block)",
        (
            "unit/releases/linear/test_sensitivity.py",
            "unit/releases/linear/test_measurement.py",
        ),
    ),
    Bug(
        "ranges count a value too rarely",
        "releases/linear/matrices/factors.py",
        "return middle * (self.present + 1 - middle)",
        "return max(1, middle * (self.present - middle))",
        (
            "unit/releases/linear/matrices/test_factors.py",
            "unit/releases/linear/test_strategies.py::test_norms_are_those_of_the_matrices",
            "unit/releases/linear/test_sensitivity.py",
        ),
    ),
    Bug(
        "a tree with one level too few",
        "releases/linear/strategies/hierarchical.py",
        "return max(len(self.starts), self.alone * self._missing)",
        "return max(len(self.starts) - 1, self.alone * self._missing, 1)",
        (
            "unit/releases/linear/test_strategies.py::test_norms_are_those_of_the_matrices",
            "unit/releases/linear/test_measurement.py",
        ),
    ),
    Bug(
        "multiplicative weights: rounds that are not charged",
        "releases/linear/strategies/mwem.py",
        "turns = [self._choice(self.each), self._measure(self.each)] * self.rounds",
        "turns = [self._choice(2 * self.each), self._measure(self.each)] * self.rounds",
        (
            "unit/releases/linear/strategies/test_mwem.py::test_the_spend_covers_every_step",
            "unit/releases/linear/test_measurement.py",
        ),
    ),
    Bug(
        "k-anonymity by one too few",
        "releases/syntactic/models/diversity.py",
        "return _closed(classes.sizes < self.k, classes)",
        "return _closed(classes.sizes < self.k - 1, classes)",
        (
            "unit/releases/syntactic/models/test_diversity.py",
            "unit/releases/syntactic/search/test_optimum.py::test_the_optimum_is_that_of_all_nodes",
        ),
    ),
    Bug(
        "l-diversity by one too few",
        "releases/syntactic/models/diversity.py",
        "return _closed(distinct_of(classes.pairs[self.column], classes.number) < self.l, classes)",
        "return _closed(distinct_of(classes.pairs[self.column], classes.number) < self.l - 1, classes)",
        (
            "unit/releases/syntactic/models/test_diversity.py",
            "unit/releases/syntactic/search/test_optimum.py::test_the_optimum_is_that_of_all_nodes",
        ),
    ),
    Bug(
        "recursive diversity at its limit",
        "releases/syntactic/models/diversity.py",
        "fails = most * self.c.denominator >= rest * self.c.numerator",
        "fails = most * self.c.denominator > rest * self.c.numerator",
        (
            "unit/releases/syntactic/models/test_diversity.py",
            "unit/releases/syntactic/search/test_optimum.py::test_the_optimum_is_that_of_all_nodes",
        ),
    ),
    Bug(
        "entropy of one value less",
        "releases/syntactic/models/diversity.py",
        "missing = log(self.l) - entropy_of(pairs, classes)",
        "missing = log(max(1, self.l - 1)) - entropy_of(pairs, classes)",
        (
            "unit/releases/syntactic/models/test_diversity.py",
            "unit/releases/syntactic/search/test_optimum.py::test_the_optimum_is_that_of_all_nodes",
        ),
    ),
    Bug(
        "t-closeness with slack",
        "releases/syntactic/models/closeness.py",
        "return Verdict(excess > SLACK, ",
        "return Verdict(excess > 0.05, ",
        (
            "unit/releases/syntactic/models/test_diversity.py",
            "unit/releases/syntactic/test_anonymize.py::test_a_class_that_is_a_little_too_far_from_everybody_is_not_published",
        ),
    ),
    Bug(
        "a check that is off by one",
        "releases/syntactic/models/check.py",
        "count(*) FILTER (size < {self._demands.k}) FROM judged",
        "count(*) FILTER (size < {self._demands.k} - 1) FROM judged",
        (
            "unit/releases/syntactic/models/test_diversity.py",
            "unit/releases/syntactic/models/test_check.py::test_the_check_agrees_with_the_definitions",
        ),
    ),
    Bug(
        "odds of twice the factor",
        "local/odds.py",
        "(preferred * one + others * most)",
        "(preferred * one + others * most // 2)",
        (
            "contracts/test_protocols.py::test_no_report_is_likelier_by_more_than_the_factor",
            "unit/local/test_protocols.py::test_three_ways_to_say_the_odds",
        ),
    ),
    Bug(
        "lies that may be the truth",
        "local/protocols/kary_response.py",
        "        other += other >= places\n",
        "",
        (
            "contracts/test_protocols.py::test_reports_follow_their_law",
            "statistics/test_local_intervals.py::test_intervals_of_shares_hold",
        ),
    ),
    Bug(
        "true bits that are set twice",
        "local/families/unary.py",
        "            rows[row, byte] &= ~bit\n",
        "",
        (
            "contracts/test_protocols.py::test_reports_follow_their_law",
            "statistics/test_local_intervals.py::test_intervals_of_shares_hold",
        ),
    ),
    Bug(
        "permanent answers at the price of one bit",
        "local/protocols/rappor.py",
        "return truth_chance(self.lifetime / 2, 1, 1)",
        "return truth_chance(self.lifetime, 1, 1)",
        (
            "unit/local/test_protocols.py::test_no_permanent_answer_is_likelier_by_more_than_the_lifetime",
            "unit/local/test_memory.py::test_permanent_answers_tell_the_truth_as_often_as_their_lifetime_allows",
        ),
    ),
    Bug(
        "numbers that lie too rarely",
        "local/protocols/duchi.py",
        "return (ends ^ bernoulli(1 - self.keep, ends.size, bits)).astype(np.uint8)",
        "return (ends ^ bernoulli((1 - self.keep) / 2, ends.size, bits)).astype(np.uint8)",
        (
            "contracts/test_protocols.py::test_reports_follow_their_law",
            "statistics/test_local_intervals.py::test_intervals_of_means_hold",
        ),
    ),
    Bug(
        "sets whose size tells",
        "local/protocols/subset_selection.py",
        "others = _subsets(np.full(places.size, chosen) - honest, size - 1, bits)",
        "others = _subsets(np.full(places.size, chosen), size - 1, bits)",
        (
            "contracts/test_protocols.py::test_reports_follow_their_law",
            "statistics/test_local_intervals.py::test_intervals_of_shares_hold",
        ),
    ),
    Bug(
        "hashes that shift by zero",
        "local/protocols/local_hashing.py",
        "shift = np.where(honest, 0, 1 + uniform(space.base - 1, places.size, bits))",
        "shift = np.where(honest, 0, uniform(space.base, places.size, bits))",
        (
            "contracts/test_protocols.py::test_reports_follow_their_law",
            "statistics/test_local_intervals.py::test_intervals_of_shares_hold",
        ),
    ),
    Bug(
        "a memory without a lock",
        "local/memory.py",
        "        with self._lock:\n",
        "        if self._lock:\n",
        (
            "unit/local/test_memory.py::test_threads_that_ask_at_once_get_the_same_report",
            "flows/test_locks.py::test_two_threads_get_one_report_of_a_memory",
        ),
    ),
    Bug(
        "a memory that survives a fork",
        "local/memory.py",
        "if getpid() != self._process:",
        "if getpid() < 0:",
        (
            "unit/local/test_memory.py::test_a_forked_memory_is_of_no_use",
            "flows/test_locks.py::test_a_forked_process_has_no_use_of_either",
        ),
    ),
    Bug(
        "synthetic: half the sensitivity of scores and certificates of a replaced unit",
        "releases/synthetic/measured/portion.py",
        "return 2 if self is Vectors.COUNTS else 4",
        "return 2 if self is Vectors.COUNTS else 1",
        (
            "unit/releases/synthetic/test_sensitivity.py",
            "unit/releases/test_synthetic.py",
            "unit/curator/synthesis/test_purchase.py",
        ),
    ),
    Bug(
        "synthetic: counts of a replaced unit as of an added one",
        "releases/synthetic/measured/portion.py",
        "return 2 if self is Vectors.COUNTS else 4",
        "return 1 if self is Vectors.COUNTS else 4",
        (
            "unit/releases/synthetic/test_sensitivity.py",
            "unit/releases/test_synthetic.py",
            "unit/curator/synthesis/test_purchase.py",
        ),
    ),
    Bug(
        "synthetic: weights beyond what was paid for",
        "releases/synthetic/measured/portion.py",
        "sum(weight**2 for weight in weights) > FINE**2:",
        "sum(weight**2 for weight in weights) > 2 * FINE**2:",
        (
            "unit/releases/synthetic/test_sensitivity.py",
            "unit/releases/test_synthetic.py",
            "unit/curator/synthesis/test_purchase.py",
        ),
    ),
    Bug(
        "synthetic: pairs measured twice",
        "releases/synthetic/measured/pairs.py",
        "return np.concatenate([scores, self.for_tables.measure(vectors, choice.weights)])",
        "twice = [self.for_tables.measure(vectors, choice.weights) for _ in range(2)]\n"
        "        return np.concatenate([scores, (twice[0] + twice[1]) // 2])",
        (
            "unit/releases/synthetic/test_sensitivity.py",
            "unit/curator/synthesis/test_purchase.py",
        ),
    ),
    Bug(
        "synthetic: pairs chosen by their true scores",
        "releases/synthetic/measured/pairs.py",
        "choice = self.choice(scores)\n        if not choice.tables:\n            return scores",
        "choice = self.choice(np.array(distances) * self.score_weights[0])\n"
        "        if not choice.tables:\n            return scores",
        (
            "unit/releases/synthetic/test_sensitivity.py",
            "unit/curator/synthesis/test_purchase.py",
        ),
    ),
    Bug(
        "synthetic: a certificate that is scaled to the true number of rows",
        "releases/synthetic/certificate.py",
        "np.abs(exact[pair] - self._counted(pair, exact[pair].shape, table)).sum()",
        "np.abs(exact[pair] - self._counted(pair, exact[pair].shape, table)"
        " * (exact[pair].sum() / (WEIGHT * self.rows)).astype(float)).sum().astype(int)",
        (
            "unit/releases/synthetic/test_sensitivity.py",
            "statistics/test_synthetic.py",
        ),
    ),
    Bug(
        "synthetic: a contribution that nobody is charged for",
        "curator/synthesis/cells.py",
        "return self.statistic.reach * self.factor",
        "return self.factor",
        (
            "unit/curator/synthesis/test_purchase.py",
            "unit/curator/synthesis/test_columns.py",
        ),
    ),
    Bug(
        "a profile that weighs people as the policy does, and pays for one row",
        "curator/profiling/purchase.py",
        "source = replace(bound.source, contribution=1)",
        "source = bound.source",
        (
            "unit/curator/test_profiling.py::test_nobody_moves_a_measurement_farther_than_was_paid_for",
            "conformance/test_profile.py::test_everybody_weighs_one_row_in_counts_of_values",
        ),
    ),
    Bug(
        "a profile whose notes everybody hears",
        "ledger/entries/records.py",
        "if all(self.has_seen(account, question) for account in accounts):",
        "if accounts is not None:",
        (
            "unit/curator/test_profiling.py::test_only_who_was_shown_the_profile_hears_of_it",
            "unit/ledger/test_ledger.py::test_what_an_account_has_not_seen_is_not_even_there",
        ),
    ),
)
