-- The tables of processes. Do not write to them directly: use the library.

-- Namespaces --------------------------------------------------------------------------------------

CREATE TABLE howdah_internal.process_namespace (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 200),
    outbox boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE howdah_internal.process_namespace IS
    'Kinds of processes: each has a processor of its own.';
COMMENT ON COLUMN howdah_internal.process_namespace.outbox IS
    'whether the nodes that process it write notices; a repair without the processor does so then';

-- Processes ---------------------------------------------------------------------------------------

CREATE SEQUENCE howdah_internal.process_task_id;

-- The columns that change with each step of a chain are in no index: such an update touches one
-- page of this table and nothing else.
CREATE TABLE howdah_internal.process (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace integer NOT NULL,
    node integer,
    queued integer NOT NULL DEFAULT 0,
    lane smallint NOT NULL DEFAULT 0,
    lost boolean NOT NULL DEFAULT false,
    timer_attempts smallint NOT NULL DEFAULT 0,
    turn bigint NOT NULL DEFAULT 0,
    task bigint,
    due_at timestamptz,
    taken timestamptz,
    last_event bigint NOT NULL DEFAULT 0,
    corrupted_by bigint,
    timer_at timestamptz,
    timer_task bigint,
    timer_interval bigint NOT NULL DEFAULT 0,
    created timestamptz NOT NULL DEFAULT now(),
    status_changed timestamptz NOT NULL DEFAULT now(),
    id text NOT NULL CHECK (id <> '' AND length(id) <= 256),
    status text NOT NULL CHECK (status IN ('init', 'running', 'error')),
    previous_status text NOT NULL CHECK (previous_status IN ('init', 'running', 'error')),
    timer_type text CHECK (timer_type IN ('timeout', 'remove')),
    timer_context bytea,
    detail text,
    metadata jsonb,
    aux_state bytea
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX process_id ON howdah_internal.process (namespace, id);
CREATE INDEX process_due ON howdah_internal.process (namespace, lane, due_at)
    WHERE due_at IS NOT NULL;
CREATE INDEX process_worked ON howdah_internal.process (node) WHERE node IS NOT NULL;
CREATE INDEX process_broken ON howdah_internal.process (namespace, id) WHERE status = 'error';
COMMENT ON COLUMN howdah_internal.process.node IS 'the node that works on it; NULL: none';
COMMENT ON COLUMN howdah_internal.process.queued IS
    'calls and the like that are accepted and not ended, the one that runs included';
COMMENT ON COLUMN howdah_internal.process.lane IS
    '0: a call waits, 1: its timer does, 2: there is nothing to do, since due_at';
COMMENT ON COLUMN howdah_internal.process.lost IS 'whether its node crashed while it worked on it';
COMMENT ON COLUMN howdah_internal.process.turn IS
    'names one claim: random when a node takes the process, one more with each step; what is '
    'written under another turn is refused';
COMMENT ON COLUMN howdah_internal.process.task IS
    'the task that runs, or ran when its node crashed';
COMMENT ON COLUMN howdah_internal.process.due_at IS
    'when a node has to take it; NULL: a node works on it, or there is nothing to do';
COMMENT ON COLUMN howdah_internal.process.timer_task IS
    'the id of the timer; equal to corrupted_by if it broke the process, and does not run again';
COMMENT ON COLUMN howdah_internal.process.timer_interval IS
    'after how many microseconds it is tried again, this time';

CREATE TABLE howdah_internal.process_task (
    process bigint NOT NULL,
    id bigint NOT NULL,
    token bigint,
    scheduled timestamptz NOT NULL,
    started timestamptz,
    finished timestamptz,
    retry_interval bigint NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0,
    backward boolean,
    range_offset bigint,
    range_limit bigint,
    caller integer,
    type text NOT NULL CHECK (type IN ('init', 'call', 'notify', 'repair', 'timeout', 'remove')),
    status text NOT NULL CHECK (status IN ('waiting', 'finished', 'error', 'cancelled')),
    args bytea,
    context bytea,
    response bytea,
    error text,
    key text,
    trace text,
    PRIMARY KEY (process, id)
);
CREATE INDEX process_task_open ON howdah_internal.process_task (process, id) WHERE finished IS NULL;
COMMENT ON TABLE howdah_internal.process_task IS
    'Requests to processes and their results. A timer comes here when it has run.';
COMMENT ON COLUMN howdah_internal.process_task.token IS
    'random: a caller takes the answer of this request only, whatever has the same id after a '
    'failover that lost WAL or after a restore; NULL: a timer';
COMMENT ON COLUMN howdah_internal.process_task.backward IS
    'the history that was asked for: NULL: what the processor usually sees';
COMMENT ON COLUMN howdah_internal.process_task.caller IS
    'the node where a caller waits for the answer';
COMMENT ON COLUMN howdah_internal.process_task.error IS 'the answer is this error';
COMMENT ON COLUMN howdah_internal.process_task.trace IS
    'the context of traces in which it was asked for';

CREATE TABLE howdah_internal.process_key (
    namespace integer NOT NULL,
    key text NOT NULL,
    process bigint NOT NULL,
    task bigint NOT NULL,
    request bytea NOT NULL,
    PRIMARY KEY (namespace, key)
);
CREATE INDEX process_key_process ON howdah_internal.process_key (process);
COMMENT ON TABLE howdah_internal.process_key IS 'Requests that are not to be carried out twice.';
COMMENT ON COLUMN howdah_internal.process_key.request IS 'a digest: a key stands for one request';

CREATE TABLE howdah_internal.process_event (
    process bigint NOT NULL,
    id bigint NOT NULL,
    task bigint NOT NULL,
    at timestamptz NOT NULL,
    metadata jsonb,
    payload bytea NOT NULL,
    PRIMARY KEY (process, id)
);
COMMENT ON TABLE howdah_internal.process_event IS 'The history of processes.';

CREATE TABLE howdah_internal.process_reply (
    task bigint PRIMARY KEY,
    token bigint,
    at timestamptz NOT NULL DEFAULT now(),
    response bytea,
    error text
);
COMMENT ON TABLE howdah_internal.process_reply IS
    'Answers of processes that are gone, for callers that ask; kept for a few minutes.';
COMMENT ON COLUMN howdah_internal.process_reply.token IS 'that of the request';

-- Removed and archived processes ------------------------------------------------------------------

CREATE TABLE howdah_internal.process_gone (
    number bigint PRIMARY KEY,
    archive boolean NOT NULL
);
COMMENT ON TABLE howdah_internal.process_gone IS
    'Removed processes whose remaining rows are too many to be deleted with them at once.';

CREATE TABLE howdah.process_archive (
    number bigint PRIMARY KEY,
    namespace integer NOT NULL,
    last_event bigint NOT NULL,
    created timestamptz NOT NULL,
    finished timestamptz NOT NULL,
    archived timestamptz NOT NULL DEFAULT now(),
    id text NOT NULL,
    metadata jsonb,
    aux_state bytea
);
CREATE INDEX process_archive_id ON howdah.process_archive (namespace, id);
COMMENT ON TABLE howdah.process_archive IS
    'Processes that were finished. Howdah does not read or delete these rows: they are yours.';

CREATE TABLE howdah.process_archive_event (
    process bigint NOT NULL,
    id bigint NOT NULL,
    task bigint NOT NULL,
    at timestamptz NOT NULL,
    metadata jsonb,
    payload bytea NOT NULL,
    PRIMARY KEY (process, id)
);
COMMENT ON TABLE howdah.process_archive_event IS
    'The histories of archived processes, which follow a moment later.';

-- Notices -----------------------------------------------------------------------------------------

CREATE TABLE howdah_internal.process_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace integer NOT NULL,
    held boolean NOT NULL DEFAULT false,
    process text NOT NULL,
    at timestamptz NOT NULL,
    event bigint,
    kind text NOT NULL CHECK (kind IN ('event', 'created', 'failed', 'repaired', 'removed')),
    detail text,
    metadata jsonb,
    payload bytea
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- Not id itself: the primary key would serve the order, and has the rows of all namespaces and
-- those that are held.
CREATE INDEX process_outbox_next ON howdah_internal.process_outbox (namespace, (id + 0))
    WHERE NOT held;
CREATE INDEX process_outbox_held ON howdah_internal.process_outbox (namespace, process, id)
    WHERE held;
COMMENT ON TABLE howdah_internal.process_outbox IS
    'Notices to publish, written with the step that they are of; in order for each process.';
COMMENT ON COLUMN howdah_internal.process_outbox.held IS
    'its process is in process_held: it is not published before an operator has decided';

CREATE TABLE howdah.process_held (
    namespace integer NOT NULL,
    notice bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    process text NOT NULL,
    reason text NOT NULL,
    decision text CHECK (decision IN ('again', 'skip')),
    PRIMARY KEY (namespace, process)
);
COMMENT ON TABLE howdah.process_held IS
    'Processes with a notice that the receiver refuses for good; later notices wait behind it.';
COMMENT ON COLUMN howdah.process_held.decision IS
    'again: it is tried once more, skip: it is given up; NULL: an operator has to decide';

CREATE FUNCTION howdah_internal.process_ring()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog
AS $howdah$
BEGIN
    PERFORM pg_notify('howdah_process_outbox', NEW.namespace::text);
    RETURN NULL;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.process_ring() IS 'Wakes the node that publishes a namespace.';
REVOKE ALL ON FUNCTION howdah_internal.process_ring() FROM PUBLIC;

-- The condition is evaluated for each row, and calls the function only while the node that
-- publishes the namespace sleeps, for which it holds that lock. A transaction that gets the lock
-- here keeps it up to its commit, so that the node does not fall asleep in between.
CREATE TRIGGER process_ring AFTER INSERT ON howdah_internal.process_outbox
    FOR EACH ROW WHEN (NOT pg_try_advisory_xact_lock_shared(1215264886, NEW.namespace))
    EXECUTE FUNCTION howdah_internal.process_ring();

CREATE VIEW howdah.processes AS
SELECT n.name AS namespace, p.id, p.status, p.detail, p.created, p.status_changed, p.node,
    CASE WHEN p.due_at IS NOT NULL THEN
        CASE p.lane WHEN 0 THEN 'call' WHEN 1 THEN 'timer' ELSE 'removal' END END AS waits_for,
    p.due_at
FROM howdah_internal.process p
JOIN howdah_internal.process_namespace n ON n.id = p.namespace;
COMMENT ON VIEW howdah.processes IS
    'The processes, and what each waits for since due_at: a call, its timer, or, with nothing to '
    'do, its removal.';

CREATE VIEW howdah.process_notices AS
SELECT n.name AS namespace,
    (
        SELECT count(*)
        FROM (
            SELECT
            FROM howdah_internal.process_outbox o
            WHERE o.namespace = n.id AND NOT o.held
            LIMIT 100000
        ) AS few
    ) AS waiting,
    (
        SELECT o.at
        FROM howdah_internal.process_outbox o
        WHERE o.namespace = n.id AND NOT o.held
        ORDER BY o.id + 0
        LIMIT 1
    ) AS oldest,
    (
        SELECT count(*)
        FROM howdah.process_held h
        WHERE h.namespace = n.id
    ) AS held_processes,
    (
        SELECT count(*)
        FROM (
            SELECT
            FROM howdah_internal.process_outbox o
            WHERE o.namespace = n.id AND o.held
            LIMIT 100000
        ) AS few
    ) AS held
FROM howdah_internal.process_namespace n;
COMMENT ON VIEW howdah.process_notices IS
    'Notices that are not published yet, counted up to 100,000; held: an operator has to decide.';

-- Why a process does nothing ----------------------------------------------------------------------

-- With the privileges of the caller. Reads by key and locks nothing.
CREATE FUNCTION howdah.why_process(namespace text, id text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH asked AS MATERIALIZED (
        SELECT p.*, n.name AS called
        FROM howdah_internal.process_namespace n
        JOIN howdah_internal.process p ON p.namespace = n.id AND p.id = $2
        WHERE n.name = $1
    ), node AS MATERIALIZED (
        SELECT d.id, 'node ' || d.id || ' (' || d.name || ')' AS called,
            d.serves -> 'process' AS serves,
            EXISTS (
                SELECT
                FROM pg_locks l
                WHERE l.locktype = 'advisory'
                    AND l.classid = 1215264874
                    AND l.objid::bigint = d.id
                    AND l.objsubid = 2
                    AND l.granted
                    AND l.database = (
                        SELECT b.oid
                        FROM pg_database b
                        WHERE b.datname = current_database())) AS alive
        FROM howdah_internal.node d
        WHERE d.features @> '{process}'
    ), due AS (
        SELECT a.*
        FROM asked a
        WHERE a.node IS NULL AND a.lane < 2 AND a.due_at <= clock_timestamp()
    ), serving AS (
        SELECT d.*, (d.serves ->> $1)::integer AS slots
        FROM node d
        WHERE d.alive AND d.serves ? $1
    ), cause AS (
        SELECT 1 AS n, 'standby' AS code,
            'This server is a standby: no process moves here.' AS sentence,
            '{}'::jsonb AS detail, 'Ask the primary.' AS remedy
        WHERE pg_is_in_recovery()
        UNION ALL
        SELECT 2, 'unknown',
            CASE WHEN EXISTS (SELECT FROM howdah_internal.process_namespace n WHERE n.name = $1)
                THEN 'There is no process "' || $2 || '" in namespace "' || $1 || '".'
                ELSE 'There is no namespace "' || $1 || '".' END, '{}', NULL
        WHERE NOT EXISTS (SELECT FROM asked)
            AND NOT EXISTS (
                SELECT
                FROM howdah.process_archive r
                JOIN howdah_internal.process_namespace n ON n.id = r.namespace
                WHERE n.name = $1 AND r.id = $2)
        UNION ALL
        (
            SELECT 2, 'ended',
                'It was finished at ' || to_char(r.finished, 'YYYY-MM-DD HH24:MI:SSTZH:TZM')
                    || ', and is in the archive.', jsonb_build_object('finished', r.finished), NULL
            FROM howdah.process_archive r
            JOIN howdah_internal.process_namespace n ON n.id = r.namespace
            WHERE n.name = $1 AND r.id = $2 AND NOT EXISTS (SELECT FROM asked)
            ORDER BY r.finished DESC
            LIMIT 1)
        UNION ALL
        SELECT 3, 'broken',
            'It is broken since ' || to_char(a.status_changed, 'YYYY-MM-DD HH24:MI:SSTZH:TZM')
                || ': ' || COALESCE(a.detail, 'no detail was written') || '.',
            jsonb_build_object('since', a.status_changed, 'detail', a.detail),
            'Repair it, when the cause is mended.'
        FROM asked a
        WHERE a.status = 'error' AND a.node IS NULL
        UNION ALL
        SELECT 4, CASE WHEN d.alive THEN 'runs' ELSE 'node-died' END,
            CASE WHEN d.alive THEN 'A step of it runs on ' || d.called || ' since '
                    || to_char(a.taken, 'YYYY-MM-DD HH24:MI:SSTZH:TZM') || '.'
                ELSE 'Node ' || a.node || ' had it, and is dead: another node takes it within '
                    'seconds, or the next one that starts.' END,
            jsonb_build_object('node', a.node, 'since', a.taken, 'turn', a.turn), NULL
        FROM asked a
        LEFT JOIN node d ON d.id = a.node
        WHERE a.node IS NOT NULL
        UNION ALL
        SELECT 5, 'no-node',
            'No living node works namespace "' || $1 || '".',
            jsonb_build_object('queued', a.queued),
            'Start a program with a processor of namespace "' || $1 || '".'
        FROM asked a
        WHERE a.node IS NULL
            AND a.lane < 2
            AND NOT EXISTS (
                SELECT
                FROM node d
                WHERE d.alive AND (d.serves IS NULL OR d.serves ? $1))
        UNION ALL
        SELECT 6, 'timer',
            'It waits for its timer (' || a.timer_type || '), due at '
                || to_char(a.timer_at, 'YYYY-MM-DD HH24:MI:SSTZH:TZM') || '.',
            jsonb_build_object('timer', a.timer_type, 'at', a.timer_at), NULL
        FROM asked a
        WHERE a.node IS NULL AND a.lane = 1 AND a.due_at > clock_timestamp()
        UNION ALL
        SELECT 7, 'retrying',
            'Its next step is due at ' || to_char(a.due_at, 'YYYY-MM-DD HH24:MI:SSTZH:TZM') || '.',
            jsonb_build_object('due_at', a.due_at), NULL
        FROM asked a
        WHERE a.node IS NULL AND a.lane = 0 AND a.due_at > clock_timestamp()
        UNION ALL
        SELECT 8, 'idle', 'It has nothing to do: no timer, no call.', '{}', NULL
        FROM asked a
        WHERE a.node IS NULL AND a.status <> 'error' AND (a.lane = 2 OR a.due_at IS NULL)
        UNION ALL
        SELECT 9, 'busy',
            'All ' || b.slots || ' slots of the nodes that work namespace "' || $1 || '" are busy.',
            jsonb_build_object('slots', b.slots), 'Start more nodes, or raise their concurrency.'
        FROM due a
        CROSS JOIN (
            SELECT sum(s.slots) AS slots, bool_and((
                    SELECT count(*)
                    FROM (
                        SELECT
                        FROM howdah_internal.process o
                        WHERE o.node = s.id AND o.namespace = (SELECT a.namespace FROM asked a)
                        LIMIT s.slots) f) >= s.slots) AS full_up
            FROM serving s) b
        WHERE b.full_up
        UNION ALL
        SELECT 10, 'behind',
            CASE WHEN b.n > 10000 THEN 'More than 10000 processes go'
                WHEN b.n = 1 THEN 'One process goes'
                ELSE b.n || ' processes go' END || ' before it: they were due earlier.',
            jsonb_build_object('processes', LEAST(b.n, 10000)), NULL
        FROM due a
        CROSS JOIN LATERAL (
            SELECT count(*) AS n
            FROM (
                SELECT
                FROM howdah_internal.process o
                WHERE o.namespace = a.namespace AND o.lane = a.lane AND o.due_at < a.due_at
                LIMIT 10001) f) b
        WHERE b.n > 0
        UNION ALL
        SELECT 11, 'timer-blocked',
            'Its timer (' || a.timer_type || ') waits until ' || a.queued
                || CASE WHEN a.queued = 1 THEN ' call has' ELSE ' calls have' END || ' ended.',
            jsonb_build_object('timer', a.timer_type, 'queued', a.queued), NULL
        FROM asked a
        WHERE a.timer_type IS NOT NULL AND a.queued > 0 AND a.status <> 'error'
        UNION ALL
        SELECT 12, 'notice-held',
            'Its notices are held since ' || to_char(h.since, 'YYYY-MM-DD HH24:MI:SSTZH:TZM')
                || ': ' || h.reason || '.',
            jsonb_build_object('since', h.since, 'notice', h.notice),
            'Decide whether the notice is tried again or skipped.'
        FROM asked a
        JOIN howdah.process_held h ON h.namespace = a.namespace AND h.process = a.id
    )
    SELECT c.code, c.sentence, c.detail, c.remedy
    FROM (
        SELECT c.*
        FROM cause c
        UNION ALL
        SELECT 99, 'due',
            'It is due since ' || to_char(a.due_at, 'YYYY-MM-DD HH24:MI:SSTZH:TZM')
                || ', and nothing known stands in its way.', jsonb_build_object('due_at', a.due_at),
            NULL
        FROM due a
        WHERE NOT EXISTS (SELECT FROM cause c WHERE c.n < 11)) c
    WHERE c.n = 1 OR NOT pg_is_in_recovery()
    ORDER BY c.n
$howdah$;
COMMENT ON FUNCTION howdah.why_process(text, text) IS
    'Why a process does nothing: the first row is the answer, further rows hold as well.';

-- Requests in the transaction of the caller -------------------------------------------------------

-- With the privileges of the owner: a role that could write to these tables could write any request
-- as any node, and any state. EXECUTE on these functions is all that a caller needs.

CREATE FUNCTION howdah_internal.process_asked(
    process bigint, task bigint, type text, args json, namespace integer, is_idle boolean)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    INSERT INTO howdah_internal.process_task (
        process, id, type, status, scheduled, args, token)
    VALUES (process_asked.process, process_asked.task, process_asked.type, 'waiting', now(),
        convert_to(COALESCE(process_asked.args, 'null')::text, 'UTF8'),
        (random() * 4611686018427387904)::bigint);
    -- As in request.sql: a node that is awake looks by itself.
    IF is_idle AND NOT pg_try_advisory_xact_lock_shared(1215264883, process_asked.namespace) THEN
        PERFORM pg_notify('howdah_process', process_asked.namespace::text);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.process_asked(bigint, bigint, text, json, integer, boolean) IS
    'Writes down what a process is asked for, and wakes a node.';
REVOKE ALL ON FUNCTION
    howdah_internal.process_asked(bigint, bigint, text, json, integer, boolean) FROM PUBLIC;

CREATE FUNCTION howdah_internal.process_namespace_id(name text)
RETURNS integer
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    found integer := (
        SELECT n.id
        FROM howdah_internal.process_namespace n
        WHERE n.name = process_namespace_id.name);
BEGIN
    IF found IS NULL THEN
        RAISE 'there is no namespace "%" of processes: nodes make it when they start', name
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN found;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.process_namespace_id(text) IS 'The number of a namespace.';
REVOKE ALL ON FUNCTION howdah_internal.process_namespace_id(text) FROM PUBLIC;

CREATE FUNCTION howdah_internal.start_process(namespace text, id text, args json DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    of_namespace CONSTANT integer :=
        howdah_internal.process_namespace_id(start_process.namespace);
    made howdah_internal.process;
BEGIN
    IF start_process.id IS NULL OR length(start_process.id) NOT BETWEEN 1 AND 256 THEN
        RAISE 'the id of a process has 1 to 256 characters, not %',
            COALESCE(length(start_process.id), 0)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO howdah_internal.process (
        namespace, id, status, previous_status, queued, task, due_at)
    VALUES (of_namespace, start_process.id, 'init', 'init', 1,
        nextval('howdah_internal.process_task_id'), now())
    ON CONFLICT DO NOTHING
    RETURNING * INTO made;
    IF made.number IS NULL THEN
        RETURN false;
    END IF;
    PERFORM howdah_internal.process_asked(
        made.number, made.task, 'init', start_process.args, of_namespace, true);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.start_process(text, text, json) IS
    'Creates a process in this transaction; its first step runs after the commit. False: there is '
    'one with that id.';

CREATE FUNCTION howdah_internal.notify_process(namespace text, id text, args json DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    of_namespace CONSTANT integer :=
        howdah_internal.process_namespace_id(notify_process.namespace);
    known howdah_internal.process;
    request bigint;
BEGIN
    SELECT p.* INTO known
    FROM howdah_internal.process p
    WHERE p.namespace = of_namespace AND p.id = notify_process.id
    FOR NO KEY UPDATE;
    IF known.number IS NULL THEN
        RAISE 'there is no process "%" in namespace "%"', notify_process.id,
            notify_process.namespace
            USING ERRCODE = 'no_data_found';
    ELSIF known.status <> 'running' THEN
        RAISE 'process "%" in namespace "%" is in status %, not running', notify_process.id,
            notify_process.namespace, known.status
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- Given while the process is locked: numbers are the order in which it accepts requests.
    request := nextval('howdah_internal.process_task_id');
    UPDATE howdah_internal.process p
    SET queued = p.queued + 1,
        due_at = CASE
            WHEN p.node IS NULL THEN CASE
                WHEN p.lane = 0 AND p.due_at IS NOT NULL THEN p.due_at
                ELSE now() END END,
        lane = CASE WHEN p.node IS NULL THEN 0 ELSE p.lane END
    WHERE p.number = known.number;
    PERFORM howdah_internal.process_asked(
        known.number, request, 'notify', notify_process.args, of_namespace, known.node IS NULL);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.notify_process(text, text, json) IS
    'Tells a process something in this transaction: a step, whose answer is not waited for, runs '
    'after the commit. An error, if there is no such process, or it is in error.';

SELECT howdah_internal.for_drivers('{start_process,notify_process}');

DO $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace IN ('howdah'::regnamespace, 'howdah_internal'::regnamespace)
            AND p.proname IN ('start_process', 'notify_process')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', each);
    END LOOP;
END
$howdah$;

INSERT INTO howdah.migration (feature, version, file)
VALUES ('process', 1, '001-process.sql');
