-- Workflows ---------------------------------------------------------------------------------------

-- The newest counts: what events have not been added up yet, is added here.
CREATE VIEW howdah.workflows AS
SELECT w.id, w.name,
    CASE WHEN w.ended IS NOT NULL AND w.total + n.added <= w.done + n.done + w.failed + n.failed
            + w.cancelled + n.cancelled THEN 'ended'
        WHEN w.cancel_asked IS NOT NULL OR n.cancel THEN 'cancelling'
        WHEN w.open AND NOT n.closed THEN 'open'
        ELSE 'running'
    END AS state,
    w.created, w.ended, w.total + n.added AS total, w.done + n.done AS done,
    w.failed + n.failed AS failed, w.cancelled + n.cancelled AS cancelled,
    w.total + n.added - w.done - n.done - w.failed - n.failed - w.cancelled - n.cancelled
        AS waiting, (
        SELECT count(*)
        FROM howdah_internal.workflow_job c
        JOIN howdah_internal.job j ON j.id = c.id
        WHERE c.workflow = w.id AND c.name >= '*' AND c.name < '+' AND c.callback) AS callbacks
FROM howdah_internal.workflow w
CROSS JOIN LATERAL (
    SELECT COALESCE(sum(e.added), 0) AS added, COALESCE(sum(e.done), 0) AS done,
        COALESCE(sum(e.failed), 0) AS failed, COALESCE(sum(e.cancelled), 0) AS cancelled,
        COALESCE(bool_or(e.asked = 'cancel'), false) AS cancel,
        COALESCE(bool_or(e.asked IS NOT NULL), false) AS closed
    FROM howdah_internal.workflow_event e
    WHERE e.workflow = w.id) AS n;
COMMENT ON VIEW howdah.workflows IS
    'Workflows: state is open (jobs may be added), running, cancelling or ended; how many jobs '
    'there are, and how many are done, have failed, were cancelled, or are still waiting or '
    'running; how many of its callbacks wait for a node.';

CREATE VIEW howdah.workflow_jobs AS
SELECT j.workflow, j.id, j.name,
    CASE WHEN j.state = 'leaving' THEN 'cancelled' ELSE j.state END AS state, j.callback,
    j.runs_when, ARRAY(
        SELECT b.name
        FROM howdah_internal.workflow_edge e
        JOIN howdah_internal.workflow_job b ON b.id = e.before
        WHERE e.after = j.id
        ORDER BY b.name) AS after,
    j.kind, j.result, j.error
FROM howdah_internal.workflow_job j;
COMMENT ON VIEW howdah.workflow_jobs IS
    'Jobs of workflows that have a name: held (waits for others), released (waits for a node or '
    'runs, see howdah.jobs), done, failed or cancelled; the names of those that it waits for.';

-- One of the jobs of a workflow, as JSON has it; returns its id. It is held. extra: how many more
-- it waits for than those that it names, if it names any.
CREATE FUNCTION howdah_internal.put_workflow_job(
    of_workflow bigint, job json, as_name text, of_when text, is_callback boolean, extra integer)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
DECLARE
    named bigint := nextval('howdah_internal.job_id_seq');
    unknown text := (
        SELECT k.key
        FROM json_object_keys(job) AS k (key)
        WHERE k.key <> ALL ('{name,queue,kind,payload,priority,run_at,delay,attempts,timeout,'
            'options,after,when,fill,input}')
        LIMIT 1);
    level smallint;
    due timestamptz;
    unusual jsonb;
    fills boolean := COALESCE((job ->> 'fill')::boolean, false);
    befores integer := 0;
