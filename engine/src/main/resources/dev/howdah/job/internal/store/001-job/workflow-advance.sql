-- What the end of a job means to its workflow -----------------------------------------------------

-- Jobs of workflows that had failed or were cancelled come back, in this transaction.
CREATE FUNCTION howdah_internal.workflow_reopen(ids bigint[], states text[], mores jsonb[])
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    INSERT INTO howdah_internal.workflow_event (workflow, failed, cancelled, jobs)
    SELECT (u.more ->> 'flow')::bigint, -count(*) FILTER (WHERE u.state = 'failed'),
        -count(*) FILTER (WHERE u.state = 'cancelled'),
        jsonb_agg(jsonb_build_object('id', u.id, 'state', 'released'))
            FILTER (WHERE u.more ? 'graph')
    FROM unnest(ids, states, mores) AS u (id, state, more)
    GROUP BY u.more ->> 'flow';
    PERFORM howdah_internal.tell('howdah_job_workflow', '');
END
$howdah$;

-- The payload of a job whose payload is filled in, now that the results are there.
CREATE FUNCTION howdah_internal.workflow_payload(of_job bigint, held json)
RETURNS json
LANGUAGE plpgsql
AS $howdah$
DECLARE
    whole json := COALESCE(held,
        (SELECT b.payload FROM howdah_internal.body b WHERE b.job = of_job));
    results json;
    previous json;
BEGIN
    SELECT json_object_agg(w.name, w.result ORDER BY w.id),
        CASE WHEN count(*) = 1 THEN json_agg(w.result) -> 0 END
    INTO results, previous
    FROM howdah_internal.workflow_edge e
    JOIN howdah_internal.workflow_job w ON w.id = e.before
    WHERE e.after = of_job;
    IF held IS NULL THEN
        DELETE FROM howdah_internal.body b WHERE b.job = of_job;
    END IF;
    RETURN howdah_internal.put_body(of_job,
        howdah_internal.filled(whole -> 'payload', json_build_object(
        'input', whole -> 'input', 'previous', previous, 'results', results)));
END
$howdah$;

-- Puts jobs that were held into their lanes.
CREATE FUNCTION howdah_internal.workflow_release(jobs bigint[])
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    lanes integer[];
BEGIN
    IF cardinality(jobs) = 0 THEN
        RETURN;
    END IF;
    WITH let AS (
        INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
        SELECT j.id, j.lane, j.kind, j.priority, GREATEST(j.run_at, now()),
            CASE WHEN j.more ? 'fill' THEN howdah_internal.workflow_payload(j.id, j.payload)
                ELSE j.payload END,
            j.more - 'fill'
                || jsonb_build_object('created', COALESCE(j.more -> 'created', to_jsonb(now())))
        FROM howdah_internal.workflow_job j
        WHERE j.id = ANY (jobs) AND j.state = 'held'
        RETURNING lane
    )
    SELECT array_agg(DISTINCT l.lane) INTO lanes FROM let l;
    UPDATE howdah_internal.workflow_job j
    SET state = 'released', payload = NULL
    WHERE j.id = ANY (jobs) AND j.state = 'held';
    PERFORM howdah_internal.ring(l.lane) FROM unnest(lanes) AS l (lane);
END
$howdah$;

-- Cancels jobs that were held.
CREATE FUNCTION howdah_internal.workflow_drop(jobs bigint[], why text, because_of_others boolean)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    dropped bigint;
BEGIN
    WITH gone AS (
        UPDATE howdah_internal.workflow_job j
        SET state = CASE WHEN j.callback THEN 'cancelled' ELSE 'leaving' END,
            skipped = because_of_others
        WHERE j.id = ANY (jobs) AND j.state = 'held'
        RETURNING j.*
    ), kept AS (
        INSERT INTO howdah_internal.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, 0, 0, g.run_at,
            COALESCE(why, (
                SELECT CASE g.runs_when
                    WHEN 'done' THEN 'not run: it waits for "' || b.name || '", which '
                        || CASE b.state WHEN 'failed' THEN 'has failed' ELSE 'was cancelled' END
                    ELSE 'not run: nothing that it waits for has failed' END
                FROM howdah_internal.workflow_edge e
                JOIN howdah_internal.workflow_job b ON b.id = e.before
                WHERE e.after = g.id
                ORDER BY b.state IN ('failed', 'cancelled') DESC, b.state DESC, b.name
                LIMIT 1)),
            g.payload, g.more
        FROM gone g
    )
    SELECT count(*) INTO dropped FROM gone;
    UPDATE howdah_internal.workflow_job j
    SET payload = NULL
    WHERE j.id = ANY (jobs) AND j.state IN ('leaving', 'cancelled');
    RETURN dropped;
