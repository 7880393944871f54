-- Functions for operators -------------------------------------------------------------------------

-- Whether the handler of a job that waits is told in one more run that it is cancelled, and was not
-- yet.
CREATE FUNCTION howdah_internal.throws_cancel(more jsonb)
RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT COALESCE(more -> 'wait' ? 'throws' AND NOT more ? 'cancelling', false)
$howdah$;

-- Cancels a job that no node runs: cancelled; asked, where its handler is told first; NULL, if it
-- does not wait.
CREATE FUNCTION howdah_internal.cancel_waiting(id bigint, otherwise text)
RETURNS text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    in_lane integer;
BEGIN
    WITH gone AS (
        DELETE FROM howdah_internal.job j
        WHERE j.id = cancel_waiting.id AND NOT howdah_internal.throws_cancel(j.more)
        RETURNING j.*
    )
    INSERT INTO howdah_internal.failed (
        id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
    SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, g.attempt, g.deaths, g.run_at,
        COALESCE('cancelled while it waited for ' || howdah_internal.waits_for(g.more), otherwise),
        g.payload, g.more
    FROM gone g;
    IF FOUND THEN
        PERFORM howdah_internal.keys_settle(ARRAY[cancel_waiting.id], true);
        RETURN 'cancelled';
    END IF;
    UPDATE howdah_internal.job j
    SET run_at = LEAST(j.run_at, now()), more = j.more || '{"cancelling": true}'
    WHERE j.id = cancel_waiting.id AND howdah_internal.throws_cancel(j.more)
    RETURNING j.lane INTO in_lane;
    IF FOUND THEN
        PERFORM howdah_internal.ring(in_lane);
        RETURN 'asked';
    END IF;
    WITH gone AS (
        DELETE FROM howdah_internal.ordered o
        WHERE o.id = cancel_waiting.id AND NOT howdah_internal.throws_cancel(o.more)
        RETURNING o.*
    ), unseen AS (
        -- Those that were added with it, and follow it.
        UPDATE howdah_internal.ordered o
        SET fresh = true
        FROM gone g
        WHERE g.fresh AND o.queue = g.queue AND o.key = g.key AND o.id <> g.id AND NOT o.fresh
    )
    INSERT INTO howdah_internal.failed (
        id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
    SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, 0, 0, g.run_at,
        CASE WHEN g.more ? 'waits' THEN 'cancelled while it waited for its turn'
            ELSE otherwise END, g.payload, g.more
    FROM gone g;
    IF FOUND THEN
        RETURN 'cancelled';
    END IF;
    UPDATE howdah_internal.ordered o
    SET more = o.more || '{"cancelling": true}'
    WHERE o.id = cancel_waiting.id AND howdah_internal.throws_cancel(o.more);
    RETURN CASE WHEN FOUND THEN 'asked' END;
END
$howdah$;

CREATE FUNCTION howdah.cancel(id bigint)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    by_node integer;
    outcome text;
BEGIN
    -- It may move on while it is looked for.
    FOR look IN 1..5 LOOP
        outcome := howdah_internal.cancel_waiting(cancel.id, 'cancelled before it began');
        IF outcome IS NOT NULL THEN
            RETURN outcome;
        END IF;
        UPDATE howdah_internal.key k SET next = NULL WHERE k.next = cancel.id;
        IF FOUND THEN
            WITH gone AS (
                DELETE FROM howdah_internal.follower f
                WHERE f.id = cancel.id
                RETURNING f.*
            )
            INSERT INTO howdah_internal.failed (
                id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
            SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, 0, 0, g.run_at,
                'cancelled before it began', g.payload, g.more
            FROM gone g;
            RETURN 'cancelled';
        END IF;
        -- Nodes alone write jobs that are held.
        INSERT INTO howdah_internal.workflow_event (workflow, jobs)
        SELECT w.workflow, jsonb_build_array(jsonb_build_object('id', w.id, 'state', 'cancel'))
        FROM howdah_internal.workflow_job w
        WHERE w.id = cancel.id AND w.state = 'held';
        IF FOUND THEN
            PERFORM howdah_internal.tell('howdah_job_workflow', '');
            RETURN 'asked';
        END IF;
        SELECT b.node INTO by_node FROM howdah_internal.batch b
        WHERE b.ended IS NULL
            AND b.first_id <= cancel.id
            AND b.last_id >= cancel.id
            AND cancel.id = ANY (b.ids);
        IF FOUND THEN
            INSERT INTO howdah_internal.cancellation AS c (job, node)
            VALUES (cancel.id, by_node)
            ON CONFLICT (job) DO UPDATE SET node = excluded.node;
            PERFORM howdah_internal.tell('howdah_job_cancel', cancel.id::text);
            RETURN 'asked';
        END IF;
    END LOOP;
    RETURN CASE WHEN EXISTS (SELECT FROM howdah.find(cancel.id)) THEN 'ended' ELSE 'not_found' END;
END
$howdah$;
COMMENT ON FUNCTION howdah.cancel(bigint) IS
    'Ends a job: cancelled, if it waited; asked, if it runs: its node interrupts it when this '
    'commits, or if it waits in a handler that is told of it first; ended, if it has ended; '
    'not_found, if there is no job of that number, or its history has been removed.';

-- The jobs of a node that are still to be cancelled. Jobs that wait again, in their lanes or for
-- their turns, are cancelled here as others that wait, and the other cancellations are forgotten.
-- Waits for no lock of a job.
CREATE FUNCTION howdah_internal.cancellations(of_node integer)
RETURNS SETOF bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    again bigint[] := ARRAY(
        SELECT j.id
        FROM howdah_internal.job j
        WHERE j.id = ANY (ARRAY(SELECT c.job FROM howdah_internal.cancellation c))
        FOR UPDATE SKIP LOCKED) || ARRAY(
        SELECT o.id
        FROM howdah_internal.ordered o
        WHERE o.id = ANY (ARRAY(SELECT c.job FROM howdah_internal.cancellation c))
        FOR UPDATE SKIP LOCKED);
    gone bigint[];
    each bigint;
BEGIN
    FOREACH each IN ARRAY again LOOP
        PERFORM howdah_internal.cancel_waiting(each, 'cancelled between two attempts');
    END LOOP;
    WITH seen AS (
        SELECT c.job, c.node AS said, b.node,
            c.job <> ALL (again) AND (
                EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = c.job)
                OR EXISTS (SELECT FROM howdah_internal.ordered o WHERE o.id = c.job)) AS waits
        FROM howdah_internal.cancellation c
        LEFT JOIN howdah_internal.batch b ON b.ended IS NULL
            AND b.first_id <= c.job
            AND b.last_id >= c.job
            AND c.job = ANY (b.ids)
    ), moved AS (
        UPDATE howdah_internal.cancellation c
        SET node = s.node
        FROM seen s
        WHERE c.job = s.job AND s.node <> c.node
            AND c.ctid = ANY (
                ARRAY(SELECT o.ctid FROM howdah_internal.cancellation o FOR UPDATE SKIP LOCKED))
    )
    SELECT array_agg(s.job) INTO gone
    FROM seen s
    WHERE s.node IS NULL AND NOT s.waits;
    DELETE FROM howdah_internal.cancellation c
    WHERE c.ctid = ANY (
        ARRAY(
            SELECT o.ctid
            FROM howdah_internal.cancellation o
            WHERE o.job = ANY (gone)
            FOR UPDATE SKIP LOCKED));
    RETURN QUERY SELECT c.job FROM howdah_internal.cancellation c WHERE c.node = of_node;
END
$howdah$;

CREATE FUNCTION howdah.retry(id bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    old howdah_internal.failed;
    home howdah_internal.lane;
    known howdah_internal.key;
    with_key text;
    with_version timestamptz;
    in_lane integer;
BEGIN
    IF howdah_internal.workflow_ask(ARRAY[retry.id]) <> '{}' THEN
        RETURN true;
    END IF;
    SELECT * INTO old FROM howdah_internal.failed f WHERE f.id = retry.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM howdah_internal.check_job(retry.id);
        RETURN false;
    END IF;
    SELECT q.* INTO home
    FROM howdah_internal.lane l
    JOIN howdah_internal.lane q ON q.queue = l.queue AND COALESCE(q.kind, '') = ''
        AND q.home IS NULL
    WHERE l.id = old.lane;
    IF old.more ? 'released' THEN
        old.more := old.more - 'released' || jsonb_build_object('ordered', old.more -> 'released');
    END IF;
    with_key := old.more ->> 'key';
    with_version := (old.more ->> 'version')::timestamptz;
    WHILE with_key IS NOT NULL LOOP
        INSERT INTO howdah_internal.key (queue, kind, key, job, version)
        VALUES (home.id, old.kind, with_key, old.id, with_version)
        ON CONFLICT ON CONSTRAINT key_pkey DO NOTHING;
        EXIT WHEN FOUND;
        SELECT * INTO known
        FROM howdah_internal.key k
        WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key
        FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        IF known.ended IS NULL
            AND EXISTS (SELECT FROM howdah_internal.key_late t WHERE t.job = known.job) THEN
            PERFORM howdah_internal.keys_settle(ARRAY[known.job], false);
            SELECT * INTO known
            FROM howdah_internal.key k
            WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key;
            CONTINUE WHEN NOT FOUND;
        END IF;
        IF known.ended IS NULL THEN
            RAISE 'job % cannot come back: job % has its key "%" now', old.id, known.job, with_key
                USING ERRCODE = 'unique_violation';
        ELSIF known.version > with_version
            OR with_version IS NULL AND known.version IS NOT NULL THEN
            RAISE 'job % cannot come back: its key "%" is known with the newer version %', old.id,
                with_key, known.version
                USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
        UPDATE howdah_internal.key k
        SET job = old.id, ended = NULL
        WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key;
        EXIT;
    END LOOP;
    DELETE FROM howdah_internal.failed f WHERE f.id = old.id;
    -- Its parent has not got the failure yet, and waits for the new end.
    DELETE FROM howdah_internal.child_end e
    WHERE old.more ? 'parent' AND e.child = old.id AND e.state <> 'done' AND NOT e.seen;
    IF old.more ? 'children' THEN
        -- Children that were cancelled with it, and those whose failure has ended it, come back
        -- with it. What the handler caught stays as it is: it has gone on behind that.
        UPDATE howdah_internal.child_end e
        SET seen = false
        FROM howdah_internal.job_record r
        WHERE r.job = old.id AND r.fatal AND e.child = r.child;
        UPDATE howdah_internal.job_record r
        SET fatal = false
        WHERE r.job = old.id AND r.child IS NOT NULL AND r.fatal;
        PERFORM howdah.retry(f.id)
        FROM howdah_internal.child_end e
        JOIN howdah_internal.failed f ON f.id = e.child
        WHERE e.parent = old.id AND e.state <> 'done' AND NOT e.seen;
    END IF;
    DELETE FROM howdah_internal.job_record r WHERE r.job = old.id AND r.fatal;
    DELETE FROM howdah_internal.cancellation c WHERE c.job = old.id;
    IF old.more ? 'flow' THEN
        PERFORM howdah_internal.workflow_reopen(ARRAY[old.id], ARRAY[old.state], ARRAY[old.more]);
    END IF;
    in_lane := howdah_internal.lane_for(
        howdah_internal.lane_of(home.queue, old.kind, old.priority), old.more);
    IF old.more -> 'ordered' IS NOT NULL THEN
        -- It waits for its turn again, the first of its key.
        INSERT INTO howdah_internal.ordered (id, queue, key, run_at, lane, priority, kind, payload,
            more)
        VALUES (
            old.id, home.queue, old.more ->> 'ordered', now(), in_lane, old.priority, old.kind,
            old.payload, old.more - '{error,cancelling}'::text[]);
        PERFORM howdah_internal.tell('howdah_job_order', '');
        RETURN true;
    END IF;
    INSERT INTO howdah_internal.job (id, lane, kind, priority, payload, more)
    VALUES (old.id, in_lane, old.kind, old.priority,
        -- It was cancelled before what it waits for had ended.
        CASE WHEN old.more ? 'fill' THEN howdah_internal.workflow_payload(old.id, old.payload)
            ELSE old.payload END,
        COALESCE(old.more, '{}') - '{error,fill,cancelling}'::text[] || jsonb_build_object(
            'created', COALESCE(old.more -> 'created', to_jsonb(old.run_at))));
    PERFORM howdah_internal.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.retry(bigint) IS
    'Brings a job that failed or was cancelled back, as if it had never been tried; false, if it '
    'has done neither; an error, if there is no such job.';

CREATE FUNCTION howdah.hurry(id bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    in_lane integer;
BEGIN
    UPDATE howdah_internal.job j SET run_at = now(),
        more = COALESCE(j.more, '{}') || jsonb_build_object(
            'created', COALESCE(j.more -> 'created', to_jsonb(now())))
    WHERE j.id = hurry.id
        AND j.run_at > now()
        AND COALESCE(j.more -> 'wait' ->> 'type', 'sleep') IN ('sleep', 'diverged', 'version')
    RETURNING j.lane INTO in_lane;
    IF NOT FOUND THEN
        PERFORM howdah_internal.check_job(hurry.id);
        RETURN false;
    END IF;
    -- The last wait is the one that it is suspended for.
    UPDATE howdah_internal.job_record r
    SET closed = clock_timestamp()
    FROM howdah_internal.job j
    WHERE j.id = hurry.id
        AND j.more -> 'wait' ->> 'type' = 'sleep'
        AND r.job = j.id
        AND r.number = (j.more ->> 'waits')::integer;
    PERFORM howdah_internal.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.hurry(bigint) IS
    'Makes a job due that is planned, sleeps in its handler, or waits to be tried again; false, if '
    'it does none of these; an error, if there is no such job.';

CREATE FUNCTION howdah.hurry(queue text, error text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    lanes integer[] := howdah_internal.lanes_of(hurry.queue);
    groups integer[];
    hurried bigint;
BEGIN
    WITH due AS (
        UPDATE howdah_internal.job j SET run_at = now()
        FROM (
            SELECT DISTINCT l.id AS lane, p.priority
            FROM howdah_internal.lane l
            JOIN howdah_internal.lane_priority p ON p.lane = COALESCE(l.home, l.id)
            WHERE l.queue = hurry.queue) p
        WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at > now() AND j.attempt > 0
            AND NOT COALESCE(j.more ? 'wait', false)
            AND (hurry.error IS NULL OR j.more ->> 'error' = hurry.error)
        RETURNING j.lane
    )
    SELECT count(*), array_agg(DISTINCT d.lane) FILTER (WHERE d.lane < 0)
    INTO hurried, groups
    FROM due d;
    PERFORM howdah_internal.ring(l.lane) FROM unnest(lanes || groups) AS l (lane);
    RETURN hurried;
END
$howdah$;
COMMENT ON FUNCTION howdah.hurry(text, text) IS
    'Makes all jobs of a queue due that wait to be tried again, or those whose last attempt '
    'ended with that error: how many.';

CREATE FUNCTION howdah_internal.spread(queue text, over interval)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    spread_jobs bigint;
BEGIN
    PERFORM howdah_internal.lanes_of(spread.queue);
    IF spread.over <= interval '0' OR spread.over > interval '1 year' THEN
        RAISE 'jobs are spread over %: it has to be more than 0, up to a year', spread.over
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    WITH later AS (
        UPDATE howdah_internal.job j SET run_at = now() + random() * spread.over
        FROM (
            SELECT DISTINCT l.id AS lane, p.priority
            FROM howdah_internal.lane l
            JOIN howdah_internal.lane_priority p ON p.lane = COALESCE(l.home, l.id)
            WHERE l.queue = spread.queue) p
        WHERE j.lane = p.lane
            AND j.priority = p.priority
            AND j.run_at <= now()
            AND j.more -> 'wait' IS NOT NULL
        RETURNING j.lane
    ), woken AS (
        INSERT INTO howdah_internal.group_wake (home, lane)
        SELECT howdah_internal.home_of(t.lane), t.lane
        FROM later t
        WHERE t.lane < 0
        GROUP BY t.lane
    )
    SELECT count(*) INTO spread_jobs FROM later;
    RETURN spread_jobs;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.spread(text, interval) IS
    'Lets the jobs of a queue whose waits have ended go on at random moments of that time, and not '
    'all at once, as after a restore or an outage: how many.';
