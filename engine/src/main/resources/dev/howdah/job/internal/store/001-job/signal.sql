-- Signals: what jobs are told while they last -----------------------------------------------------
--
-- A signal and the wait that it ends can be written at the same moment, by transactions that do not
-- see each other. So each leaves a mark in its own row (fresh); a node looks at marks of rows that
-- are committed, wakes the jobs whose waits have a signal, and clears the marks that it has
-- compared. Of a signal and a wait the one that commits later is compared with the other. A sender
-- only inserts: it locks no job and waits for none.

CREATE TABLE howdah_internal.job_signal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job bigint NOT NULL,
    name text NOT NULL CHECK (name <> '' AND length(name) <= 200),
    payload json NOT NULL,
    given text CHECK (given <> '' AND length(given) <= 200),
    once boolean NOT NULL DEFAULT false,
    sender text NOT NULL,
    sent timestamptz NOT NULL DEFAULT clock_timestamp(),
    fresh boolean NOT NULL DEFAULT true,
    read timestamptz,
    problem text,
    creates jsonb
);
CREATE INDEX job_signal_job ON howdah_internal.job_signal (job, name, id);
CREATE INDEX job_signal_fresh ON howdah_internal.job_signal (id) WHERE fresh;
CREATE INDEX job_signal_creates ON howdah_internal.job_signal (job)
    WHERE creates IS NOT NULL AND read IS NULL;
CREATE INDEX job_signal_unread ON howdah_internal.job_signal (job) WHERE read IS NULL;
CREATE INDEX job_signal_sent ON howdah_internal.job_signal (sent);
COMMENT ON TABLE howdah_internal.job_signal IS
    'Signals to jobs. They are kept as long as their jobs can come back.';
COMMENT ON COLUMN howdah_internal.job_signal.given IS
    'the id that the sender gave: of several signals to a job with one id the first one counts';
COMMENT ON COLUMN howdah_internal.job_signal.once IS
    'whether it counts only if it is the first one of its name to the job';
COMMENT ON COLUMN howdah_internal.job_signal.fresh IS
    'no node has yet looked whether a suspended job waits for it';
COMMENT ON COLUMN howdah_internal.job_signal.read IS 'when a wait has read it; NULL: none has';
COMMENT ON COLUMN howdah_internal.job_signal.problem IS
    'why it was set aside: its payload could not be read; NULL: it can be read';
COMMENT ON COLUMN howdah_internal.job_signal.creates IS
    'the job that is added to read it, if the one that has the key ends without having read it; '
    'NULL: none';

-- The signals to a job that a wait may read. Two that were sent at the same time with one id are
-- both there, and the second one counts for nothing.
CREATE FUNCTION howdah_internal.signals_unread(of_job bigint)
RETURNS SETOF howdah_internal.job_signal
LANGUAGE sql STABLE
AS $howdah$
    SELECT s.*
    FROM howdah_internal.job_signal s
    WHERE s.job = of_job
        AND s.read IS NULL
        AND s.problem IS NULL
        AND NOT EXISTS (
            SELECT
            FROM howdah_internal.job_signal o
            WHERE o.job = of_job
                AND o.id <> s.id
                AND (o.id < s.id OR o.read IS NOT NULL)
                AND (o.given = s.given OR s.once AND o.name = s.name))
$howdah$;

