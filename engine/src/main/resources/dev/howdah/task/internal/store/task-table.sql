-- The table of tasks: how it is made, and how one that exists is examined and completed. Every
-- statement runs as it stands; the names behind /*table*/, /*state*/ and the like are put in at run
-- time.

-- name: table_patience
-- A session that locks the table for longer keeps no others waiting behind us: there will be
-- another try.
SET LOCAL lock_timeout = '2s';

-- name: table_plain_settings
-- Every setting that a column's default reads, as if it were not set: adding a column evaluates
-- its default.
SELECT set_config('pg_task.' || s.name, s.value, true)
FROM (
    VALUES ('id', '0'), ('active', '1 hour'), ('live', '0 sec'), ('repeat', '0 sec'),
        ('timeout', '0 sec'), ('count', '0'), ('max', '0'), ('notify', ''), ('once', 'false'),
        ('cron', ''), ('zone', ''), ('attempts', '1'), ('backoff', '10 sec'), ('delete', 'true'),
        ('drift', 'false'), ('header', 'true'), ('save', 'false'), ('string', 'true')
) s (name, value);

-- name: table_making
-- One at a time, until the end of the transaction: tables of a schema share its type.
SELECT pg_advisory_xact_lock(1215264869, 0);

-- name: table_create_schema
CREATE SCHEMA /*schema*/public;

-- name: state_create
-- The order matters: it is the order in which `ORDER BY state` sorts.
CREATE TYPE /*state*/public.state AS ENUM ('PLAN', 'GONE', 'TAKE', 'WORK', 'DONE', 'FAIL', 'STOP');

-- name: table_create
-- Only what cannot be added later: every column comes from the statements `column_*` below.
CREATE TABLE /*table*/public.task (id bigserial);

