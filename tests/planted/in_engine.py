"""Bugs in the statements that run."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "no clamp of whole numbers on the grid",
        "engines/sql/grid.py",
        "return clamped(spelled, whole(int(on.low), dialect), whole(int(on.high), dialect))",
        "return spelled",
        (
            "unit/engines/sql/test_grid.py",
            "conformance/test_escapes.py::test_a_range_that_was_concluded_wrongly_bounds_nothing",
        ),
    ),
    Bug(
        "no clamp of real numbers on the grid",
        "engines/sql/grid.py",
        "spelled = clamped(spelled, double(on.low, dialect), double(on.high, dialect))",
        "spelled = f'({spelled})'",
        (
            "unit/engines/sql/test_grid.py",
            "conformance/test_escapes.py::test_a_range_that_was_concluded_wrongly_bounds_nothing",
        ),
    ),
    Bug(
        "a concluded range is trusted",
        "engines/sql/grid.py",
        "if not isinstance(value, Column) or value.range.low is None or value.range.high is None:",
        "if value.range.low is None or value.range.high is None:",
        (
            "unit/engines/sql/test_grid.py",
            "conformance/test_escapes.py::test_a_range_that_was_concluded_wrongly_bounds_nothing",
        ),
    ),
    Bug(
        "half-even in the engine",
        "engines/sql/grid.py",
        'return dialect.floored(f"{steps} + {double(Fraction(1, 2), dialect)}")',
        'return dialect.floored(f"ROUND_EVEN({steps}, 0)")',
        (
            "unit/engines/sql/test_grid.py",
            "conformance/test_cuts.py::test_real_numbers_go_to_the_grid_as_the_mechanisms_read_them",
        ),
    ),
    Bug(
        "whole numbers are not clamped when read",
        "engines/sql/columns.py",
        "return clamped(value, whole(ceil(bounds.low), dialect), high)",
        "return value",
        (
            "unit/engines/sql/test_columns.py",
            "conformance/test_made_up.py",
        ),
    ),
    Bug(
        "real numbers are not clamped when read",
        "engines/sql/columns.py",
        "return clamped(value, low, high, dialect.is_number(value))",
        "return value",
        (
            "unit/engines/sql/test_columns.py",
            "adversary/test_values.py::test_18_infinity_is_clamped",
        ),
    ),
    Bug(
        "texts compared by the file's collation",
        "engines/duckdb/dialect.py",
        'return Stored(f"({place} COLLATE C)", type_name)',
        "return Stored(place, type_name)",
        (
            "adversary/test_identity.py::test_82_keys_of_the_answer",
            "unit/engines/sql/test_columns.py",
        ),
    ),
    Bug(
        "texts are read at any length",
        "engines/sql/columns.py",
        "return value if declared.length is None else dialect.primitive(cut, value, str(declared.length))",
        "return value",
        (
            "unit/engines/sql/test_columns.py",
            "adversary/test_explosions.py::test_83_as_much_of_a_text_as_the_policy_says",
        ),
    ),
    Bug(
        "a set that has values twice",
        "engines/sql/relations.py",
        'chosen, grouped = [f"DISTINCT {',
        'chosen, grouped = [f"{',
        (
            "adversary/test_enforced.py::test_81_a_set_never_multiplies_rows",
            "conformance/test_escapes.py",
        ),
    ),
    Bug(
        "private tables joined on anything",
        "engines/sql/relations.py",
        'conditions.insert(0, " = ".join(speller.unit(name) for name in other.units))',
        'conditions.insert(0, "TRUE")',
        (
            "adversary/test_relations.py::test_a_unit_is_bounded_whatever_is_put_together",
            "conformance/test_relations.py",
        ),
    ),
    Bug(
        "rows of a heavy unit are not cut in joins",
        "engines/sql/relations.py",
        "WHERE {ranked_as} <= {relation.most}",
        "WHERE {ranked_as} <= {relation.most} * 1000000",
        (
            "adversary/test_explosions.py::test_83_self_joins_on_the_unit",
            "adversary/test_explosions.py::test_83_the_cut_follows_from_the_persons_own_rows",
            "adversary/test_explosions.py::test_83_what_is_cut_is_far_above_the_contribution",
            "conformance/test_cuts.py",
        ),
    ),
    Bug(
        "weight not applied without keys",
        "engines/sql/statements/query.py",
        'weighed = select(["*", f"{rows.weight(\'size\')} AS weight"], "units")',
        'weighed = select(["*", f"{WEIGHT} AS weight"], "units")',
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "conformance/test_bounded.py",
            "unit/engines/sql/statements/test_query.py::test_sums",
        ),
    ),
    Bug(
        "one row too many before a unit is heavy",
        "engines/sql/statements/weights.py",
        'rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most}"',
        'rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most + 1}"',
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "conformance/test_bounded.py",
        ),
    ),
    Bug(
        "weight not applied where rows are only counted",
        "engines/sql/statements/weights.py",
        "f\"{rows.weight('COUNT(*)')} AS weight\"], rows.chosen(), 1)",
        'f"{WEIGHT} AS weight"], rows.chosen(), 1)',
        (
            "conformance/test_sensitivity.py::test_no_pair_of_neighbours_is_farther_apart_than_claimed",
            "unit/engines/sql/statements/test_query.py::test_rows_that_are_only_counted",
        ),
    ),
    Bug(
        "units with one private key too many are not ranked",
        "engines/sql/statements/groups.py",
        '"many": select(["unit"], f"heavy WHERE spread > {query.most}"),',
        '"many": select(["unit"], f"heavy WHERE spread > {query.most + 1}"),',
        (
            "unit/engines/duckdb/test_engine.py::test_one_group_too_many_is_cut",
            "unit/engines/sql/statements/test_query.py::test_nobody_keeps_one_private_group_more_than_they_may",
        ),
    ),
    Bug(
        "weight not applied to units by group",
        "engines/sql/statements/groups.py",
        'weights = select(["unit", f"{rows.weight(\'COUNT(*)\')} AS weight"], "pairs", 1)',
        'weights = select(["unit", f"{WEIGHT} AS weight"], "pairs", 1)',
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "unit/engines/sql/statements/test_query.py::test_units",
        ),
    ),
    Bug(
        "weight not applied under private keys",
        "engines/sql/statements/groups.py",
        'rows.weight("held")]',
        "str(WEIGHT)]",
        (
            "conformance/test_reach.py::test_a_unit_with_one_private_key_and_many_rows_weighs_its_contribution",
            "unit/engines/sql/statements/test_query.py::test_kept",
        ),
    ),
    Bug(
        "weight not applied where private keys are cut",
        "engines/sql/statements/groups.py",
        "{rows.weight('before')} AS weight",
        "{WEIGHT} AS weight",
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "unit/engines/sql/statements/test_query.py::test_kept",
            "conformance/test_keys.py",
        ),
    ),
    Bug(
        "heavy units are not drawn back",
        "engines/sql/statements/sums.py",
        "{self._weighed_row(weight)} - {self._full_row}",
        "{self._weighed_row(weight)} * 0",
        (
            "conformance/test_reach.py::test_the_heaviest_unit_is_what_is_claimed",
            "unit/engines/sql/statements/test_query.py::test_sums",
        ),
    ),
    Bug(
        "one private key too many before the cut",
        "engines/sql/statements/groups.py",
        'AS weight"], f"ranks WHERE place = {query.most + 1}")',
        'AS weight"], f"ranks WHERE place = {query.most + 2}")',
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "unit/engines/sql/statements/test_query.py::test_kept",
        ),
    ),
    Bug(
        "tied private keys are all kept",
        "engines/sql/statements/groups.py",
        'WHERE cut IS NULL OR {hashed} < cut"',
        'WHERE cut IS NULL OR {hashed} <= cut"',
        (
            "conformance/test_reach.py::test_a_unit_may_have_more_private_keys_than_rows",
            "unit/engines/sql/statements/test_query.py::test_kept",
        ),
    ),
    Bug(
        "tied values are all kept",
        "engines/sql/statements/groups.py",
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
        "engines/sql/statements/rows.py",
        "self.dialect.hashed([*whose, *values])",
        "self.dialect.hashed([*values])",
        (
            "conformance/test_cuts.py",
            "unit/engines/sql/statements/test_query.py",
        ),
    ),
    Bug(
        "rows of nobody count",
        "engines/sql/statements/rows.py",
        'known = [] if self.source.unit is None else [f"{self.unit} IS NOT NULL"]',
        "known = []",
        (
            "unit/engines/sql/statements/test_query.py::test_sums",
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
        "if not work.counting and rows > MOST_ROWS:",
        "if not work.counting and rows > MOST_ROWS**4:",
        (
            "adversary/test_explosions.py::test_83_explosions_are_refused",
            "conformance/test_cuts.py",
        ),
    ),
    Bug(
        "cuts left out where they are needed",
        "engines/sql/fan_out.py",
        "spared = unless is not None and all(matched(matches) <= 1 for matches in unless)",
        "spared = unless is not None",
        (
            "unit/engines/sql/test_fan_out.py",
            "conformance/test_cuts.py",
        ),
    ),
    Bug(
        "PostgreSQL reads every query in a snapshot of its own",
        "engines/postgres/snapshot.py",
        "connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ",
        "connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED",
        (
            "unit/engines/postgres/test_engine.py::test_one_session_reads_one_state",
            "flows/test_postgres.py::test_whoever_writes_meanwhile_disturbs_no_answer",
        ),
    ),
    Bug(
        "PostgreSQL compares texts by the column's collation",
        "engines/postgres/dialect.py",
        """return Stored(f'({place} COLLATE "C")', type_name)""",
        "return Stored(place, type_name)",
        (
            "unit/engines/postgres/test_engine.py::test_units_are_told_apart_by_their_bytes",
            "flows/test_postgres.py::test_units_are_told_apart_by_their_bytes",
        ),
    ),
    Bug(
        "a product that vanishes raises",
        "engines/postgres/dialect.py",
        "return doubles.multiplied(*arguments)",
        "return self.primitive(name, *arguments)",
        (
            "unit/engines/sql/test_functions.py::test_each_function_is_total_and_right",
            "flows/test_postgres.py::test_no_row_makes_a_question_fail",
        ),
    ),
    Bug(
        "PostgreSQL writes",
        "engines/postgres/snapshot.py",
        "connection.read_only = True",
        "connection.read_only = False",
        (
            "unit/engines/postgres/test_engine.py::test_nothing_is_written_even_by_a_select",
            "unit/engines/postgres/test_snapshot.py::test_a_snapshot_only_reads",
        ),
    ),
    Bug(
        "PostgreSQL reads views whose rows change at every look",
        "engines/postgres/engine.py",
        "        if unsteady:\n",
        "        if not unsteady and not found:\n",
        (
            "unit/engines/postgres/test_one_row.py::test_a_view_whose_rows_change_at_every_look_is_refused",
            "flows/test_postgres.py::test_a_view_whose_rows_change_at_every_look_is_named_by_check_and_refused",
        ),
    ),
    Bug(
        "patterns that some engines cannot read",
        "planner/expressions/texts.py",
        'if token is None or (token["repeat"] and repeated):',
        "if token is None:",
        (
            "adversary/test_expressions.py::test_08_patterns_that_some_engines_cannot_read",
            "unit/planner/test_refusals.py",
        ),
    ),
    Bug(
        "a person's rows are divided between parts",
        "engines/sql/statements/rows.py",
        'known.append(f"{self.dialect.hashed([self.unit])} % {self.part[1]} = {self.part[0]}")',
        'known.append(f"{self.dialect.hashed([self.unit, *self.values])} % {self.part[1]} = {self.part[0]}")',
        (
            "unit/engines/duckdb/test_parts.py",
            "conformance/test_parts.py",
        ),
    ),
    Bug(
        "a part is counted twice",
        "engines/duckdb/engine.py",
        "for place in range(parts)]",
        "for place in (0, *range(parts))]",
        (
            "unit/engines/duckdb/test_parts.py",
            "conformance/test_parts.py",
        ),
    ),
)