CREATE FUNCTION howdah_internal.signal(
    job bigint, name text, payload json DEFAULT 'null', id text DEFAULT NULL,
    once boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    found_state text;
    is_serializable CONSTANT boolean := current_setting('transaction_isolation') = 'serializable';
BEGIN
    PERFORM howdah_internal.check_name('signal', signal.name);
    IF signal.id = '' OR length(signal.id) > 200 THEN
        RAISE 'the id of a signal has 1 to 200 characters, not %', length(signal.id)
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF octet_length(signal.payload::text) > 65536 THEN
        RAISE 'the payload of signal "%" to job % has % bytes: it may have 65536 at most',
            signal.name, signal.job, octet_length(signal.payload::text)
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    -- One statement, hence one snapshot: a job is in one place at a time.
    IF NOT (
        EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = signal.job)
        OR EXISTS (
            SELECT
            FROM howdah_internal.batch b
            WHERE b.ended IS NULL
                AND b.first_id <= signal.job
                AND b.last_id >= signal.job
                AND signal.job = ANY (b.ids))
        OR EXISTS (SELECT FROM howdah_internal.ordered o WHERE o.id = signal.job)
        OR EXISTS (SELECT FROM howdah_internal.follower f WHERE f.id = signal.job)
        OR EXISTS (
            SELECT
            FROM howdah_internal.workflow_job w
            WHERE w.id = signal.job AND w.state = 'held')) THEN
        SELECT v.state INTO found_state FROM howdah.find(signal.job) v LIMIT 1;
        IF found_state IN ('waiting', 'running') THEN
            RAISE 'job % is an entry of a log queue, whose handler cannot wait', signal.job
                USING ERRCODE = 'feature_not_supported';
        END IF;
        RETURN CASE WHEN found_state IS NULL THEN 'unknown' ELSE 'ended' END;
    END IF;
    -- What a serializable transaction reads, and another one inserts, could be a conflict of both:
    -- a duplicate is then left out when it would be read.
    IF NOT is_serializable AND (signal.id IS NOT NULL OR signal.once) AND EXISTS (
        SELECT
        FROM howdah_internal.job_signal s
        WHERE s.job = signal.job
            AND (s.given = signal.id OR signal.once AND s.name = signal.name)) THEN
        RETURN 'duplicate';
    END IF;
    IF NOT is_serializable AND (
        SELECT count(*) >= 1000
        FROM (
            SELECT
            FROM howdah_internal.job_signal s
            WHERE s.job = signal.job AND s.read IS NULL
            LIMIT 1000) u) THEN
        RAISE 'job % has 1000 signals that it has not read: no more than 1000 are kept', signal.job
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    INSERT INTO howdah_internal.job_signal (job, name, payload, given, once, sender)
    VALUES (
        signal.job, signal.name, COALESCE(signal.payload, 'null'), signal.id, signal.once,
        COALESCE(NULLIF(current_setting('howdah.actor', true), ''), session_user));
    PERFORM howdah_internal.tell('howdah_job_signal', '');
    RETURN 'kept';
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.signal(bigint, text, json, text, boolean) IS
    'Signals a job: kept, until a wait of its handler reads it; duplicate, if the job has a signal '
    'with that id, or, with once, of that name; ended or unknown, and nothing is kept.';

