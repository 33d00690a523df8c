"""Bugs in the statements that run."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "no clamp of whole numbers on the grid",
        "engines/duckdb/grid.py",
        '        spelled = clamped(spelled, whole(low), whole(high))\n    return f"(({spelled}',
        '        pass\n    return f"(({spelled}',
        (
            "unit/engines/duckdb/test_grid.py",
            "conformance/test_escapes.py::test_a_range_that_was_concluded_wrongly_bounds_nothing",
        ),
    ),
    Bug(
        "no clamp of real numbers on the grid",
        "engines/duckdb/grid.py",
        "spelled = clamped(spelled, double(low), double(high))",
        "spelled = f'({spelled})'",
        (
            "unit/engines/duckdb/test_grid.py",
            "conformance/test_escapes.py::test_a_range_that_was_concluded_wrongly_bounds_nothing",
        ),
    ),
    Bug(
        "a concluded range is trusted",
        "engines/duckdb/grid.py",
        "if not isinstance(value, Column) or value.range.low is None or value.range.high is None:",
        "if value.range.low is None or value.range.high is None:",
        (
            "unit/engines/duckdb/test_grid.py",
            "conformance/test_escapes.py::test_a_range_that_was_concluded_wrongly_bounds_nothing",
        ),
    ),
    Bug(
        "half-even in the engine",
        "engines/duckdb/grid.py",
        "TRY_CAST(FLOOR({steps} + 0.5e0) AS BIGINT)",
        "TRY_CAST(ROUND_EVEN({steps}, 0) AS BIGINT)",
        (
            "unit/engines/duckdb/test_grid.py",
            "conformance/test_cuts.py::test_real_numbers_go_to_the_grid_as_the_mechanisms_read_them",
        ),
    ),
    Bug(
        "whole numbers are not clamped when read",
        "engines/duckdb/columns.py",
        "return clamped(value, whole(ceil(bounds.low)), high)",
        "return value",
        (
            "unit/engines/duckdb/test_columns.py",
            "conformance/test_made_up.py",
        ),
    ),
    Bug(
        "real numbers are not clamped when read",
        "engines/duckdb/columns.py",
        "return clamped(value, low, high, f\"{value} <= 'inf'::DOUBLE\")",
        "return value",
        (
            "unit/engines/duckdb/test_columns.py",
            "adversary/test_values.py::test_18_infinity_is_clamped",
        ),
    ),
    Bug(
        "texts compared by the file's collation",
        "engines/duckdb/columns.py",
        'return Stored(f"({place} COLLATE C)", kind)',
        "return Stored(place, kind)",
        (
            "adversary/test_identity.py::test_82_keys_of_the_answer",
            "unit/engines/duckdb/test_columns.py",
        ),
    ),
    Bug(
        "texts are read at any length",
        "engines/duckdb/columns.py",
        'return f"CASE WHEN STRLEN({value}) <= {length} THEN {value} ELSE LEFT({value}, {length}) END"',
        "return value",
        (
            "unit/engines/duckdb/test_columns.py",
            "adversary/test_explosions.py::test_83_as_much_of_a_text_as_the_policy_says",
        ),
    ),
    Bug(
        "a set that has values twice",
        "engines/duckdb/relations.py",
        'chosen, grouped = [f"DISTINCT {',
        'chosen, grouped = [f"{',
        (
            "adversary/test_enforced.py::test_81_a_set_never_multiplies_rows",
            "conformance/test_escapes.py",
        ),
    ),
    Bug(
        "private tables joined on anything",
        "engines/duckdb/relations.py",
        'conditions.insert(0, " = ".join(speller.unit(name) for name in other.units))',
        'conditions.insert(0, "TRUE")',
        (
            "adversary/test_relations.py::test_a_unit_is_bounded_whatever_is_put_together",
            "conformance/test_relations.py",
        ),
    ),
    Bug(
        "rows of a heavy unit are not cut in joins",
        "engines/duckdb/relations.py",
        "WHERE {_PLACE} <= {relation.most}",
        "WHERE {_PLACE} <= {relation.most} * 1000000",
        (
            "adversary/test_explosions.py::test_83_self_joins_on_the_unit",
            "adversary/test_explosions.py::test_83_the_cut_follows_from_the_persons_own_rows",
            "adversary/test_explosions.py::test_83_what_is_cut_is_far_above_the_contribution",
            "conformance/test_cuts.py",
        ),
    ),
    Bug(
        "weight not applied without keys",
        "engines/duckdb/statements.py",
        'weighed = _select(["*", f"{rows.weight(\'size\')} AS weight"], "units")',
        'weighed = _select(["*", f"{WEIGHT} AS weight"], "units")',
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "conformance/test_bounded.py",
            "unit/engines/duckdb/test_statements.py::test_sums",
        ),
    ),
    Bug(
        "one row too many before a unit is heavy",
        "engines/duckdb/statements.py",
        'rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most}"',
        'rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most + 1}"',
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "conformance/test_bounded.py",
        ),
    ),
    Bug(
        "weight not applied to units by group",
        "engines/duckdb/statements.py",
        'weights = _select(["unit", f"{rows.weight(\'COUNT(*)\')} AS weight"], "pairs", 1)',
        'weights = _select(["unit", f"{WEIGHT} AS weight"], "pairs", 1)',
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "unit/engines/duckdb/test_statements.py::test_units",
        ),
    ),
    Bug(
        "weight not applied under private keys",
        "engines/duckdb/statements.py",
        'weight = rows.weight("CAST(SUM(size) AS BIGINT)")',
        "weight = str(WEIGHT)",
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "unit/engines/duckdb/test_statements.py::test_kept",
        ),
    ),
    Bug(
        "heavy units are not drawn back",
        "engines/duckdb/weighted_sums.py",
        "SUM({self._weighed_row(weight)} - {self._full_row})",
        "SUM({self._weighed_row(weight)} * 0)",
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "unit/engines/duckdb/test_statements.py::test_sums",
        ),
    ),
    Bug(
        "one private key too many before the cut",
        "engines/duckdb/statements.py",
        '"cuts": _select(["unit", "cut"], f"ranks WHERE place = {query.most + 1}"),',
        '"cuts": _select(["unit", "cut"], f"ranks WHERE place = {query.most + 2}"),',
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "unit/engines/duckdb/test_statements.py::test_kept",
        ),
    ),
    Bug(
        "tied private keys are all kept",
        "engines/duckdb/statements.py",
        'WHERE cut IS NULL OR {hashed} < cut"),',
        'WHERE cut IS NULL OR {hashed} <= cut"),',
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "unit/engines/duckdb/test_statements.py::test_kept",
        ),
    ),
    Bug(
        "tied values are all kept",
        "engines/duckdb/statements.py",
        "WHERE cut IS NULL OR hashed < cut",
        "WHERE cut IS NULL OR hashed <= cut",
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "conformance/test_cuts.py",
            "adversary/test_choices.py",
        ),
    ),
    Bug(
        "hash without the unit",
        "engines/duckdb/statements.py",
        "[*([] if numbered else [f'CAST({unit} AS VARCHAR)']), *values]",
        "[*values]",
        (
            "conformance/test_cuts.py",
            "unit/engines/duckdb/test_statements.py",
        ),
    ),
    Bug(
        "rows of nobody count",
        "engines/duckdb/statements.py",
        ('        known = [] if self.source.unit is None else [f"{self.unit} IS NOT NULL"]\n        together'),
        ("        known = []\n        together"),
        (
            "unit/engines/duckdb/test_statements.py::test_sums",
            "adversary/test_values.py::test_20_rows_without_a_unit_are_dropped",
        ),
    ),
    Bug(
        "an engine's words are logged",
        "engines/engine.py",
        "return str(error) if isinstance(error, Broken) else type(error).__name__",
        "return str(error)",
        (
            "adversary/test_service.py::test_78_an_engines_words_reach_nobody",
            "unit/engines/test_engine.py::test_a_failure_says_nothing",
        ),
    ),
    Bug(
        "explosions of public rows are accepted",
        "engines/engine.py",
        "for matches in work.matches) > MOST_ROWS:",
        "for matches in work.matches) > MOST_ROWS**4:",
        (
            "adversary/test_explosions.py::test_83_explosions_are_refused",
            "conformance/test_cuts.py",
        ),
    ),
    Bug(
        "cuts left out where they are needed",
        "engines/duckdb/fan_out.py",
        "spared = unless is not None and all(matched(matches) <= 1 for matches in unless)",
        "spared = unless is not None",
        (
            "unit/engines/duckdb/test_fan_out.py",
            "conformance/test_cuts.py",
        ),
    ),
)