BEGIN
    IF unknown IS NOT NULL THEN
        RAISE 'job "%" of a workflow has a field "%"', as_name, unknown
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Fields are name, queue, kind, payload, priority, run_at, delay, attempts, '
                    'timeout, options, after, when, fill and input.';
    ELSIF of_when NOT IN ('done', 'failed', 'ended') THEN
        RAISE 'job "%" of a workflow: when is "%": it has to be done, failed or ended', as_name,
            of_when
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF job ->> 'input' IS NOT NULL AND NOT fills THEN
        RAISE 'job "%" of a workflow has an input, which is for payloads with "fill": true',
            as_name
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF fills AND is_callback THEN
        RAISE 'a callback of a workflow has "fill": true, which is for its other jobs'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF json_typeof(job -> 'after') = 'array' AND NOT is_callback THEN
        befores := (
            SELECT count(DISTINCT a.name)
            FROM json_array_elements_text(job -> 'after') AS a (name));
    END IF;
    PERFORM howdah_internal.check_name('job of a workflow', as_name),
        howdah_internal.check_name('queue', COALESCE(job ->> 'queue', 'default')),
        howdah_internal.check_name('kind', job ->> 'kind');
    level := howdah_internal.check_priority(COALESCE((job ->> 'priority')::integer, 0));
    due := howdah_internal.due((job ->> 'run_at')::timestamptz, (job ->> 'delay')::interval);
    unusual := howdah_internal.unusual(
        due, (job ->> 'attempts')::integer, (job ->> 'timeout')::interval, NULL, NULL,
        (job -> 'options')::jsonb);
    INSERT INTO howdah_internal.workflow_job (
        id, workflow, name, runs_when, callback, open_before, run_at, lane, priority, kind, payload,
        more)
    VALUES (
        named, of_workflow, as_name, of_when, is_callback,
        CASE WHEN befores > 0 THEN befores + extra ELSE 0 END, due,
        howdah_internal.lane_for(
            howdah_internal.lane_of(COALESCE(job ->> 'queue', 'default'), job ->> 'kind', level),
                unusual),
        level, job ->> 'kind',
        howdah_internal.put_body(named, CASE WHEN NOT fills THEN COALESCE(job -> 'payload', 'null')
            ELSE json_build_object('payload', job -> 'payload', 'input', job -> 'input') END),
        COALESCE(unusual, '{}')
            || CASE WHEN fills THEN '{"fill": true}'::jsonb ELSE '{}' END
            || CASE WHEN is_callback THEN jsonb_build_object('callback', of_workflow)
            ELSE jsonb_build_object('flow', of_workflow, 'graph', true) END)
    -- Which another transaction may be about to commit: its end is waited for.
    ON CONFLICT (workflow, name) DO NOTHING;
    IF NOT FOUND THEN
        RAISE 'workflow % has a job with the name "%" already', of_workflow, as_name
            USING ERRCODE = 'unique_violation';
    END IF;
    RETURN named;
END
$howdah$;

-- Jobs that wait for others are no cycle: each is taken out when all that it waits for are. Of
-- those that stay, one walks back to what it waits for until it comes to one a second time. befores
-- and afters: places in names, by before.
CREATE FUNCTION howdah_internal.check_cycle(names text[], befores integer[], afters integer[])
RETURNS void
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    size CONSTANT integer := cardinality(names);
    waits integer[] := array_fill(0, ARRAY[size]);
    starts integer[] := array_fill(0, ARRAY[size]);
    line integer[] := '{}';
    at integer := 1;
    place integer;
    way integer[] := '{}';
BEGIN
    FOR i IN 1..COALESCE(cardinality(befores), 0) LOOP
        waits[afters[i]] := waits[afters[i]] + 1;
        IF starts[befores[i]] = 0 THEN
            starts[befores[i]] := i;
        END IF;
    END LOOP;
    FOR i IN 1..size LOOP
        IF waits[i] = 0 THEN
            line := line || i;
        END IF;
    END LOOP;
    WHILE at <= cardinality(line) LOOP
        place := starts[line[at]];
        WHILE place > 0 AND befores[place] = line[at] LOOP
            waits[afters[place]] := waits[afters[place]] - 1;
            IF waits[afters[place]] = 0 THEN
                line := line || afters[place];
            END IF;
            place := place + 1;
        END LOOP;
        at := at + 1;
    END LOOP;
    IF cardinality(line) = size THEN
        RETURN;
    END IF;
    place := (SELECT w.n FROM unnest(waits) WITH ORDINALITY AS w (waits, n)
        WHERE w.waits > 0 ORDER BY w.n LIMIT 1);
    WHILE array_position(way, place) IS NULL LOOP
        way := way || place;
        place := (
            SELECT e.before
            FROM unnest(befores, afters) AS e (before, after)
            WHERE e.after = place AND waits[e.before] > 0
            ORDER BY e.before
            LIMIT 1);
    END LOOP;
    RAISE 'a cycle of jobs, none of which could ever run: %', (
            SELECT string_agg('"' || names[w.place] || '"', ' waits for ' ORDER BY w.n)
            FROM unnest(way[array_position(way, place):] || place)
                WITH ORDINALITY AS w (place, n))
        USING ERRCODE = 'invalid_parameter_value';
END
$howdah$;