CREATE FUNCTION howdah_internal.signal(
    queue text, kind text, key text, name text, payload json DEFAULT 'null', id text DEFAULT NULL,
    once boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    known howdah_internal.key;
BEGIN
    SELECT k.* INTO known
    FROM howdah_internal.lane l
    JOIN howdah_internal.key k ON k.queue = l.id
    WHERE l.queue = signal.queue
        AND COALESCE(l.kind, '') = ''
        AND l.home IS NULL
        AND k.kind = signal.kind
        AND k.key = signal.key;
    IF NOT FOUND THEN
        RETURN 'unknown';
    END IF;
    RETURN howdah_internal.signal(
        known.job, signal.name, signal.payload, signal.id, signal.once);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.signal(text, text, text, text, json, text, boolean) IS
    'Signals the job that has a key; unknown, if none has it.';

CREATE FUNCTION howdah.release_signals(job bigint)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    released bigint;
BEGIN
    UPDATE howdah_internal.job_signal s
    SET problem = NULL, fresh = true
    WHERE s.job = release_signals.job AND s.problem IS NOT NULL;
    GET DIAGNOSTICS released = ROW_COUNT;
    IF released > 0 THEN
        PERFORM howdah_internal.tell('howdah_job_signal', '');
    END IF;
    RETURN released;
END
$howdah$;
COMMENT ON FUNCTION howdah.release_signals(bigint) IS
    'Lets a job read the signals again that were set aside, because their payloads could not be '
    'read: how many. For a program with other classes.';

-- Wakes the jobs whose waits have a signal, or the end of a child or of another job, and clears the
-- marks that were compared. Waits for no
-- lock: what belongs to a job that another session holds is left for another time. Up to so many of
-- each kind of marks; waiting: how many were left because of locks.
CREATE FUNCTION howdah_internal.pair_signals(
    most integer, OUT looked bigint, OUT woken bigint, OUT waiting bigint)
LANGUAGE plpgsql
-- The plan that a session keeps is made while few jobs wait: for a short table it would read all of
-- it, and go on with that when it has grown.
SET enable_seqscan = off
AS $howdah$
DECLARE
    lanes integer[];
BEGIN
    WITH sent AS MATERIALIZED (
        SELECT s.id, s.job, s.name
        FROM howdah_internal.job_signal s
        WHERE s.fresh
        ORDER BY s.id
        LIMIT most
        FOR UPDATE SKIP LOCKED
    ), opened AS MATERIALIZED (
        SELECT r.job, r.name, r.ctid AS place
        FROM howdah_internal.job_record r
        WHERE r.fresh
        LIMIT most
        FOR UPDATE SKIP LOCKED
    ), ends AS MATERIALIZED (
        SELECT e.child, e.parent
        FROM howdah_internal.child_end e
        WHERE e.fresh
        LIMIT most
        FOR UPDATE SKIP LOCKED
    ), over AS MATERIALIZED (
        SELECT a.ctid AS place, a.waiter
        FROM howdah_internal.awaited_end a
        LIMIT most
        FOR UPDATE SKIP LOCKED
    ), looks AS MATERIALIZED (
        SELECT w.job, w.waiter
        FROM howdah_internal.awaited w
        WHERE w.look <= now()
        ORDER BY w.look
        LIMIT most
        FOR UPDATE SKIP LOCKED
    ), happened AS MATERIALIZED (
        SELECT e.id, e.topic, e.key, e.payload
        FROM howdah_internal.job_event e
        WHERE e.fresh
        ORDER BY e.id
        LIMIT most
        FOR UPDATE SKIP LOCKED
    ), meets AS MATERIALIZED (
        SELECT DISTINCT r.job
        FROM happened h
        CROSS JOIN LATERAL (
            SELECT o.job
            FROM howdah_internal.job_record o
            WHERE o.closed IS NULL
                AND o.name = h.topic
                AND o.event_key = h.key
                AND o.since < clock_timestamp()
                AND (o.filter IS NULL OR h.payload @> o.filter)
                AND EXISTS (
                    SELECT
                    FROM howdah_internal.job j
                    WHERE j.id = o.job
                        AND j.run_at > now()
                        AND j.more -> 'wait' ->> 'type' IN ('event', 'any'))
            LIMIT most) r
        LIMIT most
    ), met AS MATERIALIZED (
        SELECT s.job FROM sent s
        UNION
        SELECT o.job FROM opened o
        UNION
        SELECT e.parent FROM ends e
        UNION
        SELECT v.waiter FROM over v
        UNION
        SELECT l.waiter FROM looks l
        UNION
        SELECT m.job FROM meets m
    ), seen AS MATERIALIZED (
        SELECT j.id
        FROM met m
        CROSS JOIN LATERAL (
            SELECT o.id, o.more -> 'wait' AS wait
            FROM howdah_internal.job o
            WHERE o.id = m.job AND o.run_at > now() AND o.more -> 'wait' IS NOT NULL
            OFFSET 0) j
        WHERE CASE
            WHEN j.wait ->> 'type' = 'signal' THEN EXISTS (
                SELECT FROM howdah_internal.signals_unread(j.id) u WHERE u.name = j.wait ->> 'name')
            WHEN j.wait ->> 'type' IN ('any', 'child', 'event', 'job') THEN EXISTS (
                    SELECT
                    -- By the index of open waits for events those of all jobs would be read.
                    FROM (
                        SELECT o.*
                        FROM howdah_internal.job_record o
                        WHERE o.job = j.id
                        OFFSET 0) r
                    CROSS JOIN LATERAL howdah_internal.events_unread(
                        r.job, r.name, r.event_key, r.filter, r.since) e
                    WHERE r.event_key IS NOT NULL AND r.closed IS NULL)
                OR EXISTS (
                    SELECT
                    FROM jsonb_array_elements_text(j.wait -> 'jobs') AS t (job)
                    -- A job that was deleted is not there.
                    WHERE NOT EXISTS (
                        SELECT
                        FROM howdah.find(t.job::bigint) f
                        WHERE f.state NOT IN ('done', 'failed', 'cancelled')))
                OR EXISTS (
                    SELECT
                    FROM howdah_internal.signals_unread(j.id) u
                    WHERE j.wait -> 'signals' ? u.name)
                OR EXISTS (
                    SELECT
                    FROM jsonb_array_elements_text(j.wait -> 'children') AS c (child)
                    JOIN howdah_internal.child_end e ON e.child = c.child::bigint)
            WHEN j.wait ->> 'type' = 'children' THEN NOT EXISTS (
                SELECT
                FROM (
                    SELECT o.*
                    FROM howdah_internal.job_record o
                    WHERE o.job = j.id
                    OFFSET 0) r
                WHERE r.child IS NOT NULL
                    AND COALESCE(j.wait -> 'children' @> to_jsonb(r.child), true)
                    AND NOT EXISTS (
                        SELECT FROM howdah_internal.child_end e WHERE e.child = r.child))
            ELSE false END
    ), held AS MATERIALIZED (
        SELECT j.id, j.ctid AS place
        FROM howdah_internal.job j
        WHERE j.id = ANY (ARRAY(SELECT e.id FROM seen e))
        FOR UPDATE SKIP LOCKED
    ), moved AS (
        UPDATE howdah_internal.job j
        SET run_at = now()
        WHERE j.ctid = ANY (ARRAY(SELECT h.place FROM held h))
        RETURNING j.id, j.lane
    ), busy AS MATERIALIZED (
        SELECT e.id FROM seen e WHERE e.id <> ALL (ARRAY(SELECT h.id FROM held h))
    ), compared AS (
        UPDATE howdah_internal.job_signal s
        SET fresh = false
        WHERE s.id = ANY (ARRAY(
            SELECT t.id FROM sent t WHERE t.job <> ALL (ARRAY(SELECT b.id FROM busy b))))
    ), known AS (
        UPDATE howdah_internal.job_record r
        SET fresh = false
        WHERE r.ctid = ANY (ARRAY(
            SELECT o.place FROM opened o WHERE o.job <> ALL (ARRAY(SELECT b.id FROM busy b))))
    ), told AS (
        UPDATE howdah_internal.child_end e
        SET fresh = false
        WHERE e.child = ANY (ARRAY(
            SELECT n.child FROM ends n WHERE n.parent <> ALL (ARRAY(SELECT b.id FROM busy b))))
    ), over_now AS (
        -- There may be more jobs that wait for one of these.
        UPDATE howdah_internal.job_event e
        SET fresh = false
        WHERE e.id = ANY (ARRAY(SELECT h.id FROM happened h))
            AND (SELECT count(*) FROM meets) < most
            AND NOT EXISTS (SELECT FROM busy b JOIN meets m ON m.job = b.id)
    ), unmarked AS (
        DELETE FROM howdah_internal.awaited_end a
        WHERE a.ctid = ANY (ARRAY(
            SELECT v.place FROM over v WHERE v.waiter <> ALL (ARRAY(SELECT b.id FROM busy b))))
    ), later AS (
        UPDATE howdah_internal.awaited w
        SET look = now() + GREATEST(interval '1 second', now() - w.noted)
        FROM looks l
        WHERE w.job = l.job AND w.waiter = l.waiter
    )
    SELECT GREATEST(
            (SELECT count(*) FROM sent), (SELECT count(*) FROM opened),
            (SELECT count(*) FROM ends), (SELECT count(*) FROM over),
            (SELECT count(*) FROM looks), (SELECT count(*) FROM happened),
            (SELECT count(*) FROM meets)),
        (SELECT count(*) FROM moved), (SELECT count(*) FROM busy),
        (SELECT array_agg(DISTINCT m.lane) FROM moved m)
    INTO looked, woken, waiting, lanes;
    PERFORM howdah_internal.ring(l.lane) FROM unnest(lanes) AS l (lane);
END
$howdah$;
