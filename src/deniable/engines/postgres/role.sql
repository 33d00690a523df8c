-- The role as which the curator asks. Read it, then run it as a superuser of this database.
-- Its password stays out of the policy: ALTER ROLE @role@ PASSWORD '...'; and see docs/engines.md.

CREATE ROLE @role@ LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT CONNECTION LIMIT 16;

-- What everybody has by default, nobody needs here: temporary tables, and tables of one's own.
REVOKE ALL ON DATABASE @database@ FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE @database@ TO @role@;

-- What the policy names, to be read, and nothing else.
@grants@

-- Not a wall, because the role may undo most of it, but good manners.
ALTER ROLE @role@ SET default_transaction_read_only = on;
ALTER ROLE @role@ SET search_path = pg_catalog;
ALTER ROLE @role@ SET idle_in_transaction_session_timeout = '10min';

-- The server's log must not quote rows: an error's text, or a statement with its values, can.
ALTER ROLE @role@ SET log_min_messages = panic;
ALTER ROLE @role@ SET log_min_error_statement = panic;
ALTER ROLE @role@ SET log_statement = none;
ALTER ROLE @role@ SET log_min_duration_statement = -1;
