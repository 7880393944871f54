-- The tables of sweeps. The tables that are swept are not changed. Do not write here directly: use
-- the library.

CREATE TABLE howdah.sweep (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 200),
    definition jsonb NOT NULL,
    state text NOT NULL DEFAULT 'running'
        CHECK (state IN ('running', 'paused', 'stopped', 'done', 'failed')),
    runs integer NOT NULL DEFAULT 1,
    started timestamptz NOT NULL DEFAULT now(),
    ended timestamptz,
    total bigint,
    exact boolean NOT NULL DEFAULT false,
    done bigint NOT NULL DEFAULT 0,
    lost boolean NOT NULL DEFAULT false,
    stamp_key text[],
    stamped boolean NOT NULL DEFAULT false,
    throttle double precision CHECK (throttle > 0),
    hours text,
    resting_until timestamptz,
    resting_why text,
    error text,
    paused timestamptz,
    paused_by text
) WITH (fillfactor = 50);
COMMENT ON TABLE howdah.sweep IS
    'Sweeps over tables: their definitions and their progress.';
COMMENT ON COLUMN howdah.sweep.definition IS
    'the definition on which every process that joins has to agree';
COMMENT ON COLUMN howdah.sweep.runs IS
    'how often it was started, not counting processes that joined; a process of an earlier run '
    'does not end a later one';
COMMENT ON COLUMN howdah.sweep.started IS
    'the time that :started stands for, the same for all processes that join';
COMMENT ON COLUMN howdah.sweep.total IS
    'how many rows were to do at the start; NULL: not counted yet';
COMMENT ON COLUMN howdah.sweep.exact IS
    'whether total was counted; else it is the planner''s estimate';
COMMENT ON COLUMN howdah.sweep.lost IS
    'said by earlier versions, which counted less exactly';
COMMENT ON COLUMN howdah.sweep.stamp_key IS
    'the last key that the stamping has come to: rows of a run are stamped before the first of '
    'them is worked on';
COMMENT ON COLUMN howdah.sweep.stamped IS 'whether all rows of the run have been stamped';
COMMENT ON COLUMN howdah.sweep.throttle IS 'at most so many rows a second in all';
COMMENT ON COLUMN howdah.sweep.hours IS
    'times of the day at which rows are begun: 22:00-06:00 Europe/Berlin; NULL: at any time';
COMMENT ON COLUMN howdah.sweep.resting_until IS
    'until when no process begins a row, because the receiver has asked for that';
COMMENT ON COLUMN howdah.sweep.resting_why IS 'what the receiver has said';
COMMENT ON COLUMN howdah.sweep.error IS 'why it has failed';
COMMENT ON COLUMN howdah.sweep.paused IS 'since when it is paused; NULL: it is not';
COMMENT ON COLUMN howdah.sweep.paused_by IS
    'who paused it: the setting howdah.actor, or else the role of the session';

CREATE TABLE howdah_internal.sweep_process (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sweep integer NOT NULL REFERENCES howdah.sweep ON DELETE CASCADE,
    name text NOT NULL,
    entered timestamptz NOT NULL DEFAULT now(),
    workers integer NOT NULL,
    locks integer NOT NULL,
    held text
) WITH (fillfactor = 50);
CREATE INDEX sweep_process_sweep ON howdah_internal.sweep_process (sweep);
COMMENT ON TABLE howdah_internal.sweep_process IS
    'Processes that work on sweeps. Each holds the advisory lock (1215264890, id) while it runs.';
COMMENT ON COLUMN howdah_internal.sweep_process.locks IS
    'how many rows it may have locked at the same time';
COMMENT ON COLUMN howdah_internal.sweep_process.held IS 'why it pauses for a while; NULL: it works';

CREATE TABLE howdah_internal.sweep_worker (
    process integer NOT NULL REFERENCES howdah_internal.sweep_process ON DELETE CASCADE,
    worker integer NOT NULL,
    pid integer,
    backend_start timestamptz,
    done bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    marked bigint NOT NULL DEFAULT 0,
    rate double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (process, worker)
) WITH (fillfactor = 50);
COMMENT ON TABLE howdah_internal.sweep_worker IS
    'The counts of each worker of a process, and the session that holds the locks of its rows.';
