"""PostgreSQL's functions that clients call on the catalogue, as macros of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

_NOTHING = (
    *("pg_get_expr(a, b, c := true)", "pg_get_constraintdef(a, b := true)", "pg_get_viewdef(a, b := true)"),
    *("pg_get_indexdef(a, b := 0, c := true)", "pg_get_ruledef(a, b := true)", "pg_get_triggerdef(a, b := true)"),
    *("pg_get_serial_sequence(a, b)", "pg_get_partkeydef(a)", "pg_get_statisticsobjdef_columns(a)"),
    *("pg_get_function_result(a)", "pg_get_function_arguments(a)", "pg_get_function_identity_arguments(a)"),
    *("shobj_description(a, b := '')", "pg_tablespace_location(a)", "pg_get_partition_constraintdef(a)"),
    *("pg_get_statisticsobjdef(a)", "pg_get_functiondef(a)", "pg_stat_get_numscans(a)", "pg_relation_filenode(a)"),
    *("pg_get_function_sqlbody(a)", "pg_get_function_arg_default(a, b)"),
    *("inet_server_addr()", "inet_client_addr()", "pg_get_publication_tables(a)", "pg_sequence_last_value(a)"),
)
"""There are no such things here, so NULL is the truth about them."""

_TRUE = (
    *("pg_type_is_visible(a)", "pg_function_is_visible(a)", "pg_operator_is_visible(a)", "pg_collation_is_visible(a)"),
    *("pg_opclass_is_visible(a)", "pg_opfamily_is_visible(a)", "pg_statistics_obj_is_visible(a)"),
    *("pg_conversion_is_visible(a)", "pg_ts_config_is_visible(a)", "has_schema_privilege(a, b, c := '')"),
    *("has_database_privilege(a, b, c := '')", "pg_ts_dict_is_visible(a)", "pg_advisory_unlock_all()"),
    *("pg_ts_parser_is_visible(a)", "pg_ts_template_is_visible(a)"),
    *("has_function_privilege(a, b, c := '')", "has_type_privilege(a, b, c := '')"),
)
_FALSE = (
    *("pg_is_in_recovery()", "pg_relation_is_publishable(a)", "pg_is_other_temp_schema(a)", "row_security_active(a)"),
    *("pg_is_wal_replay_paused()", "pg_has_role(a, b, c := '')", "has_sequence_privilege(a, b, c := '')"),
)

_OTHERS = {
    "has_table_privilege(a, b, c := '')": "upper(CASE WHEN c = '' THEN b ELSE c END) LIKE '%SELECT%'",
    "has_column_privilege(a, b, c, d := '')": "upper(CASE WHEN d = '' THEN c ELSE d END) LIKE '%SELECT%'",
    "has_any_column_privilege(a, b, c := '')": "upper(CASE WHEN c = '' THEN b ELSE c END) LIKE '%SELECT%'",
    "pg_get_userbyid(a)": "CASE WHEN a = 10 THEN 'curator' ELSE 'unknown (OID=' || a || ')' END",
    "pg_encoding_to_char(a)": "CASE WHEN a = 6 THEN 'UTF8' ELSE '' END",
    "pg_char_to_encoding(a)": "6",
    "pg_client_encoding()": "'UTF8'",
    "getdatabaseencoding()": "'UTF8'",
    "pg_my_temp_schema()": "0",
    "pg_relation_size(a, b := '')": "CAST(0 AS BIGINT)",
    "pg_table_size(a)": "CAST(0 AS BIGINT)",
    "pg_total_relation_size(a)": "CAST(0 AS BIGINT)",
    "pg_indexes_size(a)": "CAST(0 AS BIGINT)",
    "pg_database_size(a)": "CAST(0 AS BIGINT)",
    "pg_tablespace_size(a)": "CAST(0 AS BIGINT)",
    "pg_size_pretty(a)": "a || ' bytes'",
    "pg_column_is_updatable(a, b, c)": "false",
    "pg_relation_is_updatable(a, b)": "0",
    "quote_ident(a)": "CASE WHEN regexp_full_match(a, '[a-z_][a-z0-9_$]*') THEN a "
    "ELSE '\"' || replace(a, '\"', '\"\"') || '\"' END",
    "quote_literal(a)": "'''' || replace(a, '''', '''''') || ''''",
    "parse_ident(a)": "list_transform(string_split(a, '.'), lambda x: "
    "CASE WHEN x[1] = '\"' THEN replace(x[2:-2], '\"\"', '\"') ELSE lower(x) END)",
    "obj_description(a, b := 'pg_class')": "(SELECT d.description FROM pgc.pg_description d WHERE d.objoid = a "
    "AND d.objsubid = 0 AND d.classoid = CASE b WHEN 'pg_class' THEN 1259 WHEN 'pg_namespace' THEN 2615 ELSE 0 END)",
    "col_description(a, b)": "(SELECT d.description FROM pgc.pg_description d WHERE d.objoid = a "
    "AND d.objsubid = b AND d.classoid = 1259)",
    "format_type(a, b := -1)": "(SELECT w.name FROM pgc.written w WHERE w.oid = a)",
    "reg_type(a)": "coalesce((SELECT w.name FROM pgc.written w WHERE w.oid = a), '-')",
    "reg_class(a)": "coalesce((SELECT k.relname FROM pgc.pg_class k WHERE k.oid = TRY_CAST(a AS BIGINT)), "
    "CAST(a AS VARCHAR))",
    "reg_namespace(a)": "(SELECT s.nspname FROM pgc.pg_namespace s WHERE s.oid = a)",
    "to_regtype(a)": "(SELECT w.oid FROM pgc.written w WHERE w.name = lower(a) OR w.short = lower(a) LIMIT 1)",
    "to_regclass(a)": "(SELECT k.oid FROM pgc.pg_class k JOIN pgc.pg_namespace s ON s.oid = k.relnamespace WHERE "
    "k.relname = parse_ident(a)[-1] AND (len(parse_ident(a)) = 1 OR s.nspname = parse_ident(a)[-2]) "
    "ORDER BY s.nspname <> 'public' LIMIT 1)",
    "class_oid(a)": "coalesce(TRY_CAST(a AS UINTEGER), to_regclass(a))",
    "array_upper(a, b)": "nullif(len(a), 0)",
    "array_lower(a, b)": "CASE WHEN len(a) > 0 THEN 1 END",
    "array_positions(a, b)": "list_filter(range(1, len(a) + 1), lambda x: a[x] = b)",
    "age(a)": "CAST(0 AS BIGINT)",
    "txid_current()": "CAST(1 AS BIGINT)",
    "_pg_expandarray(a)": "{'x': CAST(NULL AS BIGINT), 'n': CAST(NULL AS BIGINT)}",
    "_pg_char_max_length(a, b)": "CAST(NULL AS INTEGER)",
    "_pg_truetypid(a, b)": "a",
    "_pg_truetypmod(a, b)": "CAST(-1 AS INTEGER)",
    f"json_build_object({', '.join(f'a{place} := 1' for place in range(24))})": "CAST(NULL AS VARCHAR)",
    "pg_stat_get_snapshot_timestamp()": "CAST(NULL AS TIMESTAMP)",
}


_ROWS = {
    "pg_timezone_names()": "SELECT 'UTC' AS name, 'UTC' AS abbrev, '00:00:00' AS utc_offset, false AS is_dst",
    "pg_listening_channels()": "SELECT CAST(NULL AS VARCHAR) AS channel WHERE false",
    "pg_get_keywords()": "SELECT unnest(string_split('all analyse analyze and any array as asc asymmetric both case "
    "cast check collate column constraint create current_catalog current_date current_role current_time "
    "current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign from "
    "grant group having in initially intersect into lateral leading limit localtime localtimestamp not null offset on "
    "only or order placing primary references returning select session_user some symmetric table then to trailing "
    "true union unique user using variadic when where window with', ' ')) AS word, 'R' AS catcode, "
    "'reserved' AS catdesc",
}
"""Functions that return rows."""


def macros() -> Iterator[str]:
    """The statements that make all of them."""
    bodies = {
        **dict.fromkeys(_NOTHING, "CAST(NULL AS VARCHAR)"),
        **dict.fromkeys(_TRUE, "true"),
        **dict.fromkeys(_FALSE, "false"),
        **_OTHERS,
    }
    for head, body in bodies.items():
        yield f"CREATE MACRO {head} AS {body}"
    for head, body in _ROWS.items():
        yield f"CREATE MACRO {head} AS TABLE {body}"


KNOWN = frozenset(head.split("(")[0] for head in (*_NOTHING, *_TRUE, *_FALSE, *_OTHERS))
"""Their names."""
TABLES = frozenset(head.split("(")[0] for head in _ROWS) | {"generate_series", "generate_subscripts", "unnest"}
TABLES |= {"exploding_generate_series", "explode", "unnest"}
"""The names of those that return rows, in PostgreSQL's words and in the parser's."""