-- name: table_vacuum
-- As for howdah_internal.job: after many tasks at once neither the statistics nor the dead rows are
-- left as they are until a fifth of a large table has changed. Settings of the table's owner stay.
DO $vacuum$
BEGIN
    IF NOT EXISTS (
        SELECT
        FROM pg_class c
        WHERE c.oid = /*literal:*/'public.task'/*:literal*/::regclass
            AND c.relkind = 'r'
            AND pg_has_role(c.relowner, 'USAGE')
            AND NOT COALESCE(c.reloptions, '{}')::text ~ 'autovacuum_') THEN
        RETURN;
    END IF;
    ALTER TABLE /*table*/public.task SET (
        autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
    IF current_setting('server_version_num')::integer >= 130000 THEN
        ALTER TABLE /*table*/public.task SET (autovacuum_vacuum_insert_scale_factor = 0.05);
    END IF;
END
$vacuum$;

-- name: column_parent
ALTER TABLE /*table*/public.task ADD COLUMN parent bigint
    DEFAULT NULLIF(COALESCE(NULLIF(current_setting('pg_task.id', true), ''), '0')::bigint, 0);

-- name: column_plan
ALTER TABLE /*table*/public.task ADD COLUMN plan timestamptz NOT NULL DEFAULT statement_timestamp();

-- name: column_start
ALTER TABLE /*table*/public.task ADD COLUMN start timestamptz;

-- name: column_stop
ALTER TABLE /*table*/public.task ADD COLUMN stop timestamptz;

-- name: column_active
ALTER TABLE /*table*/public.task ADD COLUMN active interval NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.active', true), ''), '1 hour')::interval;

-- name: column_live
ALTER TABLE /*table*/public.task ADD COLUMN live interval NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.live', true), ''), '0 sec')::interval;

-- name: column_repeat
ALTER TABLE /*table*/public.task ADD COLUMN repeat interval NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.repeat', true), ''), '0 sec')::interval;

-- name: column_timeout
ALTER TABLE /*table*/public.task ADD COLUMN timeout interval NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.timeout', true), ''), '0 sec')::interval;

-- name: column_count
ALTER TABLE /*table*/public.task ADD COLUMN count integer NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.count', true), ''), '0')::integer;

-- name: column_max
ALTER TABLE /*table*/public.task ADD COLUMN max integer NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.max', true), ''), '0')::integer;

-- name: column_pid
ALTER TABLE /*table*/public.task ADD COLUMN pid integer;

-- name: column_state
ALTER TABLE /*table*/public.task ADD COLUMN state /*state*/public.state NOT NULL DEFAULT 'PLAN';

-- name: column_delete
ALTER TABLE /*table*/public.task ADD COLUMN delete boolean NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.delete', true), ''), 'true')::boolean;

-- name: column_drift
ALTER TABLE /*table*/public.task ADD COLUMN drift boolean NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.drift', true), ''), 'false')::boolean;

-- name: column_header
ALTER TABLE /*table*/public.task ADD COLUMN header boolean NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.header', true), ''), 'true')::boolean;

-- name: column_save
ALTER TABLE /*table*/public.task ADD COLUMN save boolean NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.save', true), ''), 'false')::boolean;

-- name: column_string
ALTER TABLE /*table*/public.task ADD COLUMN string boolean NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.string', true), ''), 'true')::boolean;

-- name: column_delimiter
ALTER TABLE /*table*/public.task ADD COLUMN delimiter "char" NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.delimiter', true), ''), E'\t')::"char";

-- name: column_escape
ALTER TABLE /*table*/public.task ADD COLUMN escape "char" NOT NULL
    DEFAULT COALESCE(current_setting('pg_task.escape', true), '')::"char";

-- name: column_quote
ALTER TABLE /*table*/public.task ADD COLUMN quote "char" NOT NULL
    DEFAULT COALESCE(current_setting('pg_task.quote', true), '')::"char";

-- name: column_data
ALTER TABLE /*table*/public.task ADD COLUMN data text;

-- name: column_error
ALTER TABLE /*table*/public.task ADD COLUMN error text;

-- name: column_group
ALTER TABLE /*table*/public.task ADD COLUMN "group" text NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.group', true), ''), 'group');

-- name: column_input
ALTER TABLE /*table*/public.task ADD COLUMN input text NOT NULL;

-- name: column_null
ALTER TABLE /*table*/public.task ADD COLUMN "null" text NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.null', true), ''), E'\\N');

-- name: column_output
ALTER TABLE /*table*/public.task ADD COLUMN output text;

-- name: column_remote
ALTER TABLE /*table*/public.task ADD COLUMN remote text;

-- name: column_once
ALTER TABLE /*table*/public.task ADD COLUMN once boolean NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.once', true), ''), 'false')::boolean;

-- name: column_notify
ALTER TABLE /*table*/public.task ADD COLUMN notify text
    DEFAULT NULLIF(current_setting('pg_task.notify', true), '');

-- name: column_cron
ALTER TABLE /*table*/public.task ADD COLUMN cron text
    DEFAULT NULLIF(current_setting('pg_task.cron', true), '');

-- name: column_zone
ALTER TABLE /*table*/public.task ADD COLUMN zone text
    DEFAULT NULLIF(current_setting('pg_task.zone', true), '');

-- name: column_attempts
ALTER TABLE /*table*/public.task ADD COLUMN attempts integer NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.attempts', true), ''), '1')::integer;

-- name: column_backoff
ALTER TABLE /*table*/public.task ADD COLUMN backoff interval NOT NULL
    DEFAULT COALESCE(NULLIF(current_setting('pg_task.backoff', true), ''), '10 sec')::interval;

-- name: column_retry
ALTER TABLE /*table*/public.task ADD COLUMN retry bigint;

-- name: column_after
ALTER TABLE /*table*/public.task ADD COLUMN after bigint[];

-- name: column_schedule
ALTER TABLE /*table*/public.task ADD COLUMN schedule text;

-- name: column_on_failure
ALTER TABLE /*table*/public.task ADD COLUMN on_failure text;

-- name: column_duration
ALTER TABLE /*table*/public.task ADD COLUMN duration interval;

-- name: column_sqlstate
ALTER TABLE /*table*/public.task ADD COLUMN sqlstate text;

-- name: column_notices
ALTER TABLE /*table*/public.task ADD COLUMN notices text;

-- name: column_hash
-- The length in front keeps ('x', 'y') and ('xy', '') apart, and '@' tells an empty remote from
-- none.
ALTER TABLE /*table*/public.task ADD COLUMN hash integer
    GENERATED ALWAYS AS (
        hashtext(length("group")::text || ':' || "group" || COALESCE('@' || remote, ''))) STORED;

-- name: column_hash_before_12
ALTER TABLE /*table*/public.task ADD COLUMN hash integer;

-- name: hash_fill
UPDATE /*table*/public.task
SET hash = hashtext(length("group")::text || ':' || "group" || COALESCE('@' || remote, ''))
WHERE hash IS NULL;

-- name: table_comments
COMMENT ON TABLE /*table*/public.task IS 'SQL to run in the background';
COMMENT ON COLUMN /*table*/public.task . id IS
    'The task''s number; smaller ones of a group come first';
COMMENT ON COLUMN /*table*/public.task . parent IS
    'The task that inserted this one, or that this one repeats';
COMMENT ON COLUMN /*table*/public.task . plan IS 'When it may start';
COMMENT ON COLUMN /*table*/public.task . start IS 'When it started';
COMMENT ON COLUMN /*table*/public.task . stop IS 'When it ended';
COMMENT ON COLUMN /*table*/public.task . active IS
    'How long after plan it may still start; later it is GONE';
COMMENT ON COLUMN /*table*/public.task . live IS
    'How old a session may be that goes on with this task; see count';
COMMENT ON COLUMN /*table*/public.task . repeat IS
    'It is planned again so long after plan; 0: never';
COMMENT ON COLUMN /*table*/public.task . timeout IS
    'The longest time of one of its statements; 0: no limit';
COMMENT ON COLUMN /*table*/public.task . count IS
    'How many tasks a session runs that goes on with this task; see live';
COMMENT ON COLUMN /*table*/public.task . max IS
    'How many others of its group may run beside it; negative: pause of its group after it, in '
    'milliseconds';
COMMENT ON COLUMN /*table*/public.task . pid IS 'The server process that runs it or ran it';
COMMENT ON COLUMN /*table*/public.task . state IS
    'PLAN waits, TAKE chosen, WORK runs, DONE ended well, FAIL ended with an error, GONE waited '
    'too long, STOP stopped by a user';
COMMENT ON COLUMN /*table*/public.task . delete IS
    'Whether its row goes when it ends without output and error';
COMMENT ON COLUMN /*table*/public.task . drift IS
    'Whether repeat and pause count from its end instead of its plan';
COMMENT ON COLUMN /*table*/public.task . header IS
    'Whether the names of columns stand above rows of more than one column';
COMMENT ON COLUMN /*table*/public.task . save IS
    'Whether the session keeps its settings and temporary tables for the next task';
COMMENT ON COLUMN /*table*/public.task . string IS
    'Whether quote is put around strings only, or around every value';
COMMENT ON COLUMN /*table*/public.task . delimiter IS
    'Between columns of output; one ASCII character';
COMMENT ON COLUMN /*table*/public.task . escape IS
    'Before each quote and escape inside a quoted value; one ASCII character, or none';
COMMENT ON COLUMN /*table*/public.task . quote IS
    'Around names and values of output; one ASCII character, or none';
COMMENT ON COLUMN /*table*/public.task . data IS 'Anything; never touched';
COMMENT ON COLUMN /*table*/public.task . error IS 'The error it ended with';
COMMENT ON COLUMN /*table*/public.task . "group" IS 'Tasks of one group take turns';
COMMENT ON COLUMN /*table*/public.task . input IS 'The SQL to run: one statement or several';
COMMENT ON COLUMN /*table*/public.task . "null" IS 'What stands for NULL in output';
COMMENT ON COLUMN /*table*/public.task . output IS
    'What its SQL returned: rows, and the tags of statements without rows';
COMMENT ON COLUMN /*table*/public.task . remote IS
    'The PostgreSQL to run it on, as a connection string; NULL: this one';
COMMENT ON COLUMN /*table*/public.task . once IS
    'Whether what it does and its end are committed together';
COMMENT ON COLUMN /*table*/public.task . notify IS
    'The channel of a NOTIFY that tells of its end; NULL: none';
COMMENT ON COLUMN /*table*/public.task . cron IS
    'When it is planned again: minute, hour, day of month, month, day of week; NULL: see repeat';
COMMENT ON COLUMN /*table*/public.task . zone IS
    'The time zone of cron; NULL: that of the server, the database or the role';
COMMENT ON COLUMN /*table*/public.task . attempts IS
    'How many runs it may take in all: after an error the next is a new row';
COMMENT ON COLUMN /*table*/public.task . backoff IS
    'How long after an error the next attempt is planned; twice as long each time';
COMMENT ON COLUMN /*table*/public.task . retry IS 'The task that tries it again after its error';
COMMENT ON COLUMN /*table*/public.task . after IS
    'The tasks that have to end well before it may start';
COMMENT ON COLUMN /*table*/public.task . schedule IS
    'The name of the schedule of which it is a run';
COMMENT ON COLUMN /*table*/public.task . on_failure IS
    'SQL that runs as another task when this one has ended as FAIL or GONE';
COMMENT ON COLUMN /*table*/public.task . duration IS
    'The longest time of the whole task; NULL: no limit';
COMMENT ON COLUMN /*table*/public.task . sqlstate IS 'The code of the error it ended with';
COMMENT ON COLUMN /*table*/public.task . notices IS
    'What its SQL raised below an error: WARNING, NOTICE, INFO';
COMMENT ON COLUMN /*table*/public.task . hash IS
    'Of group and remote; for looking up who takes turns';

-- name: check_active
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_active*/task_active_check CHECK (
    active > '0'::interval);

-- name: check_live
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_live*/task_live_check CHECK (
    live >= '0'::interval);

-- name: check_repeat
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_repeat*/task_repeat_check CHECK (
    repeat >= '0'::interval);

-- name: check_timeout
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_timeout*/task_timeout_check CHECK (
    timeout >= '0'::interval);

-- name: check_count
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_count*/task_count_check CHECK (count >= 0);

-- name: check_notify
-- What PostgreSQL takes as the name of a channel.
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_notify*/task_notify_check CHECK (
    octet_length(notify) BETWEEN 1 AND 63);

-- name: check_cron
-- The form alone; whether it makes sense is seen when it is due. NOT VALID: no older row can have
-- one.
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_cron*/task_cron_check
    CHECK (
        cron ~ E'^\\s*(@[A-Za-z]+|([0-9A-Za-z*?,/#-]+\\s+){4,5}[0-9A-Za-z*?,/#-]+)\\s*$')
    NOT VALID;

-- name: check_cron_or_repeat
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_cron_or_repeat*/task_cron_or_repeat_check
    CHECK (cron IS NULL OR repeat = '0'::interval) NOT VALID;

-- name: check_attempts
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_attempts*/task_attempts_check
    CHECK (attempts >= 1) NOT VALID;

-- name: check_backoff
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_backoff*/task_backoff_check CHECK (
    backoff >= '0'::interval) NOT VALID;

-- name: check_after
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_after*/task_after_check CHECK (
    array_position(after, NULL) IS NULL) NOT VALID;

-- name: check_duration
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*check_duration*/task_duration_check CHECK (
    duration > '0'::interval) NOT VALID;

-- name: index_turn
-- Whose turn it is in a group: the largest max first, then the smallest id. Serves `task_peek`.
CREATE INDEX /*index_turn*/task_turn_idx ON /*table*/public.task (hash, (- GREATEST(max, 0)), id)
WHERE state = 'PLAN';

-- name: index_due
-- What is due, and when the next task will be. Serves `task_look` and `task_next_plan`.
CREATE INDEX /*index_due*/task_due_idx ON /*table*/public.task (plan, id) WHERE state = 'PLAN';

-- name: index_busy
-- What runs. Serves `task_reset` and `session_end_orphans`; as small as the number of running
-- tasks.
CREATE INDEX /*index_busy*/task_busy_idx ON /*table*/public.task (id)
WHERE state IN ('TAKE', 'WORK');

-- name: index_parent
CREATE INDEX /*index_parent*/task_parent_idx ON /*table*/public.task (parent)
WHERE parent IS NOT NULL;

-- name: index_schedule
-- The runs of a schedule, the newest last. Serves `task_schedules`.
CREATE INDEX /*index_schedule*/task_schedule_idx ON /*table*/public.task (schedule, id)
WHERE schedule IS NOT NULL;

-- name: index_waiting
-- What waits for other tasks. Serves `task_look`, which only asks whether there is anything, and
-- `task_waiting`.
CREATE INDEX /*index_waiting*/task_waiting_idx ON /*table*/public.task (id)
    WHERE state = 'PLAN' AND after IS NOT NULL AND plan = 'infinity';

-- name: index_dependents
-- The tasks that wait for a task. Serves `task_dependents`: `<=`, for the first of the states, so
-- that no index of all that waits can serve it as well, whatever the statistics say.
CREATE INDEX /*index_dependents*/task_dependents_idx ON /*table*/public.task
    USING gin (after) WITH (fastupdate = off)
    WHERE state <= 'PLAN' AND after IS NOT NULL;

-- name: after_function
-- A task that waits for others is planned for never; the scheduler plans it when they have ended.
CREATE OR REPLACE FUNCTION /*after*/public.task_after()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $after$
DECLARE
    later bigint;
BEGIN
    IF NEW.plan > statement_timestamp() AND isfinite(NEW.plan) THEN
        RAISE EXCEPTION
            'a task with "after" starts when those tasks have ended, it cannot have a "plan" as '
            'well'
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'To wait for a time as well add a task with that "plan" that does '
                    'nothing (SELECT 1), and name it in "after".';
    END IF;
    SELECT min(a) INTO later FROM unnest(NEW.after) a WHERE a >= NEW.id;
    IF later IS NOT NULL THEN
        RAISE EXCEPTION 'task % cannot wait for task %', NEW.id, later
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'A task waits for tasks that were added before it: "after" takes smaller '
                    'ids.';
    END IF;
    NEW.plan := 'infinity';
    RETURN NEW;
END
$after$;

-- name: after_trigger
CREATE TRIGGER /*after_name*/task_after BEFORE INSERT ON /*table*/public.task
FOR EACH ROW WHEN (NEW.after IS NOT NULL AND NEW.state IN ('PLAN', 'STOP'))
    EXECUTE PROCEDURE /*after*/public.task_after();

-- name: after_always
-- Replicated rows wait as well.
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*after_name*/task_after;

-- name: after_drop_trigger
DROP TRIGGER /*after_name*/task_after ON /*table*/public.task;

-- name: parent_function
-- The task whose number stands in the setting pg_task.id, which a task can change as any session
-- can any setting, is the one that runs here, if one does. It may lack the right to read the table.
CREATE OR REPLACE FUNCTION /*parent*/public.task_parent()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $parent$
BEGIN
    NEW.parent := COALESCE((
        SELECT t.id
        FROM /*table*/public.task t
        WHERE t.state = 'WORK' AND t.pid = pg_backend_pid() AND t.remote IS NULL
        LIMIT 1), NEW.parent);
    RETURN NEW;
END
$parent$;

-- name: parent_trigger
CREATE TRIGGER /*parent_name*/task_parent BEFORE INSERT ON /*table*/public.task
FOR EACH ROW WHEN (NEW.parent::text = current_setting('pg_task.id', true))
    EXECUTE PROCEDURE /*parent*/public.task_parent();

-- name: parent_always
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*parent_name*/task_parent;

-- name: parent_drop_trigger
DROP TRIGGER /*parent_name*/task_parent ON /*table*/public.task;

-- name: hash_function
-- PostgreSQL has generated columns since 12. A table that comes from a server before it keeps its
-- trigger.
CREATE OR REPLACE FUNCTION /*hash*/public.task_hash()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $hash$
BEGIN
    NEW.hash := hashtext(
        length(NEW."group")::text || ':' || NEW."group" || COALESCE('@' || NEW.remote, ''));
    RETURN NEW;
END
$hash$;

-- name: hash_trigger
CREATE TRIGGER /*hash_name*/task_hash
BEFORE INSERT OR UPDATE OF "group", remote, hash ON /*table*/public.task
FOR EACH ROW EXECUTE PROCEDURE /*hash*/public.task_hash();

-- name: hash_always
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*hash_name*/task_hash;

-- name: hash_drop_trigger
DROP TRIGGER /*hash_name*/task_hash ON /*table*/public.task;

-- name: wake_up_function
-- Rings the doorbell, but only when the scheduler sleeps: it then holds the lock that is tried
-- here. The shared lock is kept until the end of the transaction, so that the scheduler cannot fall
-- asleep before it has seen what was written.
CREATE OR REPLACE FUNCTION /*wake_up*/public.task_wake_up()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $wake_up$
BEGIN
    -- What the scheduler itself writes does not come here: the trigger's WHEN leaves it out. A row
    -- that is deleted may be what others wait for.
    IF NOT pg_try_advisory_xact_lock_shared(1215264868, TG_RELID::integer)
        -- Else the trigger task_ring does it.
        AND current_setting('max_prepared_transactions') = '0' THEN
        PERFORM pg_notify('howdah_task', TG_RELID::text);
    END IF;
    RETURN NULL;
END
$wake_up$;

-- name: wake_up_trigger
CREATE TRIGGER /*wake_up_name*/task_wake_up
AFTER INSERT OR DELETE OR UPDATE OF plan, state, max, active, "group", remote,
after ON /*table*/public.task
FOR EACH STATEMENT WHEN (current_setting('howdah.books', true) IS DISTINCT FROM 'kept here')
    EXECUTE PROCEDURE /*wake_up*/public.task_wake_up();

-- name: wake_up_always
-- Replicated rows and those written with session_replication_role = replica ring as well.
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*wake_up_name*/task_wake_up;

-- name: wake_up_drop_trigger
DROP TRIGGER /*wake_up_name*/task_wake_up ON /*table*/public.task;

-- name: server_two_phase
SELECT current_setting('max_prepared_transactions') <> '0' AS possible;

-- name: wake_ring_function
-- Rings where transactions can be prepared. A transaction that has executed NOTIFY cannot be, and
-- no statement knows yet how its transaction will end: so this runs when it ends. What is committed
-- later is found by the scheduler when it looks by itself.
CREATE OR REPLACE FUNCTION /*ring*/public.task_ring()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $ring$
DECLARE
    root oid := TG_RELID;
    above oid;
BEGIN
    IF COALESCE(current_query(), '') ~* 'prepare[[:space:]]+transaction' THEN
        RETURN NULL;
    END IF;
    LOOP
        SELECT i.inhparent INTO above
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhrelid = root AND c.relispartition;
        EXIT WHEN NOT FOUND;
        root := above;
    END LOOP;
    PERFORM pg_notify('howdah_task', root::text);
    RETURN NULL;
END
$ring$;

-- name: wake_ring_trigger
-- For the first row of a transaction that finds the scheduler asleep.
CREATE CONSTRAINT TRIGGER /*ring_name*/task_ring
AFTER INSERT OR DELETE OR UPDATE OF plan, state, max, active, "group", remote,
after ON /*table*/public.task
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (
    CASE
        WHEN current_setting('max_prepared_transactions') = '0' THEN false
        WHEN current_setting('howdah.books', true) = 'kept here' THEN false
        WHEN current_setting(
            'howdah.bell_' || /*literal:*/'public.task'/*:literal*/::regclass::oid::text,
            true) = 'rung' THEN false
        WHEN pg_try_advisory_xact_lock_shared(
            1215264868, /*literal:*/'public.task'/*:literal*/::regclass::oid::integer) THEN false
        ELSE set_config(
            'howdah.bell_' || /*literal:*/'public.task'/*:literal*/::regclass::oid::text,
            'rung', true) IS NOT NULL
    END)
EXECUTE PROCEDURE /*ring*/public.task_ring();

-- name: wake_ring_always
ALTER TABLE /*table*/public.task ENABLE ALWAYS TRIGGER /*ring_name*/task_ring;

-- name: wake_ring_drop_trigger
DROP TRIGGER /*ring_name*/task_ring ON /*table*/public.task;

-- name: done_function
-- A task with `once` writes down its own end, in the transaction of its effects. It may lack the
-- right to write to the table: hence SECURITY DEFINER, for all roles, because only the session that
-- the row names finds a row to write to. What is left to do after its end (another run, a pause, a
-- notification, the removal of its row) is the scheduler's: then the row stays in WORK, with `stop`
-- to say that it has ended.
CREATE OR REPLACE FUNCTION /*done*/public.task_done(bigint, text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $done$
DECLARE
    written text;
BEGIN
    UPDATE /*table*/public.task t
    SET stop = clock_timestamp(), output = $2, error = NULL,
        state = (
            CASE
                WHEN t.repeat = '0'
                    AND t.cron IS NULL
                    AND t.max >= 0
                    AND t.notify IS NULL
                    AND NOT (t.delete AND $2 IS NULL)
                THEN 'DONE'
                ELSE 'WORK'
            END)::/*state*/public.state
    WHERE t.id = $1
        AND t.once
        AND t.state IN ('WORK', 'STOP')
        AND t.stop IS NULL
        AND t.pid = pg_backend_pid()
    RETURNING t.state::text INTO written;
    IF NOT FOUND THEN
        RAISE 'task % does not run here any more', $1
            USING ERRCODE = 'object_not_in_prerequisite_state',
                DETAIL = 'Somebody has deleted its row or changed its state.';
    END IF;
    RETURN written;
END
$done$;

-- name: done_grant
GRANT EXECUTE ON FUNCTION /*done*/public.task_done(bigint, text) TO PUBLIC;

-- name: table_find(schema, table)
-- What there is before anything is made. marked: two triggers that only Howdah makes are on the
-- table, and call functions as Howdah makes them. known: it has the columns of the extension that
-- make a table one of tasks, with its enum. :schema schema, :table table.
SELECT n.oid IS NOT NULL AS has_schema,
       to_regtype(format('%I.state', :schema::text)) IS NOT NULL AS has_state,
       (SELECT CASE t.typtype WHEN 'e'
           THEN 'enum' WHEN 'd'
           THEN 'domain' WHEN 'c'
           THEN CASE r.relkind
               WHEN 'r'
                   THEN 'table' WHEN 'p'
                   THEN 'table' WHEN 'f'
                   THEN 'table' WHEN 'v'
                   THEN 'view'
               WHEN 'm' THEN 'view' ELSE 'type' END ELSE 'type' END
        FROM pg_type t LEFT JOIN pg_class r ON r.oid = t.typrelid
        WHERE t.oid = to_regtype(format('%I.state', :schema::text))) AS state_kind,
       (SELECT CASE t.typtype
            WHEN 'e' THEN format('%s.%I', t.typnamespace::regnamespace, t.typname)
            ELSE format_type(a.atttypid, a.atttypmod) END
        FROM pg_attribute a
        JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = c.oid AND a.attname = 'state' AND NOT a.attisdropped
        AND a.atttypid IS DISTINCT FROM to_regtype(format('%I.state',
            :schema::text))) AS other_type,
       (SELECT t.typtype = 'e' OR t.typcategory = 'S' FROM pg_attribute a
        JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = c.oid AND a.attname = 'state' AND NOT a.attisdropped) AS other_holds,
       (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e
        WHERE e.enumtypid = to_regtype(format('%I.state', :schema::text))) AS states,
       c.oid::bigint AS oid,
       (
           SELECT count(DISTINCT t.tgname) >= 2
           FROM (VALUES ('_after', '_after'), ('_cron', '_cron'), ('_accept', '_accept'),
               ('_bind_added', '_bind')) o (called, function)
           JOIN pg_trigger t ON t.tgname = c.relname || o.called
           JOIN pg_proc p ON p.oid = t.tgfoid AND p.proname = c.relname || o.function
           WHERE t.tgrelid = c.oid
               AND NOT t.tgisinternal
               AND p.pronamespace = n.oid
               AND p.proconfig = ARRAY['search_path=pg_catalog, pg_temp']) AS marked,
       (
           SELECT count(*) = 5
           FROM pg_attribute a
           WHERE a.attrelid = c.oid
               AND NOT a.attisdropped
               AND (a.attname, a.atttypid) IN (
                   ('id', 'bigint'::regtype),
                   ('plan', 'timestamptz'::regtype),
                   ('state', to_regtype(format('%I.state', :schema::text))),
                   ('group', 'text'::regtype),
                   ('input', 'text'::regtype))) AS known,
       c.relkind::text AS kind,
       pg_get_userbyid(c.relowner) AS owner,
       COALESCE(pg_has_role(c.relowner, 'USAGE'), false) AS owned,
       current_user::text AS role,
       COALESCE(
           has_schema_privilege(n.oid, 'CREATE'),
           has_database_privilege(current_database(), 'CREATE')) AS may_create,
       current_database()::text AS database
FROM (SELECT) x
LEFT JOIN pg_namespace n ON n.nspname = :schema
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = :table;

-- name: state_checks(table, type, states)
-- The checks of the column state alone, as statements that return those of the states :states which
-- each refuses; and one for its type. :table the table's oid, :type that type.
SELECT k.conname::text AS name, format(
    'SELECT string_agg(n.state::text, %L) FROM (SELECT t.state::%s AS state '
    'FROM unnest(%L::text[]) t (state)) n WHERE NOT (%s)', ', ', :type::text, :states::text,
    pg_get_expr(k.conbin, k.conrelid)) AS statement
FROM pg_constraint k
JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attname = 'state'
WHERE k.conrelid = :table::bigint::oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
UNION ALL
SELECT :type::text, format(
    'SELECT string_agg(t.state, %L) FROM unnest(%L::text[]) t (state) '
    'WHERE t.state::%s::text <> t.state', ', ', :states::text, :type::text)
WHERE :type::text LIKE 'char%'
UNION ALL
SELECT :type::text, format(
    'SELECT string_agg(t.state, %L) FROM unnest(%L::text[]) t (state) WHERE NOT EXISTS (SELECT '
    'FROM pg_enum e WHERE e.enumtypid = %L::regtype
        AND e.enumlabel = t.state)', ', ', :states::text,
    :type::text)
FROM pg_type y
WHERE y.oid = to_regtype(:type::text) AND y.typtype = 'e'
ORDER BY 1;

-- name: table_strange_trigger(table, triggers, functions, schema)
-- Triggers that have names of ours and call functions that do not. :table the table's oid,
-- :triggers our names of triggers, :functions our names of functions.
SELECT quote_ident(t.tgname::text) AS trigger
FROM pg_trigger t
JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid = :table::bigint::oid
    AND NOT t.tgisinternal
    AND t.tgname = ANY (:triggers::text[])
    AND NOT (p.proname = ANY (:functions::text[])
    AND p.pronamespace = to_regnamespace(quote_ident(:schema)))
ORDER BY t.tgname;

-- name: table_columns
-- :table the table's oid.
SELECT a.attname::text AS name, format_type(a.atttypid, NULL) AS type, a.attnotnull AS not_null,
       pg_get_expr(d.adbin, d.adrelid) AS "default",
       COALESCE(to_jsonb(a) ->> 'attgenerated', '') <> '' AS generated
FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = :table::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;

-- name: table_primary_key
ALTER TABLE /*table*/public.task ADD CONSTRAINT /*pkey*/task_pkey PRIMARY KEY (id);

-- name: table_sequence
-- What bigserial makes, for a column id that has lost it.
CREATE SEQUENCE IF NOT EXISTS /*sequence*/public.task_id_seq;

-- name: sequence_strange(sequence, table)
-- Whether that name is already the one of another object, or of a sequence that belongs to no or to
-- another column. :sequence the sequence's name, quoted, :table the table's oid.
SELECT to_regclass(:sequence) IS NOT NULL
    AND NOT EXISTS (
        SELECT
        FROM pg_depend d
        JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass
            AND d.objid = to_regclass(:sequence)
            AND d.refclassid = 'pg_class'::regclass
            AND d.refobjid = :table::bigint::oid
            AND d.deptype IN ('a', 'i')
            AND a.attname = 'id');

-- name: sequence_forward
-- New numbers lie behind those that are there. :sequence the sequence's name, quoted.
SELECT setval(:sequence::regclass, GREATEST(max(t.id),
    pg_sequence_last_value(:sequence::regclass), 1))
FROM /*table*/public.task t;

-- name: sequence_use(table, sequence)
-- The statements that join the two; the sequence goes with the table where they have one owner.
-- :table the table's name, :sequence the sequence's, both quoted.
SELECT format(
    'ALTER TABLE %s ALTER COLUMN id SET DEFAULT nextval(%L::regclass)', :table::text,
        :sequence::text
) AS statement
UNION ALL
SELECT format('ALTER SEQUENCE %s OWNED BY %s.id', :sequence::text, :table::text)
FROM pg_class t
JOIN pg_class s ON s.relowner = t.relowner
WHERE t.oid = :table::regclass AND s.oid = :sequence::regclass;

-- name: column_details
-- :table the table's oid.
SELECT a.attname::text AS name, a.attnotnull AS not_null,
       EXISTS (
           SELECT
           FROM pg_index i
           WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS keyed,
       a.atthasdef OR a.attidentity <> '' AS numbered,
       col_description(a.attrelid, a.attnum) IS NOT NULL AS described
FROM pg_attribute a
WHERE a.attrelid = :table::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT '', false, false, false, obj_description(:table::bigint::oid, 'pg_class') IS NOT NULL;

-- name: table_details
-- Constraints and indexes by name, and whether id is a key. :table the table's oid.
SELECT (
    SELECT array_agg(conname::text)
    FROM pg_constraint
    WHERE conrelid = :table::bigint::oid) AS constraints,
    (SELECT array_agg(c.relname::text) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = :table::bigint::oid AND i.indisvalid) AS indexes,
       EXISTS (
           SELECT
           FROM pg_index i
           JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
               WHERE i.indrelid = :table::bigint::oid
                   AND i.indisunique
                   -- A key of partitions has their column in it. The sequence keeps ids apart.
                   AND (COALESCE((to_jsonb(i) ->> 'indnkeyatts')::integer, i.indnatts) = 1
                       OR i.indrelid IN (SELECT p.partrelid FROM pg_partitioned_table p))
                   AND i.indpred IS NULL
                   AND a.attname = 'id') AS id_is_key;

-- name: table_trigger(table, function, trigger)
-- A trigger of ours, if it is there: whether it always fires, and calls our function. :table the
-- table's oid, :function the function with its parentheses.
SELECT t.tgenabled = 'A' AND t.tgfoid = to_regprocedure(:function) AS working
FROM pg_trigger t
WHERE t.tgrelid = :table::bigint::oid AND NOT t.tgisinternal AND t.tgname = :trigger;

-- name: table_function(signature, text, definer, table)
-- A function of ours, if it is there: whether it is the one that we would make, whether a trigger
-- of the table calls it, and whether its owner owns the table or could become the scheduler's role.
-- :signature its name and the types of its parameters, :definer whether it has the rights of its
-- owner, :table the table's oid.
SELECT p.prosrc = :text::text
           AND p.prosecdef = :definer::boolean
           AND p.proconfig IS NOT DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp']
           AND l.lanname = 'plpgsql' AS same,
       EXISTS (
           SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = p.oid) AS called,
       quote_ident(pg_get_userbyid(p.proowner)::text) AS owner,
       quote_ident(current_user::text) AS role,
       p.proowner = c.relowner
           OR EXISTS (SELECT FROM pg_roles r
                      WHERE r.oid = p.proowner
                          AND pg_has_role(r.oid, current_user, 'MEMBER')) AS trusted
FROM pg_proc p
JOIN pg_language l ON l.oid = p.prolang
JOIN pg_class c ON c.oid = :table::bigint::oid
WHERE p.oid = to_regprocedure(:signature);

-- name: schema_creators
-- Which roles may create objects in the schema of the table, though they could not become the
-- scheduler's role.
SELECT CASE a.grantee
    WHEN 0 THEN 'PUBLIC'
    ELSE quote_ident(pg_get_userbyid(a.grantee)::text) END AS grantee
FROM pg_namespace n
CROSS JOIN LATERAL aclexplode(COALESCE(n.nspacl, acldefault('n', n.nspowner))) a
WHERE n.nspname = :schema AND a.privilege_type = 'CREATE'
AND NOT EXISTS (
    SELECT FROM pg_roles r
    WHERE r.oid = a.grantee
    AND (pg_has_role(r.oid, current_user, 'MEMBER')
         OR r.rolname = 'pg_database_owner' AND pg_has_role(
             (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()),
             current_user, 'MEMBER')))
ORDER BY grantee;

-- name: schema_role_of_same_name
-- Whether unqualified names of this role lead into the schema howdah, where Howdah's own tables
-- are.
SELECT current_user = 'howdah' AND strpos(current_setting('search_path'), '$user') > 0 AS named;

-- name: table_privileges(table, name)
-- What the scheduler's role lacks to keep a table that is not its own; the sequence is for repeats.
-- :table the table's oidquoted.
SELECT string_agg(p.privilege, ', ' ORDER BY p.privilege) || ' ON ' || :name::text AS lacking
FROM unnest(ARRAY['DELETE', 'INSERT', 'SELECT', 'UPDATE']) p (privilege)
WHERE NOT has_table_privilege(:table::bigint::oid, p.privilege)
HAVING count(*) > 0
UNION ALL
SELECT 'USAGE ON SEQUENCE ' || s.name
FROM pg_get_serial_sequence(:name::text, 'id') s (name)
WHERE s.name IS NOT NULL AND NOT has_sequence_privilege(s.name, 'USAGE');

-- name: settings_without_effect
-- Settings of the extension for its workers and their polls, as far as this session has them: null
-- where there are none.
SELECT string_agg(s.name, ', ' ORDER BY s.name) AS names
FROM unnest(ARRAY[
    'pg_conf.close', 'pg_conf.fetch', 'pg_conf.max', 'pg_conf.restart', 'pg_task.data',
    'pg_task.fetch', 'pg_task.json', 'pg_task.limit', 'pg_task.plan', 'pg_task.spi', 'pg_task.user',
    'pg_work.close', 'pg_work.fetch', 'pg_work.restart']) s (name)
WHERE current_setting(s.name, true) <> '';
