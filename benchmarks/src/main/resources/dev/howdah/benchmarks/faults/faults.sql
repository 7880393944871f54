-- What the fault suite writes down beside a table of tasks, and what it asks afterwards. Every
-- statement runs as it stands.

-- name: schema
-- change: every change of a task's state, in the order of the row's history. run: every begin of a
-- task's work, committed before the work. work: every end of it, in one transaction with its
-- effect.
CREATE SCHEMA fault;
CREATE TABLE fault.change (
    n bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), id bigint NOT NULL,
    before text, after text, label text, lane text, max integer, parent bigint, plan timestamptz,
    repeat interval);
CREATE INDEX ON fault.change (at) WHERE after = 'WORK';
CREATE TABLE fault.run (
    n bigserial PRIMARY KEY, task bigint NOT NULL, pid integer NOT NULL, at timestamptz NOT NULL,
    twin boolean NOT NULL, beside integer NOT NULL);
CREATE INDEX ON fault.run (task);
CREATE TABLE fault.work (
    run bigint, task bigint NOT NULL, pid integer NOT NULL, began timestamptz NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(), twin boolean NOT NULL,
    beside integer NOT NULL);

-- name: triggers
-- For each statement, not for each row: a row trigger would make the scheduler write TAKE and WORK
-- one after the other.
CREATE FUNCTION fault.added()
RETURNS trigger
LANGUAGE plpgsql
AS $$ BEGIN
    INSERT INTO fault.change (id, after, label, lane, max, parent, plan, repeat)
    SELECT n.id, n.state, n.data, n."group" || CASE WHEN n.remote IS NULL THEN '' ELSE ' @' END,
        n.max, n.parent, n.plan, n.repeat
    FROM new_rows n ORDER BY n.id;
    RETURN NULL;
END $$;
CREATE FUNCTION fault.changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$ BEGIN
    INSERT INTO fault.change (id, before, after)
    SELECT n.id, o.state, n.state
    FROM new_rows n
    JOIN old_rows o ON o.id = n.id
    WHERE o.state <> n.state
    ORDER BY n.id;
    RETURN NULL;
END $$;
CREATE FUNCTION fault.removed()
RETURNS trigger
LANGUAGE plpgsql
AS $$ BEGIN
    INSERT INTO fault.change (id, before)
    SELECT o.id, o.state
    FROM old_rows o
    ORDER BY o.id;
    RETURN NULL;
END $$;
CREATE TRIGGER fault_added AFTER INSERT ON public.task REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION fault.added();
CREATE TRIGGER fault_changed AFTER UPDATE ON public.task
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION fault.changed();
CREATE TRIGGER fault_removed AFTER DELETE ON public.task REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION fault.removed();

-- name: watch
-- A row trigger that does nothing: with it the scheduler writes every step by itself.
CREATE FUNCTION fault.watch()
RETURNS trigger
LANGUAGE plpgsql
AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER fault_watch BEFORE UPDATE ON public.task FOR EACH ROW EXECUTE FUNCTION fault.watch();

-- name: functions
CREATE FUNCTION fault.micros(at timestamptz)
RETURNS bigint
LANGUAGE sql IMMUTABLE
AS $$ SELECT (extract(epoch FROM at) * 1000000)::bigint $$;
-- meet: takes the locks that say who runs, and says whether the same task runs twice now and how
-- many of its group run beside it. A session that was ended says so a moment before it lets go of
-- its locks: hence some patience.
CREATE FUNCTION fault.meet(kept boolean, OUT me bigint, OUT twin boolean, OUT beside integer)
LANGUAGE plpgsql
AS $$
DECLARE
    lane integer := hashtext(current_setting('pg_task.group'));
    most integer;
    until timestamptz := clock_timestamp() + interval '500 ms';
BEGIN
    me := current_setting('pg_task.id');
    SELECT GREATEST(t.max, 0) INTO most FROM public.task t WHERE t.id = me;
    IF kept THEN PERFORM pg_advisory_lock_shared(7002, lane);
    ELSE PERFORM pg_advisory_xact_lock_shared(7002, lane); END IF;
    LOOP
        twin := CASE WHEN kept THEN NOT pg_try_advisory_lock(7001, me::integer)
            ELSE NOT pg_try_advisory_xact_lock(7001, me::integer) END;
        SELECT count(*) - 1 INTO beside FROM pg_locks l
        WHERE l.locktype = 'advisory'
            AND l.classid = 7002
            AND l.objid = (lane::bigint & 4294967295)::oid
            AND l.granted;
        EXIT WHEN NOT twin AND beside <= most OR clock_timestamp() > until;
        IF kept AND NOT twin THEN PERFORM pg_advisory_unlock(7001, me::integer); END IF;
        PERFORM pg_sleep(0.005);
    END LOOP;
END $$;
CREATE FUNCTION fault.begins()
RETURNS bigint
LANGUAGE sql
AS $$
    INSERT INTO fault.run (task, pid, at, twin, beside)
    SELECT m.me, pg_backend_pid(), clock_timestamp(), m.twin, m.beside
    FROM fault.meet(true) m
    RETURNING n $$;