-- Rows are counted in the statement that marks them: after a crash the count is that of the rows.
COMMENT ON COLUMN howdah_internal.sweep_worker.marked IS
    'rows marked by the worker, written with their marks, that done and sweep.done lack as yet';
-- A mark finds the row of its session.
CREATE INDEX sweep_worker_pid ON howdah_internal.sweep_worker (pid);

CREATE TABLE howdah.sweep_error (
    sweep integer NOT NULL REFERENCES howdah.sweep ON DELETE CASCADE,
    key text[] NOT NULL,
    error text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 1,
    retry_at timestamptz,
    PRIMARY KEY (sweep, key)
);
CREATE INDEX sweep_error_retry ON howdah.sweep_error (sweep, retry_at);
COMMENT ON TABLE howdah.sweep_error IS
    'Rows that have failed, by sweep and key; they are skipped.';
COMMENT ON COLUMN howdah.sweep_error.retry_at IS
    'when the row is tried again; NULL: only on request';

CREATE TABLE howdah_internal.sweep_run (
    sweep integer NOT NULL,
    place numeric NOT NULL,
    word text COLLATE "C" NOT NULL,
    key text[] COLLATE "C" NOT NULL
);
-- Under a publication FOR ALL TABLES a row of a table without a replica identity cannot be changed.
ALTER TABLE howdah_internal.sweep_run REPLICA IDENTITY FULL;
CREATE INDEX sweep_run_place ON howdah_internal.sweep_run (sweep, place, word, key);
COMMENT ON TABLE howdah_internal.sweep_run IS
    'Stamps of sweeps whose tables have no column for them: the rows of the run, in its order.';
COMMENT ON COLUMN howdah_internal.sweep_run.place IS
    'the value of the order, where that is a number or a time, else 0';
COMMENT ON COLUMN howdah_internal.sweep_run.word IS
    'the value of the order, where that is anything else';

CREATE TABLE howdah.sweep_history (
    name text NOT NULL REFERENCES howdah.sweep (name) ON DELETE CASCADE,
    generation integer NOT NULL CHECK (generation > 0),
    state text NOT NULL,
    started timestamptz NOT NULL,
    ended timestamptz,
    done bigint NOT NULL,
    failed bigint NOT NULL,
    PRIMARY KEY (name, generation)
);
COMMENT ON TABLE howdah.sweep_history IS
    'The last 1,000 generations of each sweep that have ended, written when the next one begins.';
COMMENT ON COLUMN howdah.sweep_history.state IS 'how it has ended: done, stopped or failed';
COMMENT ON COLUMN howdah.sweep_history.started IS 'the time that :started stood for';
COMMENT ON COLUMN howdah.sweep_history.failed IS 'how many rows had failed in the end';

CREATE TABLE howdah_internal.sweep_course (
    sweep integer NOT NULL REFERENCES howdah.sweep ON DELETE CASCADE,
    minute timestamptz NOT NULL,
    at timestamptz NOT NULL,
    done bigint NOT NULL,
    failed bigint NOT NULL,
    PRIMARY KEY (sweep, minute)
);
COMMENT ON TABLE howdah_internal.sweep_course IS
    'How far each sweep was in each minute in which it ran, of the last 35 days.';

