"""The PostgreSQL door: the wire protocol, version 3, and a catalogue that knows what the policy knows.

server        listening, TLS, how many may come
login         the first words: TLS, cancelling, SCRAM-SHA-256
connection    one client: simple and extended protocol, transactions that change nothing
commands      what a statement is: a question, SET, SHOW, FETCH, COPY, EXPLAIN
questions     a SELECT, sent where it belongs: to the session, or to the catalogue
parameters    $1, $2, ...: what types they have, and how they become literals
settings      SET, SHOW, RESET
portals       prepared statements, portals and cursors
copying       COPY (...) TO STDOUT
messages      bytes in, bytes out
types         values as text and in binary
errors        what is said to a client when something is refused
catalogue     pg_catalog and information_schema, from the policy alone
"""