END
$howdah$;

-- Cancels what it finds of the jobs of a workflow; waits for no lock. Jobs that are between two
-- places, or come back, are found another time: nodes do this again until the workflow has ended.
-- Only they write jobs that are held, so that the transaction of a caller keeps none of them.
CREATE FUNCTION howdah_internal.workflow_sweep(of_workflow bigint, by_node boolean)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    known howdah_internal.workflow;
    swept bigint;
    asked bigint;
BEGIN
    SELECT w.id, LEAST(w.first_id, min(e.first_id)), GREATEST(w.last_id, max(e.last_id))
    INTO known.id, known.first_id, known.last_id
    FROM howdah_internal.workflow w
    LEFT JOIN howdah_internal.workflow_event e ON e.workflow = w.id
    WHERE w.id = of_workflow
    GROUP BY w.id;
    swept := (
        SELECT count(*)
        FROM howdah_internal.workflow_job j
        WHERE j.workflow = of_workflow AND j.state = 'held' AND NOT j.callback);
    IF by_node AND swept > 0 THEN
        swept := howdah_internal.workflow_drop(ARRAY(
            SELECT j.id
            FROM howdah_internal.workflow_job j
            WHERE j.workflow = of_workflow AND j.state = 'held' AND NOT j.callback),
            'cancelled with its workflow', false);
    END IF;
    WITH gone AS (
        DELETE FROM howdah_internal.job j
        WHERE j.id = ANY (ARRAY(
            SELECT o.id
            FROM howdah_internal.job o
            WHERE o.id BETWEEN known.first_id AND known.last_id
                AND o.more ->> 'flow' = of_workflow::text
            FOR UPDATE SKIP LOCKED))
        RETURNING j.*
    ), kept AS (
        INSERT INTO howdah_internal.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, g.attempt, g.deaths, g.run_at,
            'cancelled with its workflow', g.payload, g.more
        FROM gone g
    )
    SELECT count(*) + swept INTO swept FROM gone;
    WITH running AS (
        SELECT u.id, b.node
        FROM howdah_internal.batch b
        CROSS JOIN LATERAL unnest(b.ids) AS u (id)
        WHERE b.ended IS NULL
            AND b.last_id >= known.first_id
            AND b.first_id <= known.last_id
            AND b.rest -> u.id::text -> 'm' ->> 'flow' = of_workflow::text
    ), noted AS (
        INSERT INTO howdah_internal.cancellation (job, node)
        SELECT r.id, r.node
        FROM running r
        WHERE NOT EXISTS (SELECT FROM howdah_internal.cancellation c WHERE c.job = r.id)
        ON CONFLICT (job) DO NOTHING
        RETURNING job
    )
    SELECT count(howdah_internal.tell('howdah_job_cancel', n.job::text)) INTO asked FROM noted n;
    RETURN swept + asked;
END
$howdah$;