CREATE FUNCTION fault.ends()
RETURNS void
LANGUAGE sql
AS $$
    INSERT INTO fault.work (run, task, pid, began, twin, beside)
    SELECT r.n, r.task, r.pid, r.at, r.twin, r.beside FROM fault.run r
    WHERE r.task = current_setting('pg_task.id')::bigint AND r.pid = pg_backend_pid()
    ORDER BY r.n DESC
    LIMIT 1 $$;
CREATE FUNCTION fault.leaves()
RETURNS void
LANGUAGE sql
AS $$
    SELECT pg_advisory_unlock_shared(7002, hashtext(current_setting('pg_task.group'))),
           pg_advisory_unlock(7001, current_setting('pg_task.id')::integer) $$;
CREATE FUNCTION fault.once(seconds float8)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    m record;
    began timestamptz;
BEGIN
    SELECT * INTO m FROM fault.meet(false);
    began := clock_timestamp();
    PERFORM pg_sleep(seconds);
    INSERT INTO fault.work (task, pid, began, twin, beside)
    VALUES (m.me, pg_backend_pid(), began, m.twin, m.beside);
END $$;
CREATE PROCEDURE fault.work(seconds float8, fails boolean DEFAULT false) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM fault.begins();
    COMMIT;
    PERFORM pg_sleep(seconds);
    IF fails THEN
        PERFORM fault.leaves();
        PERFORM 1 / 0;
    END IF;
    PERFORM fault.ends();
    COMMIT;
    PERFORM fault.leaves();
END $$;

-- name: stop_repeating
UPDATE public.task
SET repeat = '0'
WHERE repeat > '0' AND state IN ('PLAN', 'TAKE', 'WORK');

-- name: waiting
SELECT count(*)
FROM public.task
WHERE state = 'PLAN' AND plan <= now() AND repeat = '0';

-- name: unfinished
SELECT count(*),
    COALESCE(
        string_agg(
            id || ' ' || state || ' ' || COALESCE(data, ''), ', ' ORDER BY id
        ) FILTER (WHERE n <= 10),
        '')
FROM (
    SELECT t.*, row_number() OVER (ORDER BY id) AS n
    FROM public.task t
    WHERE state IN ('PLAN', 'TAKE', 'WORK')) t;

-- name: begun_since
-- $1 microseconds of the epoch.
SELECT EXISTS (SELECT FROM fault.change WHERE after = 'WORK'
    AND at > timestamptz 'epoch' + $1::bigint * interval '1 microsecond');

-- name: sessions
SELECT pid, application_name
FROM pg_stat_activity
WHERE datname = current_database() AND application_name ~ '^(howdah|pg_task) ';

-- name: at_work
-- Sessions inside a task's text, by group.
SELECT substr(application_name, 21) AS lane,
    array_agg(pid || ' ' || query_start::text ORDER BY pid) AS sessions
FROM pg_stat_activity
WHERE datname = current_database()
    AND application_name LIKE 'pg\_task public task %'
    AND query LIKE '%fault.%'
    AND state <> 'idle'
GROUP BY 1;

-- name: changes
SELECT n, fault.micros(at) AS at, id, before, after, label, lane, max, parent,
    fault.micros(plan) AS plan, (extract(epoch FROM repeat) * 1000000)::bigint AS repeat
FROM fault.change ORDER BY n;

-- name: runs
SELECT r.n, r.task, r.pid, fault.micros(r.at) AS began, r.twin, r.beside,
    fault.micros(w.at) AS ended
FROM fault.run r LEFT JOIN fault.work w ON w.run = r.n
UNION ALL
SELECT NULL, w.task, w.pid, fault.micros(w.began), w.twin, w.beside, fault.micros(w.at)
FROM fault.work w
WHERE w.run IS NULL
ORDER BY 4;

-- name: rows
SELECT id, state::text, error, data AS label, fault.micros(start) AS start,
    fault.micros(stop) AS stop, pid
FROM public.task
ORDER BY id;

-- name: secrets
-- $1 the secret.
SELECT count(*)
FROM public.task
WHERE position($1::text IN COALESCE(error, '') || COALESCE(output, '')) > 0;

-- name: holder
-- The local port of who is the scheduler.
SELECT a.client_port FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory'
    AND l.classid = 1215264867
    AND l.granted
    AND a.datname = current_database();

-- name: ports
-- Of the daemons' own sessions, those of tasks not counted.
SELECT client_port
FROM pg_stat_activity
WHERE datname = current_database() AND application_name ~ '^howdah ' AND client_port > 0;

-- name: served
SELECT EXISTS (
    SELECT
    FROM pg_trigger
    WHERE tgname = 'task_wake_up' AND tgrelid = to_regclass('public.task'));

-- name: has_once
SELECT EXISTS (
    SELECT
    FROM pg_attribute
    WHERE attrelid = 'public.task'::regclass AND attname = 'once' AND NOT attisdropped);

-- name: victim
-- Ends one of the sessions of ours, any of them; the scheduler's few more often than their number
-- would have it.
SELECT application_name, pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name ~ '^(howdah|pg_task) '
ORDER BY random() * CASE WHEN application_name ~ '^howdah ' THEN 0.1 ELSE 1 END LIMIT 1;
