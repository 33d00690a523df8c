"""pg_catalog and information_schema, from the policy alone: no private row is near, so nothing here costs anything.

relations   the tables of the catalogue, with PostgreSQL's columns (relations.tsv, types.tsv)
rows        what is in them: the policy's tables, columns, comments
functions   PostgreSQL's functions that clients call
read        PostgreSQL's statements as trees
translate   these as DuckDB's; what is not understood is refused
outputs     what PostgreSQL calls columns that have no names
made_up     tables of made-up rows that fit the policy
run         running them, in a locked database in memory
current     the one of the policy that holds now
"""
