-- Jobs were added to a workflow.
CREATE FUNCTION howdah.workflow_added(of_workflow bigint, jobs integer, first bigint, last bigint)
RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    INSERT INTO howdah.workflow_event (workflow, added, first_id, last_id)
    VALUES (of_workflow, jobs, first, last)
$howdah$;
COMMENT ON FUNCTION howdah.workflow_added(bigint, integer, bigint, bigint) IS
    'For the library: counts jobs that it has added to a workflow in this transaction.';

-- Keeps a workflow from ending until the end of this transaction, and refuses one to which nothing
-- can be added.
CREATE FUNCTION howdah.workflow_keep(of_workflow bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    known howdah.workflow;
BEGIN
    SELECT * INTO known FROM howdah.workflow w WHERE w.id = of_workflow FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(of_workflow::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    ELSIF NOT known.open OR known.ended IS NOT NULL OR known.cancel_asked IS NOT NULL OR EXISTS (
        SELECT
        FROM howdah.workflow_event e
        WHERE e.workflow = of_workflow AND e.asked IS NOT NULL) THEN
        RAISE 'nothing can be added to workflow %: it is not open', of_workflow
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Jobs can be added to a workflow that was added as open, until it is closed '
                    'or cancelled.';
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.workflow_keep(bigint) IS
    'For the library: before jobs are added to a workflow in this transaction.';

CREATE FUNCTION howdah.add_to_workflow(
    workflow bigint, queue text, kind text, payloads json[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    level smallint := howdah.check_priority($5);
    due timestamptz := howdah.due($6, $7);
    unusual jsonb := COALESCE(howdah.unusual(due, $8, $9, NULL, NULL, $10), '{}')
        || jsonb_build_object('flow', $1);
    home integer;
    ids bigint[];
BEGIN
    PERFORM howdah.check_name('queue', $2), howdah.check_name('kind', $3),
        howdah.workflow_keep($1);
    IF $4 IS NULL THEN
        RAISE 'payloads is NULL: it has to be an array, of one for each job'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    home := howdah.lane_for(howdah.lane_of($2, $3, level), unusual);
    WITH asked AS (
        SELECT nextval('howdah.job_id_seq') AS id, COALESCE(u.payload, 'null') AS payload
        FROM unnest($4) AS u (payload)
    ), bodies AS (
        INSERT INTO howdah.body (job, payload)
        SELECT a.id, a.payload
        FROM asked a
        WHERE howdah.is_large(a.payload)
    ), jobs AS (
        INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
        SELECT a.id, home, $3, level, due,
            CASE WHEN NOT howdah.is_large(a.payload) THEN a.payload END, unusual
        FROM asked a
    )
    SELECT array_agg(a.id ORDER BY a.id) INTO ids FROM asked a;
    PERFORM howdah.ring(home);
    IF cardinality(ids) > 0 THEN
        PERFORM howdah.workflow_added($1, cardinality(ids), ids[1], ids[cardinality(ids)]);
    END IF;
    RETURN QUERY SELECT i.id FROM unnest(ids) WITH ORDINALITY AS i (id, n) ORDER BY i.n;
END
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(
    bigint, text, text, json[], integer, timestamptz, interval, integer, interval, jsonb) IS
    'Adds many jobs to an open workflow in this transaction, one for each payload: their ids, '
    'in that order.';

-- Jobs with names join an open workflow. What they wait for may end meanwhile, and no node waits
-- for this transaction: so those that wait have one more before them (open_before) than they have
-- edges, until a node has looked at all of them after this transaction (state join, in
-- workflow_advance). Each name is looked up by itself: the workflow may have very many.
CREATE FUNCTION howdah.add_to_workflow(workflow bigint, jobs json)
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    names text[] := '{}';
    ids bigint[] := '{}';
    befores integer[];
    afters integer[];
    edge_befores bigint[];
    edge_afters bigint[];
    missing text;
    missed_by integer;
    each record;
BEGIN
    PERFORM howdah.check_workflow_jobs($2), howdah.workflow_keep($1);
    IF json_array_length($2) = 0 THEN
        RETURN;
    END IF;
    FOR each IN SELECT j.job, j.n FROM json_array_elements($2) WITH ORDINALITY AS j (job, n)
        ORDER BY j.n
    LOOP
        IF each.job ->> 'name' IS NULL THEN
            RAISE 'job % to add to workflow % has no name', each.n, $1
                USING ERRCODE = 'invalid_parameter_value',
                    HINT = 'Jobs without names: howdah.add_to_workflow(workflow, queue, kind, '
                        'payloads).';
        END IF;
        names := names || (each.job ->> 'name');
        ids := ids || howdah.put_workflow_job(
            $1, each.job, each.job ->> 'name', COALESCE(each.job ->> 'when', 'done'), false, 1);
    END LOOP;
    SELECT array_agg(d.before ORDER BY d.before, d.n),
        array_agg(ids[d.n] ORDER BY d.before, d.n),
        array_agg(d.place ORDER BY d.place, d.n) FILTER (WHERE ids[d.place] = d.before),
        array_agg(d.n ORDER BY d.place, d.n) FILTER (WHERE ids[d.place] = d.before),
        (array_agg(d.name ORDER BY d.n) FILTER (WHERE d.before IS NULL))[1],
        min(d.n) FILTER (WHERE d.before IS NULL)
    INTO edge_befores, edge_afters, befores, afters, missing, missed_by
    FROM (
        -- Ids rise: where one stands among them.
        SELECT w.before, w.n, w.name, width_bucket(w.before, ids) AS place
        FROM (
            SELECT DISTINCT j.n::integer AS n, COALESCE(e.name, 'NULL') AS name, (
                SELECT b.id
                FROM howdah.workflow_job b
                WHERE b.workflow = $1 AND b.name = e.name AND NOT b.callback) AS before
            FROM json_array_elements($2) WITH ORDINALITY AS j (job, n)
            CROSS JOIN LATERAL json_array_elements_text(
                CASE WHEN json_typeof(j.job -> 'after') = 'array' THEN j.job -> 'after'
                    ELSE '[]' END) AS e (name)) w) d;
    IF missing IS NOT NULL THEN
        RAISE 'job "%" of a workflow waits for "%", which is no job of workflow %',
            names[missed_by], missing, $1
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- No earlier job waits for one of these.
    PERFORM howdah.check_cycle(names, befores, afters);
    INSERT INTO howdah.workflow_edge (before, after)
    SELECT e.before, e.after
    FROM unnest(edge_befores, edge_afters) AS e (before, after);
    INSERT INTO howdah.workflow_event (workflow, added, first_id, last_id, jobs)
    SELECT $1, count(*), min(j.id), max(j.id),
        jsonb_agg(jsonb_build_object('id', j.id, 'state', 'join')) FILTER (WHERE j.open_before > 0)
    FROM howdah.workflow_job j
    WHERE j.id = ANY (ids);
    PERFORM howdah.workflow_release(ARRAY(
        SELECT j.id FROM howdah.workflow_job j WHERE j.id = ANY (ids) AND j.open_before = 0));
    PERFORM pg_notify('howdah_job_workflow', '');
    RETURN QUERY SELECT i.id FROM unnest(ids) WITH ORDINALITY AS i (id, n) ORDER BY i.n;
END
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(bigint, json) IS
    'Adds jobs with names, as those of howdah.add_workflow, to an open workflow in this '
    'transaction; they may wait for each other and for named jobs that it has already. Their ids, '
    'in that order.';

CREATE FUNCTION howdah.close_workflow(id bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF NOT EXISTS (SELECT FROM howdah.workflow w WHERE w.id = close_workflow.id) THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(close_workflow.id::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    END IF;
    INSERT INTO howdah.workflow_event (workflow, asked)
    SELECT w.id, 'close'
    FROM howdah.workflows w
    WHERE w.id = close_workflow.id AND w.state = 'open';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM pg_notify('howdah_job_workflow', '');
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.close_workflow(bigint) IS
    'No more jobs are added to a workflow: it ends when all of its jobs have; false, if it was '
    'not open.';

-- Jobs of workflows that had failed or were cancelled come back, in this transaction.
CREATE FUNCTION howdah.workflow_reopen(ids bigint[], states text[], mores jsonb[])
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    INSERT INTO howdah.workflow_event (workflow, failed, cancelled, jobs)
    SELECT (u.more ->> 'flow')::bigint, -count(*) FILTER (WHERE u.state = 'failed'),
        -count(*) FILTER (WHERE u.state = 'cancelled'),
        jsonb_agg(jsonb_build_object('id', u.id, 'state', 'released'))
            FILTER (WHERE u.more ? 'graph')
    FROM unnest(ids, states, mores) AS u (id, state, more)
    GROUP BY u.more ->> 'flow';
    PERFORM pg_notify('howdah_job_workflow', '');
END
$howdah$;

-- The payload of a job whose payload is filled in, now that the results are there.
CREATE FUNCTION howdah.workflow_payload(of_job bigint, held json)
RETURNS json
LANGUAGE plpgsql
AS $howdah$
DECLARE
    whole json := COALESCE(held, (SELECT b.payload FROM howdah.body b WHERE b.job = of_job));
    results json;
    previous json;
BEGIN
    SELECT json_object_agg(w.name, w.result ORDER BY w.id),
        CASE WHEN count(*) = 1 THEN json_agg(w.result) -> 0 END
    INTO results, previous
    FROM howdah.workflow_edge e
    JOIN howdah.workflow_job w ON w.id = e.before
    WHERE e.after = of_job;
    IF held IS NULL THEN
        DELETE FROM howdah.body b WHERE b.job = of_job;
    END IF;
    RETURN howdah.put_body(of_job, howdah.filled(whole -> 'payload', json_build_object(
        'input', whole -> 'input', 'previous', previous, 'results', results)));
END
$howdah$;

-- Puts jobs that were held into their lanes.
CREATE FUNCTION howdah.workflow_release(jobs bigint[])
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
        INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
        SELECT j.id, j.lane, j.kind, j.priority, GREATEST(j.run_at, now()),
            CASE WHEN j.more ? 'fill' THEN howdah.workflow_payload(j.id, j.payload)
                ELSE j.payload END,
            j.more - 'fill'
                || jsonb_build_object('created', COALESCE(j.more -> 'created', to_jsonb(now())))
        FROM howdah.workflow_job j
        WHERE j.id = ANY (jobs) AND j.state = 'held'
        RETURNING lane
    )
    SELECT array_agg(DISTINCT l.lane) INTO lanes FROM let l;
    UPDATE howdah.workflow_job j
    SET state = 'released', payload = NULL
    WHERE j.id = ANY (jobs) AND j.state = 'held';
    PERFORM howdah.ring(l.lane) FROM unnest(lanes) AS l (lane);
END
$howdah$;

-- Cancels jobs that were held.
CREATE FUNCTION howdah.workflow_drop(jobs bigint[], why text, because_of_others boolean)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    dropped bigint;
BEGIN
    WITH gone AS (
        UPDATE howdah.workflow_job j
        SET state = CASE WHEN j.callback THEN 'cancelled' ELSE 'leaving' END,
            skipped = because_of_others
        WHERE j.id = ANY (jobs) AND j.state = 'held'
        RETURNING j.*
    ), kept AS (
        INSERT INTO howdah.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, 0, 0, g.run_at,
            COALESCE(why, (
                SELECT CASE g.runs_when
                    WHEN 'done' THEN 'not run: it waits for "' || b.name || '", which '
                        || CASE b.state WHEN 'failed' THEN 'has failed' ELSE 'was cancelled' END
                    ELSE 'not run: nothing that it waits for has failed' END
                FROM howdah.workflow_edge e
                JOIN howdah.workflow_job b ON b.id = e.before
                WHERE e.after = g.id
                ORDER BY b.state IN ('failed', 'cancelled') DESC, b.state DESC, b.name
                LIMIT 1)),
            g.payload, g.more
        FROM gone g
    )
    SELECT count(*) INTO dropped FROM gone;
    UPDATE howdah.workflow_job j
    SET payload = NULL
    WHERE j.id = ANY (jobs) AND j.state IN ('leaving', 'cancelled');
    RETURN dropped;
END
$howdah$;

-- Cancels what it finds of the jobs of a workflow; waits for no lock. Jobs that are between two
-- places, or come back, are found another time: nodes do this again until the workflow has ended.
-- Only they write jobs that are held, so that the transaction of a caller keeps none of them.
CREATE FUNCTION howdah.workflow_sweep(of_workflow bigint, by_node boolean)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    known howdah.workflow;
    swept bigint;
    asked bigint;
BEGIN
    SELECT w.id, LEAST(w.first_id, min(e.first_id)), GREATEST(w.last_id, max(e.last_id))
    INTO known.id, known.first_id, known.last_id
    FROM howdah.workflow w
    LEFT JOIN howdah.workflow_event e ON e.workflow = w.id
    WHERE w.id = of_workflow
    GROUP BY w.id;
    swept := (
        SELECT count(*)
        FROM howdah.workflow_job j
        WHERE j.workflow = of_workflow AND j.state = 'held' AND NOT j.callback);
    IF by_node AND swept > 0 THEN
        swept := howdah.workflow_drop(ARRAY(
            SELECT j.id
            FROM howdah.workflow_job j
            WHERE j.workflow = of_workflow AND j.state = 'held' AND NOT j.callback),
            'cancelled with its workflow', false);
    END IF;
    WITH gone AS (
        DELETE FROM howdah.job j
        WHERE j.id = ANY (ARRAY(
            SELECT o.id
            FROM howdah.job o
            WHERE o.id BETWEEN known.first_id AND known.last_id
                AND o.more ->> 'flow' = of_workflow::text
            FOR UPDATE SKIP LOCKED))
        RETURNING j.*
    ), kept AS (
        INSERT INTO howdah.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, g.attempt, g.deaths, g.run_at,
            'cancelled with its workflow', g.payload, g.more
        FROM gone g
    )
    SELECT count(*) + swept INTO swept FROM gone;
    WITH running AS (
        SELECT u.id, b.node
        FROM howdah.batch b
        CROSS JOIN LATERAL unnest(b.ids) AS u (id)
        WHERE b.ended IS NULL
            AND b.last_id >= known.first_id
            AND b.first_id <= known.last_id
            AND b.rest -> u.id::text -> 'm' ->> 'flow' = of_workflow::text
    ), noted AS (
        INSERT INTO howdah.cancellation (job, node)
        SELECT r.id, r.node
        FROM running r
        WHERE NOT EXISTS (SELECT FROM howdah.cancellation c WHERE c.job = r.id)
        ON CONFLICT (job) DO NOTHING
        RETURNING job
    )
    SELECT count(pg_notify('howdah_job_cancel', n.job::text)) INTO asked FROM noted n;
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
    IF NOT EXISTS (SELECT FROM howdah.workflow w WHERE w.id = cancel_workflow.id) THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(cancel_workflow.id::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    END IF;
    INSERT INTO howdah.workflow_event (workflow, asked)
    SELECT w.id, 'cancel'
    FROM howdah.workflows w
    WHERE w.id = cancel_workflow.id AND w.state <> 'ended';
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    swept := howdah.workflow_sweep(cancel_workflow.id, false);
    PERFORM pg_notify('howdah_job_workflow', '');
    RETURN swept;
END
$howdah$;
COMMENT ON FUNCTION howdah.cancel_workflow(bigint) IS
    'Cancels the jobs of a workflow that have not ended: those that wait at once, those that run '
    'by their nodes; how many. Callbacks for the end of all jobs run.';

-- Adds up the events of workflows, and does what follows from them, in rounds, until there is
-- nothing left to do or there were enough rounds. Returns how many events there were; -1, if
-- another node is about to. Waits for no lock.
CREATE FUNCTION howdah.workflow_settle(most integer)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    seen bigint := 0;
    step bigint;
    changes jsonb;
    touched bigint[];
    due howdah.workflow;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1215264876, 5) THEN
        RETURN -1;
    END IF;
    FOR round IN 1..50 LOOP
        WITH gone AS (
            DELETE FROM howdah.workflow_event e
            WHERE e.ctid = ANY (ARRAY(
                SELECT o.ctid FROM howdah.workflow_event o ORDER BY o.id LIMIT most))
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
            UPDATE howdah.workflow w
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
            PERFORM howdah.workflow_advance(changes);
        END IF;
        FOR due IN
            SELECT w.*
            FROM howdah.workflow w
            WHERE w.ended IS NULL
                AND (
                    w.cancel_asked IS NOT NULL
                    OR NOT w.open AND w.total = w.done + w.failed + w.cancelled)
            LIMIT 100
            FOR UPDATE SKIP LOCKED
        LOOP
            -- An add that has committed before the row was locked is seen here.
            CONTINUE WHEN EXISTS (
                SELECT FROM howdah.workflow_event e WHERE e.workflow = due.id);
            IF due.open OR due.total > due.done + due.failed + due.cancelled THEN
                PERFORM howdah.workflow_sweep(due.id, true);
            ELSE
                PERFORM howdah.workflow_end(due.id, due.failed + due.cancelled = 0);
            END IF;
        END LOOP;
        EXIT WHEN step = 0 AND NOT EXISTS (SELECT FROM howdah.workflow_event);
    END LOOP;
    RETURN seen;
END
$howdah$;

-- All jobs of a workflow have ended: callbacks whose time it is are released. That for the case
-- that all are done is kept while one that has failed may be retried.
CREATE FUNCTION howdah.workflow_end(of_workflow bigint, all_done boolean)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    UPDATE howdah.workflow w SET ended = clock_timestamp() WHERE w.id = of_workflow;
    PERFORM howdah.workflow_release(ARRAY(
        SELECT j.id
        FROM howdah.workflow_job j
        WHERE j.workflow = of_workflow AND j.callback AND j.state = 'held'
            AND j.runs_when = ANY (
                ARRAY['ended', CASE WHEN all_done THEN 'done' ELSE 'failed' END])));
    IF all_done THEN
        DELETE FROM howdah.body b
        WHERE b.job IN (
            SELECT j.id
            FROM howdah.workflow_job j
            WHERE j.workflow = of_workflow AND j.callback AND j.state = 'held');
        DELETE FROM howdah.workflow_job j
        WHERE j.workflow = of_workflow AND j.callback AND j.state = 'held';
    END IF;
END
$howdah$;

-- Jobs with names have changed: what waits for them goes on, or will not run, or waits again. Of
-- several changes of a job the last one counts.
CREATE FUNCTION howdah.workflow_advance(changes jsonb)
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
BEGIN
    WITH news AS (
        SELECT DISTINCT ON (c.change ->> 'id') (c.change ->> 'id')::bigint AS id,
            c.change ->> 'state' AS state, c.change -> 'result' AS result,
            c.change ->> 'error' AS error
        FROM jsonb_array_elements(changes) WITH ORDINALITY AS c (change, n)
        WHERE c.change ->> 'state' <> 'join'
        ORDER BY c.change ->> 'id', c.n DESC
    ), old AS (
        SELECT j.id, j.state IN ('done', 'failed', 'cancelled') AS over,
            j.state IN ('failed', 'cancelled') AS bad, n.state, n.result, n.error
        FROM news n
        JOIN howdah.workflow_job j ON j.id = n.id
        WHERE n.state <> 'cancel' OR j.state = 'held'
    ), changed AS (
        UPDATE howdah.workflow_job j
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
        JOIN howdah.workflow_edge e ON e.before = o.id
        WHERE o.state <> 'cancel'
        GROUP BY e.after
    )
    SELECT array_agg(d.id), array_agg(d.open), array_agg(d.unmet), (
            SELECT array_agg(o.id) FROM old o WHERE o.state = 'held'), (
            SELECT array_agg(o.id) FROM old o WHERE o.state = 'cancel')
    INTO affected, opens, unmets, back, cancelled
    FROM deltas d;
    IF cancelled IS NOT NULL THEN
        PERFORM howdah.workflow_drop(cancelled, 'cancelled before it began', false);
    END IF;
    -- A statement of its own: what has changed can wait for another one that has, too.
    UPDATE howdah.workflow_job j
    SET open_before = j.open_before + d.open, unmet = j.unmet + d.unmet
    FROM unnest(affected, opens, unmets) AS d (id, open, unmet)
    WHERE j.id = d.id;
    IF joined <> '{}' THEN
        UPDATE howdah.workflow_job j
        SET open_before = e.open, unmet = e.unmet
        FROM (
            SELECT g.after AS id,
                count(*) FILTER (WHERE b.state NOT IN ('done', 'failed', 'cancelled')) AS open,
                count(*) FILTER (WHERE b.state IN ('failed', 'cancelled')) AS unmet
            FROM howdah.workflow_edge g
            JOIN howdah.workflow_job b ON b.id = g.before
            WHERE g.after = ANY (joined)
            GROUP BY g.after) e
        WHERE j.id = e.id;
        affected := affected || joined;
    END IF;
    affected := affected || back;
    IF affected IS NULL THEN
        RETURN;
    END IF;
    -- They were skipped because of one that has been retried.
    WITH again AS (
        DELETE FROM howdah.failed f
        USING howdah.workflow_job j
        WHERE f.id = j.id AND j.id = ANY (affected)
            AND f.ctid = ANY (ARRAY(
                SELECT o.ctid
                FROM howdah.failed o
                WHERE o.id = ANY (affected)
                FOR UPDATE SKIP LOCKED))
            AND j.state = 'cancelled'
            AND j.skipped
            AND CASE j.runs_when WHEN 'done' THEN j.unmet = 0 ELSE j.open_before > 0 END
        RETURNING f.id, f.payload, j.workflow
    ), held AS (
        UPDATE howdah.workflow_job j
        SET payload = a.payload
        FROM again a
        WHERE j.id = a.id
    )
    INSERT INTO howdah.workflow_event (workflow, cancelled, jobs)
    SELECT a.workflow, -count(*), jsonb_agg(jsonb_build_object('id', a.id, 'state', 'held'))
    FROM again a
    GROUP BY a.workflow;
    PERFORM howdah.workflow_release(ARRAY(
        SELECT j.id
        FROM howdah.workflow_job j
        WHERE j.id = ANY (affected) AND j.state = 'held'
            AND CASE j.runs_when WHEN 'done' THEN j.open_before = 0 AND j.unmet = 0
                WHEN 'failed' THEN j.unmet > 0 ELSE j.open_before = 0 END));
    PERFORM howdah.workflow_drop(ARRAY(
        SELECT j.id
        FROM howdah.workflow_job j
        WHERE j.id = ANY (affected) AND j.state = 'held'
            AND CASE j.runs_when WHEN 'done' THEN j.unmet > 0
                WHEN 'failed' THEN j.open_before = 0 AND j.unmet = 0 ELSE false END), NULL, true);
END
$howdah$;