CREATE FUNCTION howdah.cancel_workflow(id bigint)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    swept bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM howdah_internal.workflow w WHERE w.id = cancel_workflow.id) THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(cancel_workflow.id::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    END IF;
    INSERT INTO howdah_internal.workflow_event (workflow, asked)
    SELECT w.id, 'cancel'
    FROM howdah.workflows w
    WHERE w.id = cancel_workflow.id AND w.state <> 'ended';
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    swept := howdah_internal.workflow_sweep(cancel_workflow.id, false);
    PERFORM howdah_internal.tell('howdah_job_workflow', '');
    RETURN swept;
END
$howdah$;
COMMENT ON FUNCTION howdah.cancel_workflow(bigint) IS
    'Cancels the jobs of a workflow that have not ended: those that wait at once, those that run '
    'by their nodes; how many. Callbacks for the end of all jobs run.';

-- Adds up the events of workflows, and does what follows from them, in rounds, until there is
-- nothing left to do or there were enough rounds. Returns how many events there were; -1, if
-- another node is about to. Waits for no lock.
CREATE FUNCTION howdah_internal.workflow_settle(most integer)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    seen bigint := 0;
    step bigint;
    changes jsonb;
    touched bigint[];
    due howdah_internal.workflow;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1215264876, 5) THEN
        RETURN -1;
    END IF;
    FOR round IN 1..50 LOOP
        WITH gone AS (
            DELETE FROM howdah_internal.workflow_event e
            WHERE e.ctid = ANY (ARRAY(
                SELECT o.ctid FROM howdah_internal.workflow_event o ORDER BY o.id LIMIT most))
            RETURNING e.*
        ), sums AS (
            SELECT g.workflow, sum(g.added) AS added, sum(g.done) AS done, sum(g.failed) AS failed,
                sum(g.cancelled) AS cancelled, min(g.first_id) AS first_id,
                max(g.last_id) AS last_id, COALESCE(bool_or(g.asked IS NOT NULL), false) AS closes,
                COALESCE(bool_or(g.asked = 'cancel'), false) AS cancels,
                COALESCE(bool_or(g.failed < 0 OR g.cancelled < 0), false) AS reopens
            FROM gone g
            GROUP BY g.workflow
        ), counted AS (
            UPDATE howdah_internal.workflow w
            SET total = w.total + s.added, done = w.done + s.done, failed = w.failed + s.failed,
                cancelled = w.cancelled + s.cancelled, first_id = LEAST(w.first_id, s.first_id),
                last_id = GREATEST(w.last_id, s.last_id), open = w.open AND NOT s.closes,
                -- A job that was retried opens it again, also if it has ended meanwhile.
                ended = CASE WHEN NOT s.reopens AND w.total + s.added <= w.done + s.done
                    + w.failed + s.failed + w.cancelled + s.cancelled THEN w.ended END,
                cancel_asked = CASE
                    WHEN w.ended IS NULL AND s.cancels THEN COALESCE(w.cancel_asked, now())
                    WHEN w.ended IS NULL THEN w.cancel_asked END
            FROM sums s
            WHERE w.id = s.workflow
            RETURNING w.id
        )
        SELECT (SELECT count(*) FROM gone), (
            SELECT jsonb_agg(c.change ORDER BY g.id)
            FROM gone g
            CROSS JOIN LATERAL jsonb_array_elements(g.jobs) AS c (change))
        INTO step, changes;
        seen := seen + step;
        IF changes IS NOT NULL THEN
            PERFORM howdah_internal.workflow_advance(changes);
        END IF;
        FOR due IN
            SELECT w.*
            FROM howdah_internal.workflow w
            WHERE w.ended IS NULL
                AND (
                    w.cancel_asked IS NOT NULL
                    OR NOT w.open AND w.total = w.done + w.failed + w.cancelled)
            LIMIT 100
            FOR UPDATE SKIP LOCKED
        LOOP
            -- An add that has committed before the row was locked is seen here.
            CONTINUE WHEN EXISTS (
                SELECT FROM howdah_internal.workflow_event e WHERE e.workflow = due.id);
            IF due.open OR due.total > due.done + due.failed + due.cancelled THEN
                PERFORM howdah_internal.workflow_sweep(due.id, true);
            ELSE
                PERFORM howdah_internal.workflow_end(due.id, due.failed + due.cancelled = 0);
            END IF;
        END LOOP;
        EXIT WHEN step = 0 AND NOT EXISTS (SELECT FROM howdah_internal.workflow_event);
    END LOOP;
    RETURN seen;
END
$howdah$;

-- All jobs of a workflow have ended: callbacks whose time it is are released. That for the case
-- that all are done is kept while one that has failed may be retried.
CREATE FUNCTION howdah_internal.workflow_end(of_workflow bigint, all_done boolean)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    UPDATE howdah_internal.workflow w SET ended = clock_timestamp() WHERE w.id = of_workflow;
    PERFORM howdah_internal.workflow_release(ARRAY(
        SELECT j.id
        FROM howdah_internal.workflow_job j
        WHERE j.workflow = of_workflow AND j.callback AND j.state = 'held'
            AND j.runs_when = ANY (
                ARRAY['ended', CASE WHEN all_done THEN 'done' ELSE 'failed' END])));
    IF all_done THEN
        DELETE FROM howdah_internal.body b
        WHERE b.job IN (
            SELECT j.id
            FROM howdah_internal.workflow_job j
            WHERE j.workflow = of_workflow AND j.callback AND j.state = 'held');
        DELETE FROM howdah_internal.workflow_job j
        WHERE j.workflow = of_workflow AND j.callback AND j.state = 'held';
    END IF;
