# What the cases share. The runner has set: HOWDAH the launcher, ROOT the checkout, PYTHON; URI the database postgres of the daemon that serves all
# cases, SERVER the same without the database, BASE its console, DIRECTORY its data, TOKEN that of an
# administrator; WORK a directory of the case's own.
# shellcheck shell=bash

# Ends the case; the rest of the line says what was expected and what came.
fail() {
    printf '%s\n' "$*"
    exit 1
}

skip() {
    printf '%s\n' "$*"
    exit 77
}

# expect WHAT EXPECTED CAME
expect() {
    [ "$2" = "$3" ] || fail "$1: expected $2, came $3"
}

# contains WHAT TEXT PART
contains() {
    case $2 in *"$3"*) ;; *) fail "$1: expected $3, came $2" ;; esac
}

lacks() {
    case $2 in *"$3"*) fail "$1: expected nothing of $3, came $2" ;; esac
}

# await SECONDS COMMAND...: until the command succeeds.
await() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

# sql URI STATEMENT...: the answers without decoration.
sql() {
    local uri=$1 each words=()
    shift
    for each in "$@"; do words+=(-c "$each"); done
    psql -X -q -At -v ON_ERROR_STOP=1 "$uri" "${words[@]}"
}

# is_true URI CONDITION
is_true() { [ "$(sql "$1" "SELECT $2")" = t ]; }

# await_true SECONDS URI CONDITION
await_true() {
    await "$1" is_true "$2" "$3" || fail "not within $1 s: $3"
}

# database NAME [SETTINGS]: a new database of the server of all cases; prints its URI.
database() {
    sql "$SERVER/postgres" "SET client_min_messages = error" "DROP DATABASE IF EXISTS $1 WITH (FORCE)" "CREATE DATABASE $1 ${2:-}"
    printf '%s/%s' "$SERVER" "$1"
}

# field NAME: of an object of JSON on the standard input.
field() { "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1], ""))' "$1"; }

# api METHOD PATH [BODY] [CURL'S ARGUMENTS...]: prints the body, and the status on a line of its own.
api() {
    local method=$1 path=$2 body=${3-}
    shift $(($# < 3 ? $# : 3))
    curl -sS -m 60 -X "$method" -w '\n%{http_code}\n' -H "Authorization: Bearer $TOKEN" ${body:+-H 'Content-Type: application/json' --data-binary "$body"} "$@" "$BASE$path"
}

# What a case has started; it ends with the case.
started=()
postgres=()
end_started() {
    local each
    for each in "${started[@]:-}"; do [ -z "$each" ] || kill "$each" 2>/dev/null || true; done
    for each in "${started[@]:-}"; do [ -z "$each" ] || wait "$each" 2>/dev/null || true; done
    for each in "${postgres[@]:-}"; do [ -z "$each" ] || as_postgres "$binaries/pg_ctl" -D "$each" -m immediate -w stop >/dev/null 2>&1 || true; done
}
[ -z "${WORK:-}" ] || trap end_started EXIT

# start LOG COMMAND...: in the background; $! is in `last`.
start() {
    local log=$1
    shift
    "$@" >"$log" 2>"$log.err" &
    last=$!
    started+=("$last")
}

# serve LOG ARGUMENTS...: a daemon; returns when it is up. Its first line is in LOG, its log in LOG.err.
serve() {
    local log=$1
    shift
    start "$log" "$HOWDAH" up --json "$@"
    has_begun_or_ended() { [ -s "$log" ] || ! kill -0 "$last" 2>/dev/null; }
    await 90 has_begun_or_ended || true
    [ -s "$log" ] || {
        tail -n 5 "$log.err"
        fail "expected that the daemon starts: up $*"
    }
}

stop() {
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

free_port() { "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

binaries=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1 || true)
as_postgres() {
    if [ "$(id -u)" = 0 ]; then (cd / && exec runuser -u postgres -- env "${environment[@]:-A=}" "$@"); else env "${environment[@]:-A=}" "$@"; fi
}

# own_postgres [SETTING...]: a server of the installed packages, of this case alone; its URI, without a database, is in OWN.
own_postgres() {
    [ -x "$binaries/initdb" ] || skip "PostgreSQL's server is not installed"
    [ "$(id -u)" != 0 ] || id postgres >/dev/null 2>&1 || skip "there is no user postgres"
    local directory=$WORK/pg port each
    port=$(free_port)
    mkdir "$directory"
    [ "$(id -u)" != 0 ] || chown postgres "$directory"
    as_postgres "$binaries/initdb" -D "$directory/data" -U postgres --auth=trust -N >/dev/null
    {
        printf '%s\n' "port = $port" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" "fsync = off"
        for each in "$@"; do printf '%s\n' "$each"; done
    } | as_postgres tee -a "$directory/data/postgresql.conf" >/dev/null
    postgres+=("$directory/data")
    as_postgres "$binaries/pg_ctl" -D "$directory/data" -l "$directory/log" -w start >/dev/null || {
        cat "$directory/log"
        fail "expected that PostgreSQL starts"
    }
    OWN=postgresql://postgres@127.0.0.1:$port
    DATA=$directory/data
    export OWN DATA
}

# moved_clock: a server of its own whose clock `clock +8h` moves. LIBFAKETIME is the library that does it, where it is not in the usual place.
moved_clock() {
    local library
    library=${LIBFAKETIME:-$(find /usr/lib/*/faketime -name libfaketime.so.1 2>/dev/null | head -n 1 || true)}
    [ -n "$library" ] || skip "libfaketime is not installed"
    echo +0 >"$WORK/clock"
    chmod 644 "$WORK/clock"
    environment=("LD_PRELOAD=$library" DONT_FAKE_MONOTONIC=1 "FAKETIME_TIMESTAMP_FILE=$WORK/clock" FAKETIME_CACHE_DURATION=1)
    own_postgres
}

clock() {
    echo "$1" >"$WORK/clock.new"
    mv "$WORK/clock.new" "$WORK/clock"
}