-- Jobs of a workflow as JSON, before any of them is written.
CREATE FUNCTION howdah_internal.check_workflow_jobs(jobs json)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    each record;
BEGIN
    IF json_typeof(jobs) IS DISTINCT FROM 'array' THEN
        RAISE 'the jobs of a workflow are %: they have to be a JSON array of objects',
            COALESCE('JSON of type ' || json_typeof(jobs), 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR each IN SELECT j.job, j.n FROM json_array_elements(jobs) WITH ORDINALITY AS j (job, n) LOOP
        IF json_typeof(each.job) <> 'object' THEN
            RAISE 'job % of a workflow is JSON of type %: it has to be an object such as '
                '{"kind": "k", "payload": 1}', each.n, json_typeof(each.job)
                USING ERRCODE = 'invalid_parameter_value';
        ELSIF COALESCE(json_typeof(each.job -> 'after'), 'array') NOT IN ('array', 'null') THEN
            RAISE 'job % of a workflow: after is %: it has to be an array of names', each.n,
                each.job ->> 'after'
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END LOOP;
    SELECT d.name INTO each
    FROM (SELECT j.job ->> 'name' AS name FROM json_array_elements(jobs) AS j (job)) d
    WHERE d.name IS NOT NULL
    GROUP BY d.name
    HAVING count(*) > 1
    LIMIT 1;
    IF FOUND THEN
        RAISE 'a workflow has two jobs with the name "%"', each.name
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;

-- The part of howdah.add_workflow that the library uses, too: its jobs without a name are added
-- behind it, in the same transaction.
CREATE FUNCTION howdah_internal.put_workflow(
    jobs json, as_name text, stays_open boolean, callbacks json)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET enable_nestloop = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    flow bigint;
    names text[] := '{}';
    ids bigint[] := '{}';
    befores integer[];
    afters integer[];
    each record;
    missing record;
    named text;
BEGIN
    IF as_name IS NOT NULL THEN
        PERFORM howdah_internal.check_name('workflow', as_name);
    END IF;
    PERFORM howdah_internal.check_workflow_jobs(jobs);
    INSERT INTO howdah_internal.workflow (name, open)
    VALUES (as_name, COALESCE(stays_open, false))
    RETURNING id INTO flow;
    FOR each IN SELECT j.job, j.n FROM json_array_elements(jobs) WITH ORDINALITY AS j (job, n) LOOP
        named := COALESCE(each.job ->> 'name', '#' || each.n);
        names := names || named;
        ids := ids || howdah_internal.put_workflow_job(
            flow, each.job, named, COALESCE(each.job ->> 'when', 'done'), false, 0);
    END LOOP;
    SELECT n.name, e.before INTO missing
    FROM json_array_elements(jobs) WITH ORDINALITY AS j (job, n)
    CROSS JOIN LATERAL json_array_elements_text(
        CASE WHEN json_typeof(j.job -> 'after') = 'array' THEN j.job -> 'after' ELSE '[]' END)
        AS e (before)
    JOIN unnest(names) WITH ORDINALITY AS n (name, n) ON n.n = j.n
    LEFT JOIN unnest(names) AS b (name) ON b.name = e.before
    WHERE b.name IS NULL
    LIMIT 1;
    IF FOUND THEN
        RAISE 'job "%" of a workflow waits for "%", which is no job of it', missing.name,
            COALESCE(missing.before, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(d.before ORDER BY d.before, d.after),
        array_agg(d.after ORDER BY d.before, d.after)
    INTO befores, afters
    FROM (
        SELECT DISTINCT b.n::integer AS before, j.n::integer AS after
        FROM json_array_elements(jobs) WITH ORDINALITY AS j (job, n)
        CROSS JOIN LATERAL json_array_elements_text(
            CASE WHEN json_typeof(j.job -> 'after') = 'array' THEN j.job -> 'after' ELSE '[]' END)
            AS e (before)
        JOIN unnest(names) WITH ORDINALITY AS b (name, n) ON b.name = e.before) d;
    PERFORM howdah_internal.check_cycle(names, befores, afters);
    INSERT INTO howdah_internal.workflow_edge (before, after)
    SELECT ids[e.before], ids[e.after]
    FROM unnest(befores, afters) AS e (before, after);
    FOR each IN SELECT c.key, c.value FROM json_each(COALESCE(callbacks, '{}')) AS c (key, value)
        WHERE json_typeof(c.value) <> 'null'
    LOOP
        PERFORM howdah_internal.put_workflow_job(flow, each.value, '*' || each.key, each.key, true,
            0);
    END LOOP;
    UPDATE howdah_internal.workflow w
    SET total = cardinality(ids), first_id = ids[1], last_id = ids[cardinality(ids)]
    WHERE w.id = flow;
    PERFORM howdah_internal.workflow_release(ARRAY(
        SELECT j.id
        FROM howdah_internal.workflow_job j
        WHERE j.workflow = flow AND j.open_before = 0 AND NOT j.callback));
    RETURN flow;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.put_workflow(json, text, boolean, json) IS
    'For the library: adds a workflow with its jobs that have names, and its callbacks.';

CREATE FUNCTION howdah_internal.add_workflow(
    jobs json, name text DEFAULT NULL, open boolean DEFAULT false, when_ended json DEFAULT NULL,
    when_done json DEFAULT NULL, when_failed json DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF NOT COALESCE(open, false) AND json_typeof(jobs) = 'array' AND json_array_length(jobs) = 0
    THEN
        RAISE 'a workflow without jobs: it needs one at least, or open => true to add jobs later'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN howdah_internal.put_workflow(
        jobs, name, open,
        json_build_object('ended', when_ended, 'done', when_done, 'failed', when_failed));
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_workflow(json, text, boolean, json, json, json) IS
    'Adds jobs together in this transaction, some of which may wait for others, and jobs that run '
    'when all have ended; returns the id of the workflow.';