END
$howdah$;

-- Asks the nodes to bring those of the jobs back that have failed or were cancelled and wait for
-- others, of which some may yet run: which. Nodes alone write jobs that are held, and they know
-- what else comes back. They leave each among the failed ones until then.
CREATE FUNCTION howdah_internal.workflow_ask(jobs bigint[])
RETURNS bigint[]
LANGUAGE plpgsql
AS $howdah$
DECLARE
    asked bigint[];
BEGIN
    WITH waiting AS (
        SELECT j.id, j.workflow
        FROM howdah_internal.workflow_job j
        JOIN howdah_internal.failed f ON f.id = j.id
        WHERE j.id = ANY (jobs)
            AND (
                j.callback
                -- What is done stays so.
                OR EXISTS (
                    SELECT
                    FROM howdah_internal.workflow_edge e
                    JOIN howdah_internal.workflow_job b ON b.id = e.before
                    WHERE e.after = j.id AND (b.state <> 'done' OR j.runs_when = 'failed')))
    ), events AS (
        INSERT INTO howdah_internal.workflow_event (workflow, jobs)
        SELECT w.workflow, jsonb_agg(jsonb_build_object('id', w.id, 'state', 'retry'))
        FROM waiting w
        GROUP BY w.workflow
        RETURNING howdah_internal.tell('howdah_job_workflow', '')
    )
    SELECT COALESCE(array_agg(w.id), '{}') INTO asked
    FROM waiting w
    WHERE (SELECT count(*) FROM events) >= 0;
    RETURN asked;
END
$howdah$;

-- Jobs with names have changed: what waits for them goes on, or will not run, or waits again; and
-- jobs of which that was asked come back. Of several changes of a job the last one counts.
CREATE FUNCTION howdah_internal.workflow_advance(changes jsonb)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    affected bigint[];
    opens integer[];
    unmets integer[];
    back bigint[];
    cancelled bigint[];
    joined bigint[] := ARRAY(
        SELECT (c.change ->> 'id')::bigint
        FROM jsonb_array_elements(changes) AS c (change)
        WHERE c.change ->> 'state' = 'join');
    asked bigint[] := ARRAY(
        SELECT DISTINCT (c.change ->> 'id')::bigint
        FROM jsonb_array_elements(changes) AS c (change)
        WHERE c.change ->> 'state' = 'retry');
