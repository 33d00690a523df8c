"""Bugs in sums over vectors, and in what models pay for them."""

from tests.planted.bug import Bug

_VECTORS = "unit/core/test_vectors.py"
_TRAINING = "unit/curator/training/test_purchase.py"
_LEARNERS = "contracts/test_learners.py"
_PAGE = "conformance/test_vector_sums.py"

BUGS = (
    Bug(
        "rows that are too long are not shrunk",
        "core/vectors/batch.py",
        "vectors = np.trunc(vectors * factor[:, None])",
        "vectors = np.trunc(vectors)",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "a category that is in two places",
        "core/vectors/batch.py",
        "part[np.flatnonzero(known), places[known].astype(np.int64)] = GRID",
        "part[np.flatnonzero(known)] = GRID",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "a number beyond its reach",
        "core/vectors/batch.py",
        "np.trunc(np.clip(np.nan_to_num(values), -feature.reach, feature.reach))",
        "np.trunc(np.nan_to_num(values))",
        (_PAGE, _VECTORS),
    ),
    Bug(
        "a target beyond its reach",
        "core/vectors/batch.py",
        "return np.asarray(np.clip(known, -design.target.reach, design.target.reach))",
        "return np.asarray(known)",
        (_PAGE, _VECTORS),
    ),
    Bug(
        "a gradient that is not clipped",
        "core/vectors/residuals.py",
        "shrunk = np.trunc(wrong * factor[:, None])",
        "return wrong",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "a gradient without its weight",
        "core/vectors/residuals.py",
        "clipped = batch.weighed(clipped_residuals(wrong, lengths, float(self.clip * FINE * TURN)))",
        "clipped = clipped_residuals(wrong, lengths, float(self.clip * FINE * TURN))",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "a gradient is clipped before it is turned",
        "core/vectors/residuals.py",
        "lengths = batch.squares(self.turn)",
        "lengths = TURN**2 * (batch.vectors**2).sum(axis=1)",
        (_VECTORS, _PAGE),
    ),
    Bug(
        "products without their weight",
        "core/vectors/gram.py",
        "vectors = root_weighed(batch, batch.vectors)",
        "vectors = batch.vectors",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "the diagonal's factor is left out of the sensitivity",
        "core/vectors/gram.py",
        "return Fraction(DIAGONAL * self.design.square)",
        "return Fraction(self.design.square)",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "products off the diagonal count too much",
        "core/vectors/gram.py",
        "DIAGONAL, OTHERS = 5, 7",
        "DIAGONAL, OTHERS = 5, 10",
        (_PAGE, _VECTORS),
    ),
    Bug(
        "a replaced unit moves products no farther than one that leaves",
        "core/vectors/kernel.py",
        "return ceil(root_above(2 * one**2) if self.aligned else 2 * one)",
        "return ceil(one if self.aligned else 2 * one)",
        (_VECTORS, _PAGE, _LEARNERS),
    ),
    Bug(
        "a replaced unit moves sums by root two only",
        "core/vectors/kernel.py",
        "return ceil(root_above(2 * one**2) if self.aligned else 2 * one)",
        "return ceil(root_above(2 * one**2))",
        (_PAGE, _VECTORS),
    ),
    Bug(
        "the contribution is left out of the sensitivity",
        "core/vectors/kernel.py",
        "one = self.design.contribution * self.within",
        "one = self.within",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "heavy units weigh in full",
        "engines/sql/statements/query.py",
        'weight = f"CAST(COALESCE(heavy.weight, {WEIGHT}) AS {rows.dialect.types[Kind.INTEGER]}) AS weight"',
        'weight = f"CAST({WEIGHT} AS BIGINT) AS weight"',
        (_TRAINING, _LEARNERS),
    ),
    Bug(
        "sums without noise",
        "curator/training/purchase.py",
        "return pa.table({_NOISY: np.asarray(mechanism.release(_exact(exact[0])), dtype=np.int64)})",
        "return pa.table({_NOISY: _exact(exact[0])})",
        (_TRAINING, _LEARNERS),
    ),
    Bug(
        "noise for another sensitivity than the sum's",
        "curator/training/purchase.py",
        "return _noise(measure.kernel.sensitivity, self.rho * measure.share)",
        "return _noise(1, self.rho * measure.share)",
        (_LEARNERS, _TRAINING),
    ),
    Bug(
        "every sum has the noise of the whole spend",
        "curator/training/purchase.py",
        "return _noise(measure.kernel.sensitivity, self.rho * measure.share)",
        "return _noise(measure.kernel.sensitivity, self.rho)",
        (_LEARNERS, _TRAINING),
    ),
    Bug(
        "a training may ask for what was not paid for",
        "curator/training/purchase.py",
        "_check_paid(measure, planned)",
        "pass",
        (_LEARNERS, _TRAINING),
    ),
    Bug(
        "steps that are not in the price",
        "learn/models/newton.py",
        "each = (1 - FOR_CURVATURE) / STEPS",
        "each = (1 - FOR_CURVATURE) / (STEPS // 2)",
        (_LEARNERS, _TRAINING),
    ),
    Bug(
        "rows without a target are kept",
        "planner/vectors.py",
        'there = both(source.where, call("not", call("is_null", fields[-1])))',
        "there = source.where",
        ("unit/planner/test_vectors.py", _TRAINING),
    ),
    Bug(
        "the score of a row counts twice",
        "core/vectors/hits.py",
        "return root_above(Fraction(2 * WEIGHT**2))",
        "return root_above(Fraction(WEIGHT**2))",
        (_VECTORS, _PAGE, _TRAINING),
    ),
    Bug(
        "another library's steps are charged for people who are added, where they are replaced",
        "curator/training/external.py",
        "times = 1 if neighbours is Neighbours.ADD_REMOVE else 4",
        "times = 1",
        ("unit/curator/training/test_external.py", _LEARNERS),
    ),
)