-- Why a sweep does not go on. With the privileges of the caller; locks nothing.
CREATE FUNCTION howdah.why_sweep(name text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH asked AS MATERIALIZED (
        SELECT s.* FROM howdah.sweep s WHERE s.name = $1
    ), living AS MATERIALIZED (
        SELECT p.*
        FROM asked a
        JOIN howdah_internal.sweep_process p ON p.sweep = a.id
        WHERE EXISTS (
            SELECT
            FROM pg_locks l
            WHERE l.locktype = 'advisory'
                AND l.classid = 1215264890
                AND l.objid::bigint = p.id
                AND l.objsubid = 2
                AND l.granted
                AND l.database = (
                    SELECT b.oid FROM pg_database b WHERE b.datname = current_database()))
    ), cause AS (
        SELECT 1 AS n, 'standby' AS code,
            'This server is a standby: no sweep works here.' AS sentence,
            '{}'::jsonb AS detail, 'Ask the primary.' AS remedy
        WHERE pg_is_in_recovery()
        UNION ALL
        SELECT 2, 'unknown', 'There is no sweep "' || $1 || '".', '{}', NULL
        WHERE NOT EXISTS (SELECT FROM asked)
        UNION ALL
        SELECT 3, 'paused',
            'It is paused' || COALESCE(
                ' since ' || to_char(a.paused, 'YYYY-MM-DD HH24:MI:SSTZH:TZM'), '')
                || COALESCE(', by ' || a.paused_by, '') || '.',
            jsonb_build_object('since', a.paused, 'by', a.paused_by), 'Resume it.'
        FROM asked a
        WHERE a.state = 'paused'
        UNION ALL
        SELECT 4, CASE WHEN a.state = 'done' THEN 'ended' ELSE a.state END,
            CASE a.state
                WHEN 'done' THEN 'It is done since ' || COALESCE(w.ended, 'an unknown time') || '.'
                WHEN 'stopped'
                    THEN 'It was stopped at ' || COALESCE(w.ended, 'an unknown time') || '.'
                ELSE 'It has failed: ' || COALESCE(a.error, 'no error was written') || '.' END,
            jsonb_build_object('state', a.state, 'ended', a.ended, 'error', a.error),
            CASE WHEN a.state <> 'done' THEN 'Start it again: it goes on where it was.' END
        FROM asked a
        CROSS JOIN LATERAL (
            SELECT to_char(a.ended, 'YYYY-MM-DD HH24:MI:SSTZH:TZM') AS ended) w
        WHERE a.state IN ('done', 'stopped', 'failed')
        UNION ALL
        SELECT 5, 'no-process', 'No process works on it.', '{}',
            'Start it again with the same command or program.'
        FROM asked a
        WHERE a.state IN ('running', 'paused') AND NOT EXISTS (SELECT FROM living)
        UNION ALL
        SELECT 6, 'held',
            'Process ' || p.id || ' (' || p.name || ') pauses for a while: ' || p.held || '.',
            jsonb_build_object('process', p.id, 'held', p.held), NULL
        FROM living p
        WHERE p.held IS NOT NULL
        UNION ALL
        SELECT 7, 'stamping',
            'It stamps the rows of its run, and has come to ' || array_to_string(a.stamp_key, ', ')
                || '.',
            jsonb_build_object('key', to_jsonb(a.stamp_key)), NULL
        FROM asked a
        WHERE a.state = 'running' AND NOT a.stamped AND a.stamp_key IS NOT NULL
        UNION ALL
        SELECT 8, 'rows-failed',
            e.n || CASE WHEN e.n = 1 THEN ' row has failed and is'
                    ELSE ' rows have failed and are' END
                || ' tried again, the next at '
                || to_char(e.next_at, 'YYYY-MM-DD HH24:MI:SSTZH:TZM') || '.',
            jsonb_build_object('rows', e.n, 'next_at', e.next_at), NULL
        FROM asked a
        CROSS JOIN LATERAL (
            SELECT count(*) AS n, min(f.retry_at) AS next_at
            FROM (
                SELECT r.retry_at
                FROM howdah.sweep_error r
                WHERE r.sweep = a.id AND r.retry_at > clock_timestamp()
                ORDER BY r.retry_at
                LIMIT 1000) f) e
        WHERE a.state = 'running' AND e.n > 0
        UNION ALL
        SELECT 9, 'throttle', 'It works on at most ' || a.throttle || ' rows a second.',
            jsonb_build_object('throttle', a.throttle),
            'Change the limit while it runs: on its page, or with howdah sweep throttle.'
        FROM asked a
        WHERE a.state = 'running' AND a.throttle IS NOT NULL
        UNION ALL
        SELECT 10, 'runs',
            'It runs, with ' || l.workers
                || CASE WHEN l.workers = 1 THEN ' worker' ELSE ' workers' END
                || '; ' || a.done || ' rows are done.',
            jsonb_build_object('workers', l.workers, 'done', a.done), NULL
        FROM asked a
        CROSS JOIN (SELECT sum(p.workers) AS workers FROM living p) l
        WHERE a.state = 'running' AND l.workers IS NOT NULL
    )
    SELECT c.code, c.sentence, c.detail, c.remedy
    FROM cause c
    WHERE c.n = 1 OR NOT pg_is_in_recovery()
    ORDER BY c.n
$howdah$;
COMMENT ON FUNCTION howdah.why_sweep(text) IS
    'Why a sweep does not go on: the first row is the answer, further rows hold as well.';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('sweep', 1, '001-sweep.sql');