BEGIN
    WITH news AS (
        SELECT DISTINCT ON (c.change ->> 'id') (c.change ->> 'id')::bigint AS id,
            c.change ->> 'state' AS state, c.change -> 'result' AS result,
            c.change ->> 'error' AS error
        FROM jsonb_array_elements(changes) WITH ORDINALITY AS c (change, n)
        WHERE c.change ->> 'state' NOT IN ('join', 'retry')
        ORDER BY c.change ->> 'id', c.n DESC
    ), old AS (
        SELECT j.id, j.state IN ('done', 'failed', 'cancelled') AS over,
            j.state IN ('failed', 'cancelled') AS bad, n.state, n.result, n.error
        FROM news n
        JOIN howdah_internal.workflow_job j ON j.id = n.id
        WHERE n.state <> 'cancel' OR j.state = 'held'
    ), changed AS (
        UPDATE howdah_internal.workflow_job j
        SET state = o.state, result = o.result, error = o.error,
            skipped = j.skipped AND o.state = 'cancelled'
        FROM old o
        WHERE j.id = o.id AND o.state <> 'cancel'
    ), deltas AS (
        SELECT e.after AS id,
            sum(o.over::integer - (o.state IN ('done', 'failed', 'cancelled'))::integer)::integer
                AS open,
            sum((o.state IN ('failed', 'cancelled'))::integer - o.bad::integer)::integer AS unmet
        FROM old o
        JOIN howdah_internal.workflow_edge e ON e.before = o.id
        WHERE o.state <> 'cancel'
        GROUP BY e.after
    )
    SELECT array_agg(d.id), array_agg(d.open), array_agg(d.unmet), (
            SELECT array_agg(o.id) FROM old o WHERE o.state = 'held'), (
            SELECT array_agg(o.id) FROM old o WHERE o.state = 'cancel')
    INTO affected, opens, unmets, back, cancelled
    FROM deltas d;
    IF cancelled IS NOT NULL THEN
        PERFORM howdah_internal.workflow_drop(cancelled, 'cancelled before it began', false);
    END IF;
    -- A statement of its own: what has changed can wait for another one that has, too.
    UPDATE howdah_internal.workflow_job j
    SET open_before = j.open_before + d.open, unmet = j.unmet + d.unmet
    FROM unnest(affected, opens, unmets) AS d (id, open, unmet)
    WHERE j.id = d.id;
    IF joined <> '{}' THEN
        UPDATE howdah_internal.workflow_job j
        SET open_before = e.open, unmet = e.unmet
        FROM (
            SELECT g.after AS id,
                count(*) FILTER (WHERE b.state NOT IN ('done', 'failed', 'cancelled')) AS open,
                count(*) FILTER (WHERE b.state IN ('failed', 'cancelled')) AS unmet
            FROM howdah_internal.workflow_edge g
            JOIN howdah_internal.workflow_job b ON b.id = g.before
            WHERE g.after = ANY (joined)
            GROUP BY g.after) e
        WHERE j.id = e.id;
        affected := affected || joined;
    END IF;
    affected := affected || back || asked;
    IF cardinality(affected) = 0 THEN
        RETURN;
    END IF;
    -- They were skipped because of one that has been retried, or are retried themselves.
    WITH again AS (
        DELETE FROM howdah_internal.failed f
        USING howdah_internal.workflow_job j
        WHERE f.id = j.id AND j.id = ANY (affected)
            AND f.ctid = ANY (ARRAY(
                SELECT o.ctid
                FROM howdah_internal.failed o
                WHERE o.id = ANY (affected)
                FOR UPDATE SKIP LOCKED))
            AND (
                j.id = ANY (asked)
                OR j.state = 'cancelled'
                    AND j.skipped
                    AND CASE j.runs_when WHEN 'done' THEN j.unmet = 0 ELSE j.open_before > 0 END)
        RETURNING f.id, f.state, f.lane, f.payload, f.more, j.workflow, j.callback
    ), held AS (
        UPDATE howdah_internal.workflow_job j
        SET payload = a.payload, lane = a.lane, more = a.more - 'error'
        FROM again a
        WHERE j.id = a.id
    ), opened AS (
        -- Callbacks are not counted, and wait for all jobs to have ended.
        UPDATE howdah_internal.workflow w
        SET ended = NULL
        WHERE w.id IN (SELECT a.workflow FROM again a)
    ), forgotten AS (
        DELETE FROM howdah_internal.cancellation c WHERE c.job IN (SELECT a.id FROM again a)
    )
    INSERT INTO howdah_internal.workflow_event (workflow, failed, cancelled, jobs)
    SELECT a.workflow, -count(*) FILTER (WHERE a.state = 'failed' AND NOT a.callback),
        -count(*) FILTER (WHERE a.state = 'cancelled' AND NOT a.callback),
        jsonb_agg(jsonb_build_object('id', a.id, 'state', 'held'))
    FROM again a
    GROUP BY a.workflow;
    -- Another session holds them, and may leave them where they are.
    INSERT INTO howdah_internal.workflow_event (workflow, jobs)
    SELECT j.workflow, jsonb_agg(jsonb_build_object('id', j.id, 'state', 'retry'))
    FROM howdah_internal.workflow_job j
    JOIN howdah_internal.failed f ON f.id = j.id
    WHERE j.id = ANY (asked)
    GROUP BY j.workflow;
    PERFORM howdah_internal.workflow_release(ARRAY(
        SELECT j.id
        FROM howdah_internal.workflow_job j
        WHERE j.id = ANY (affected) AND j.state = 'held' AND NOT j.callback
            AND CASE j.runs_when WHEN 'done' THEN j.open_before = 0 AND j.unmet = 0
                WHEN 'failed' THEN j.unmet > 0 ELSE j.open_before = 0 END));
    PERFORM howdah_internal.workflow_drop(ARRAY(
        SELECT j.id
        FROM howdah_internal.workflow_job j
        WHERE j.id = ANY (affected) AND j.state = 'held' AND NOT j.callback
            AND CASE j.runs_when WHEN 'done' THEN j.unmet > 0
                WHEN 'failed' THEN j.open_before = 0 AND j.unmet = 0 ELSE false END), NULL, true);
END
$howdah$;
