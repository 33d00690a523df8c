"""Bugs in releases and in the local model."""

from tests.planted.bug import Bug

_PROTOCOLS = "contracts/test_protocols.py"
_LOCAL = "unit/local/test_protocols.py"
_LINEAR = "unit/releases/linear/test_sensitivity.py"
_ANONYMIZE = "unit/releases/syntactic/test_anonymize.py"
_CHECK = "unit/releases/syntactic/models/test_check.py"
_OPTIMUM = "unit/releases/syntactic/search/test_optimum.py"

BUGS = (
    Bug(
        "a linear release of a replaced unit, in l1",
        "releases/linear/measurement.py",
        "return self.reach * block.taxi * (2 if replaced else 1)",
        "return self.reach * block.taxi",
        (_LINEAR, "unit/curator/test_release.py", "unit/releases/linear/test_strategies.py"),
    ),
    Bug(
        "a linear release of a replaced unit, in l2",
        "releases/linear/measurement.py",
        "square = max(block.square, 2 * (block.square - block.least)) if replaced else block.square",
        "square = block.square",
        (_LINEAR, "unit/curator/test_release.py", "unit/releases/linear/test_strategies.py"),
    ),
    Bug(
        "a finer grid without its larger sensitivity",
        "releases/linear/measurement.py",
        "distance = self.distance(finer)",
        "distance = self.distance(block)",
        (_LINEAR, "unit/releases/linear/test_strategies.py", "unit/curator/test_release.py"),
    ),
    Bug(
        "ranges count a value too rarely",
        "releases/linear/matrices/factors.py",
        "return middle * (self.present + 1 - middle)",
        "return max(1, middle * (self.present - middle))",
        ("unit/releases/linear/matrices/test_factors.py", _LINEAR),
    ),
    Bug(
        "a tree with one level too few",
        "releases/linear/strategies/hierarchical.py",
        "return max(len(self.starts), self.alone * self._missing)",
        "return max(len(self.starts) - 1, self.alone * self._missing, 1)",
        (_LINEAR, "unit/releases/linear/test_strategies.py"),
    ),
    Bug(
        "multiplicative weights: rounds that are not charged",
        "releases/linear/strategies/mwem.py",
        "turns = [self._choice(self.each), self._measure(self.each)] * self.rounds",
        "turns = [self._choice(2 * self.each), self._measure(self.each)] * self.rounds",
        ("unit/releases/linear/strategies/test_mwem.py", "unit/releases/linear/test_strategies.py", "unit/curator/test_release.py"),
    ),
    Bug(
        "k-anonymity by one too few",
        "releases/syntactic/models/diversity.py",
        "return _closed(classes.sizes < self.k, classes)",
        "return _closed(classes.sizes < self.k - 1, classes)",
        (_ANONYMIZE, _OPTIMUM),
    ),
    Bug(
        "l-diversity by one too few",
        "releases/syntactic/models/diversity.py",
        "return _closed(distinct_of(classes.pairs[self.column], classes.number) < self.l, classes)",
        "return _closed(distinct_of(classes.pairs[self.column], classes.number) < self.l - 1, classes)",
        (_ANONYMIZE, _OPTIMUM),
    ),
    Bug(
        "recursive diversity at its limit",
        "releases/syntactic/models/diversity.py",
        "fails = most * self.c.denominator >= rest * self.c.numerator",
        "fails = most * self.c.denominator > rest * self.c.numerator",
        (_OPTIMUM, _ANONYMIZE, _CHECK),
    ),
    Bug(
        "entropy of one value less",
        "releases/syntactic/models/diversity.py",
        "missing = log(self.l) - entropy_of(pairs, classes)",
        "missing = log(max(1, self.l - 1)) - entropy_of(pairs, classes)",
        (_OPTIMUM, _ANONYMIZE, _CHECK),
    ),
    Bug(
        "t-closeness with slack",
        "releases/syntactic/models/closeness.py",
        "return Verdict(excess > SLACK, ",
        "return Verdict(excess > 0.05, ",
        (_OPTIMUM, _ANONYMIZE, _CHECK),
    ),
    Bug(
        "a check that is off by one",
        "releases/syntactic/models/check.py",
        "count(*) FILTER (size < {self._demands.k}) FROM judged",
        "count(*) FILTER (size < {self._demands.k} - 1) FROM judged",
        (_CHECK, _ANONYMIZE),
    ),
    Bug(
        "odds of twice the factor",
        "local/odds.py",
        "(preferred * one + others * most)",
        "(preferred * one + others * most // 2)",
        (_PROTOCOLS, _LOCAL),
    ),
    Bug(
        "lies that may be the truth",
        "local/protocols/kary_response.py",
        "        other += other >= places\n",
        "",
        (_PROTOCOLS, "statistics/test_local_intervals.py", _LOCAL),
    ),
    Bug(
        "true bits that are set twice",
        "local/families/unary.py",
        "            rows[row, byte] &= ~bit\n",
        "",
        (_PROTOCOLS, "statistics/test_local_intervals.py", _LOCAL),
    ),
    Bug(
        "permanent answers at the price of one bit",
        "local/protocols/rappor.py",
        "return truth_chance(self.lifetime / 2, 1, 1)",
        "return truth_chance(self.lifetime, 1, 1)",
        (_LOCAL, _PROTOCOLS),
    ),
    Bug(
        "numbers that lie too rarely",
        "local/protocols/duchi.py",
        "return (ends ^ bernoulli(1 - self.keep, ends.size, bits)).astype(np.uint8)",
        "return (ends ^ bernoulli((1 - self.keep) / 2, ends.size, bits)).astype(np.uint8)",
        (_PROTOCOLS, "statistics/test_local_intervals.py", _LOCAL),
    ),
    Bug(
        "sets whose size tells",
        "local/protocols/subset_selection.py",
        "others = _subsets(np.full(places.size, chosen) - honest, size - 1, bits)",
        "others = _subsets(np.full(places.size, chosen), size - 1, bits)",
        (_PROTOCOLS, _LOCAL),
    ),
    Bug(
        "hashes that shift by zero",
        "local/protocols/local_hashing.py",
        "shift = np.where(honest, 0, 1 + uniform(space.base - 1, places.size, bits))",
        "shift = np.where(honest, 0, uniform(space.base, places.size, bits))",
        (_PROTOCOLS, "statistics/test_local_intervals.py", _LOCAL),
    ),
    Bug(
        "a memory without a lock",
        "local/memory.py",
        "        with self._lock:\n",
        "        if self._lock:\n",
        ("unit/local/test_memory.py", "flows/test_locks.py"),
    ),
    Bug(
        "a memory that keeps several reports",
        "local/memory.py",
        "if len(drawn) != 1:",
        "if len(drawn) == 0:",
        ("unit/local/test_memory.py", _PROTOCOLS),
    ),
    Bug(
        "a memory that survives a fork",
        "local/memory.py",
        "if getpid() != self._process:",
        "if getpid() < 0:",
        ("unit/local/test_memory.py", "flows/test_locks.py"),
    ),
)
