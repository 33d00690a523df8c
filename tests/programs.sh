#!/bin/sh
# Installs what the tests talk to besides Python: Chromium, PostgreSQL, and drivers for PostgreSQL's protocol. What
# cannot be installed is named: its tests are skipped, and those of Chromium and PostgreSQL fail under CI.
wanted=""
has() { command -v "$1" > /dev/null; }
there() { ls "$@" > /dev/null 2>&1; }

has chromium || has chromium-browser || has google-chrome || wanted="$wanted chromium"
has initdb || there /usr/lib/postgresql/*/bin/initdb || [ -n "$DENIABLE_TEST_POSTGRES" ] || wanted="$wanted postgresql"
there /usr/lib/*/odbc/psqlodbcw.so || wanted="$wanted unixodbc odbc-postgresql"
! has javac || there /usr/share/java/postgresql.jar || wanted="$wanted libpostgresql-jdbc-java"

[ -n "$wanted" ] || exit 0
[ "$(id -u)" = 0 ] && has apt-get && timeout 60 apt-get update -qq > /dev/null 2>&1 \
&& DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq -y --no-install-recommends $wanted > /dev/null 2>&1 \
|| echo "not installed:$wanted; their tests are skipped"
