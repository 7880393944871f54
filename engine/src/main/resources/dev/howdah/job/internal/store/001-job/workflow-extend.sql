-- Adding jobs to open workflows -------------------------------------------------------------------

-- Jobs were added to a workflow.
CREATE FUNCTION howdah_internal.workflow_added(of_workflow bigint, jobs integer, first bigint,
    last bigint)
RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    INSERT INTO howdah_internal.workflow_event (workflow, added, first_id, last_id)
    VALUES (of_workflow, jobs, first, last)
$howdah$;
COMMENT ON FUNCTION howdah_internal.workflow_added(bigint, integer, bigint, bigint) IS
    'For the library: counts jobs that it has added to a workflow in this transaction.';

-- Keeps a workflow from ending until the end of this transaction, and refuses one to which nothing
-- can be added. The workflow and what was asked of it are read by one statement: of two, the first
-- could come before the commit of a node that closes it and the second after it, so that neither
-- saw the end.
CREATE FUNCTION howdah_internal.workflow_keep(of_workflow bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    takes boolean;
BEGIN
    SELECT w.open AND w.ended IS NULL AND w.cancel_asked IS NULL AND NOT EXISTS (
        SELECT
        FROM howdah_internal.workflow_event e
        WHERE e.workflow = w.id AND e.asked IS NOT NULL)
    INTO takes
    FROM howdah_internal.workflow w
    WHERE w.id = of_workflow
    FOR KEY SHARE OF w;
    IF NOT FOUND THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(of_workflow::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    ELSIF NOT takes THEN
        RAISE 'nothing can be added to workflow %: it is not open', of_workflow
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Jobs can be added to a workflow that was added as open, until it is closed '
                    'or cancelled.';
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.workflow_keep(bigint) IS
    'For the library: before jobs are added to a workflow in this transaction.';

CREATE FUNCTION howdah_internal.add_to_workflow(
    workflow bigint, queue text, kind text, payloads json[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    level smallint := howdah_internal.check_priority(COALESCE($5, 0));
    due timestamptz := howdah_internal.due($6, $7);
    unusual jsonb := COALESCE(howdah_internal.unusual(due, $8, $9, NULL, NULL, $10), '{}')
        || jsonb_build_object('flow', $1);
    home integer;
    ids bigint[];
BEGIN
    PERFORM howdah_internal.check_name('queue', $2), howdah_internal.check_name('kind', $3),
        howdah_internal.workflow_keep($1);
    IF $4 IS NULL THEN
        RAISE 'payloads is NULL: it has to be an array, of one for each job'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    home := howdah_internal.lane_for(howdah_internal.lane_of($2, $3, level), unusual);
    WITH asked AS (
        SELECT nextval('howdah_internal.job_id_seq') AS id, COALESCE(u.payload, 'null') AS payload
        FROM unnest($4) AS u (payload)
    ), bodies AS (
        INSERT INTO howdah_internal.body (job, payload)
        SELECT a.id, a.payload
        FROM asked a
        WHERE howdah_internal.is_large(a.payload)
    ), jobs AS (
        INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
        SELECT a.id, home, $3, level, due,
            CASE WHEN NOT howdah_internal.is_large(a.payload) THEN a.payload END, unusual
        FROM asked a
    )
    SELECT array_agg(a.id ORDER BY a.id) INTO ids FROM asked a;
    PERFORM howdah_internal.ring(home);
    IF cardinality(ids) > 0 THEN
        PERFORM howdah_internal.workflow_added($1, cardinality(ids), ids[1], ids[cardinality(ids)]);
    END IF;
    RETURN QUERY SELECT i.id FROM unnest(ids) WITH ORDINALITY AS i (id, n) ORDER BY i.n;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_to_workflow(
    bigint, text, text, json[], integer, timestamptz, interval, integer, interval, jsonb) IS
    'Adds many jobs to an open workflow in this transaction, one for each payload: their ids, '
    'in that order.';

-- Jobs with names join an open workflow. What they wait for may end meanwhile, and no node waits
-- for this transaction: so those that wait have one more before them (open_before) than they have
-- edges, until a node has looked at all of them after this transaction (state join, in
-- workflow_advance). Each name is looked up by itself: the workflow may have very many.
CREATE FUNCTION howdah_internal.add_to_workflow(workflow bigint, jobs json)
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
    PERFORM howdah_internal.check_workflow_jobs($2), howdah_internal.workflow_keep($1);
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
        ids := ids || howdah_internal.put_workflow_job(
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
                FROM howdah_internal.workflow_job b
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
    PERFORM howdah_internal.check_cycle(names, befores, afters);
    INSERT INTO howdah_internal.workflow_edge (before, after)
    SELECT e.before, e.after
    FROM unnest(edge_befores, edge_afters) AS e (before, after);
    INSERT INTO howdah_internal.workflow_event (workflow, added, first_id, last_id, jobs)
    SELECT $1, count(*), min(j.id), max(j.id),
        jsonb_agg(jsonb_build_object('id', j.id, 'state', 'join')) FILTER (WHERE j.open_before > 0)
    FROM howdah_internal.workflow_job j
    WHERE j.id = ANY (ids);
    PERFORM howdah_internal.workflow_release(ARRAY(
        SELECT j.id FROM howdah_internal.workflow_job j WHERE j.id = ANY (ids)
            AND j.open_before = 0));
    PERFORM howdah_internal.tell('howdah_job_workflow', '');
    RETURN QUERY SELECT i.id FROM unnest(ids) WITH ORDINALITY AS i (id, n) ORDER BY i.n;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_to_workflow(bigint, json) IS
    'Adds jobs with names, as those of howdah.add_workflow, to an open workflow in this '
    'transaction; they may wait for each other and for named jobs that it has already. Their ids, '
    'in that order.';

CREATE FUNCTION howdah.close_workflow(id bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF NOT EXISTS (SELECT FROM howdah_internal.workflow w WHERE w.id = close_workflow.id) THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(close_workflow.id::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    END IF;
    INSERT INTO howdah_internal.workflow_event (workflow, asked)
    SELECT w.id, 'close'
    FROM howdah.workflows w
    WHERE w.id = close_workflow.id AND w.state = 'open';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM howdah_internal.tell('howdah_job_workflow', '');
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.close_workflow(bigint) IS
    'No more jobs are added to a workflow: it ends when all of its jobs have; false, if it was '
    'not open.';
