-- Retries of jobs that wait for others ------------------------------------------------------------

-- Asks the nodes to bring those of the jobs back that have failed or were cancelled and wait for
-- others, of which some may yet run: which. Nodes alone write jobs that are held, and they know
-- what else comes back. They leave each among the failed ones until then.
CREATE FUNCTION howdah.workflow_ask(jobs bigint[])
RETURNS bigint[]
LANGUAGE plpgsql
AS $howdah$
DECLARE
    asked bigint[];
BEGIN
    WITH waiting AS (
        SELECT j.id, j.workflow
        FROM howdah.workflow_job j
        JOIN howdah.failed f ON f.id = j.id
        WHERE j.id = ANY (jobs)
            AND (
                j.callback
                -- What is done stays so.
                OR EXISTS (
                    SELECT
                    FROM howdah.workflow_edge e
                    JOIN howdah.workflow_job b ON b.id = e.before
                    WHERE e.after = j.id AND (b.state <> 'done' OR j.runs_when = 'failed')))
    ), events AS (
        INSERT INTO howdah.workflow_event (workflow, jobs)
        SELECT w.workflow, jsonb_agg(jsonb_build_object('id', w.id, 'state', 'retry'))
        FROM waiting w
        GROUP BY w.workflow
        RETURNING pg_notify('howdah_job_workflow', '')
    )
    SELECT COALESCE(array_agg(w.id), '{}') INTO asked
    FROM waiting w
    WHERE (SELECT count(*) FROM events) >= 0;
    RETURN asked;
END
$howdah$;
REVOKE EXECUTE ON FUNCTION howdah.workflow_ask(bigint[]) FROM PUBLIC;

-- As before, but the nodes bring those back that wait for others.
CREATE OR REPLACE FUNCTION howdah.retry(id bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    old howdah.failed;
    home howdah.lane;
    known howdah.key;
    with_key text;
    with_version timestamptz;
    in_lane integer;
BEGIN
    IF howdah.workflow_ask(ARRAY[retry.id]) <> '{}' THEN
        RETURN true;
    END IF;
    SELECT * INTO old FROM howdah.failed f WHERE f.id = retry.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM howdah.check_job(retry.id);
        RETURN false;
    END IF;
    SELECT q.* INTO home
    FROM howdah.lane l
    JOIN howdah.lane q ON q.queue = l.queue AND COALESCE(q.kind, '') = '' AND q.home IS NULL
    WHERE l.id = old.lane;
    with_key := old.more ->> 'key';
    with_version := (old.more ->> 'version')::timestamptz;
    WHILE with_key IS NOT NULL LOOP
        INSERT INTO howdah.key (queue, kind, key, job, version)
        VALUES (home.id, old.kind, with_key, old.id, with_version)
        ON CONFLICT ON CONSTRAINT key_pkey DO NOTHING;
        EXIT WHEN FOUND;
        SELECT * INTO known
        FROM howdah.key k
        WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key
        FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        IF known.ended IS NULL
            AND EXISTS (SELECT FROM howdah.key_late t WHERE t.job = known.job) THEN
            PERFORM howdah.keys_settle(ARRAY[known.job], false);
            SELECT * INTO known
            FROM howdah.key k
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
        UPDATE howdah.key k
        SET job = old.id, ended = NULL
        WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key;
        EXIT;
    END LOOP;
    DELETE FROM howdah.failed f WHERE f.id = old.id;
    DELETE FROM howdah.cancellation c WHERE c.job = old.id;
    IF old.more ? 'flow' THEN
        PERFORM howdah.workflow_reopen(ARRAY[old.id], ARRAY[old.state], ARRAY[old.more]);
    END IF;
    in_lane := howdah.lane_for(
        howdah.lane_of(home.queue, old.kind, old.priority), old.more);
    IF old.more -> 'ordered' IS NOT NULL THEN
        -- It waits for its turn again, the first of its key.
        INSERT INTO howdah.ordered (id, queue, key, run_at, lane, priority, kind, payload, more)
        VALUES (
            old.id, home.queue, old.more ->> 'ordered', now(), in_lane, old.priority, old.kind,
            old.payload, old.more - 'error');
        PERFORM pg_notify('howdah_job_order', '');
        RETURN true;
    END IF;
    INSERT INTO howdah.job (id, lane, kind, priority, payload, more)
    VALUES (old.id, in_lane, old.kind, old.priority,
        -- It was cancelled before what it waits for had ended.
        CASE WHEN old.more ? 'fill' THEN howdah.workflow_payload(old.id, old.payload)
            ELSE old.payload END,
        COALESCE(old.more, '{}') - '{error,fill}'::text[] || jsonb_build_object(
            'created', COALESCE(old.more -> 'created', to_jsonb(old.run_at))));
    PERFORM howdah.ring(in_lane);
    RETURN true;
END
$howdah$;

-- As before, but the nodes bring those back that wait for others.
CREATE OR REPLACE FUNCTION howdah.change_step(
    action text, of_state text, of_queue text, of_kind text, of_key text, with_error text,
    with_payload jsonb, since timestamptz, before timestamptz, with_tags text[],
    with_metadata jsonb, with_pattern text, to_queue text, last bigint, step integer,
    OUT seen bigint, OUT changed bigint, OUT next bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- The conditions look to the planner as if few jobs met them: it would test all jobs and sort them,
-- in each step, instead of taking the first ones by id.
SET enable_sort = off
AS $howdah$
DECLARE
    found_ids bigint[];
    plain bigint[];
    keyed bigint[];
    asked bigint[];
    each_id bigint;
    target record;
    in_lane integer;
BEGIN
    changed := 0;
    IF of_state IN ('failed', 'cancelled') THEN
        SELECT array_agg(p.id ORDER BY p.id),
            array_agg(p.id) FILTER (WHERE NOT p.more ?| '{key,ordered}' OR p.more IS NULL),
            array_agg(p.id ORDER BY p.id) FILTER (WHERE p.more ?| '{key,ordered}')
        INTO found_ids, plain, keyed
        FROM (
            SELECT f.id, f.more
            FROM howdah.failed f
            WHERE f.state = of_state
                AND f.id > last
                AND (
                    of_queue IS NULL
                    OR f.lane = ANY (
                        ARRAY(SELECT l.id FROM howdah.lane l WHERE l.queue = of_queue)))
                AND (of_kind IS NULL OR f.kind = of_kind)
                AND (of_key IS NULL OR f.more ->> 'key' = of_key)
                AND (with_error IS NULL OR position(with_error IN f.error) > 0)
                AND (since IS NULL OR f.ended >= since)
                AND (before IS NULL OR f.ended < before)
                AND (with_tags IS NULL OR f.more -> 'tags' @> to_jsonb(with_tags))
                AND (with_metadata IS NULL OR f.more -> 'metadata' @> with_metadata)
                AND (with_pattern IS NULL OR howdah.error_pattern(f.error) = with_pattern)
                AND CASE WHEN with_payload IS NULL THEN true
                    ELSE howdah.payload_contains(COALESCE(
                        f.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = f.id)),
                        with_payload) END
            ORDER BY f.id
            LIMIT step
            FOR UPDATE SKIP LOCKED) p;
    ELSE
        SELECT array_agg(p.id ORDER BY p.id),
            array_agg(p.id) FILTER (WHERE NOT p.more ?| '{key,ordered}' OR p.more IS NULL),
            array_agg(p.id ORDER BY p.id) FILTER (WHERE p.more ?| '{key,ordered}')
        INTO found_ids, plain, keyed
        FROM (
            SELECT j.id, j.more
            FROM howdah.job j
            WHERE CASE of_state WHEN 'waiting' THEN j.run_at <= now()
                    WHEN 'planned' THEN j.run_at > now() AND j.attempt = 0
                    ELSE j.run_at > now() AND j.attempt > 0 END
                AND j.id > last
                AND (
                    of_queue IS NULL
                    OR j.lane = ANY (
                        ARRAY(SELECT l.id FROM howdah.lane l WHERE l.queue = of_queue)))
                AND (of_kind IS NULL OR j.kind = of_kind)
                AND (of_key IS NULL OR j.more ->> 'key' = of_key)
                AND (with_error IS NULL OR position(with_error IN j.more ->> 'error') > 0)
                AND (since IS NULL OR j.run_at >= since)
                AND (before IS NULL OR j.run_at < before)
                AND (with_tags IS NULL OR j.more -> 'tags' @> to_jsonb(with_tags))
                AND (with_metadata IS NULL OR j.more -> 'metadata' @> with_metadata)
                AND (
                    with_pattern IS NULL
                    OR howdah.error_pattern(j.more ->> 'error') = with_pattern)
                AND CASE WHEN with_payload IS NULL THEN true
                    ELSE howdah.payload_contains(COALESCE(
                        j.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = j.id)),
                        with_payload) END
            ORDER BY j.id
            LIMIT step
            FOR UPDATE SKIP LOCKED) p;
    END IF;
    seen := COALESCE(cardinality(found_ids), 0);
    next := found_ids[seen];
    IF seen = 0 THEN
        RETURN;
    END IF;
    IF action = 'retry' THEN
        asked := howdah.workflow_ask(plain);
        FOR target IN
            SELECT l.queue, f.kind, f.priority, f.more ->> 'group' AS group_name,
                array_agg(f.id) AS ids
            FROM howdah.failed f
            JOIN howdah.lane l ON l.id = f.lane
            WHERE f.id = ANY (plain) AND f.id <> ALL (asked)
            GROUP BY l.queue, f.kind, f.priority, f.more ->> 'group'
        LOOP
            in_lane := howdah.lane_of(target.queue, target.kind, target.priority);
            IF target.group_name IS NOT NULL THEN
                in_lane := howdah.group_lane(in_lane, target.group_name);
            END IF;
            WITH gone AS (
                DELETE FROM howdah.failed f WHERE f.id = ANY (target.ids) RETURNING f.*
            ), forgotten AS (
                DELETE FROM howdah.cancellation c WHERE c.job = ANY (target.ids)
            ), reopened AS (
                SELECT howdah.workflow_reopen(
                    array_agg(g.id), array_agg(g.state), array_agg(g.more))
                FROM gone g
                WHERE g.more ? 'flow'
                HAVING count(*) > 0
            )
            INSERT INTO howdah.job (id, lane, kind, priority, payload, more)
            SELECT g.id, in_lane, g.kind, g.priority,
                CASE WHEN g.more ? 'fill' THEN howdah.workflow_payload(g.id, g.payload)
                    ELSE g.payload END,
                COALESCE(g.more, '{}') - '{error,fill}'::text[] || jsonb_build_object(
                    'created', COALESCE(g.more -> 'created', to_jsonb(g.run_at)))
            FROM gone g
            WHERE (SELECT count(*) FROM reopened) >= 0;
            PERFORM howdah.ring(in_lane);
        END LOOP;
        changed := COALESCE(cardinality(plain), 0);
        FOREACH each_id IN ARRAY COALESCE(keyed, '{}') LOOP
            BEGIN
                changed := changed + howdah.retry(each_id)::integer;
            EXCEPTION WHEN unique_violation OR object_not_in_prerequisite_state THEN
                -- Another job has its key now, or a newer version of it is known: it stays.
                CONTINUE;
            END;
        END LOOP;
    ELSIF action = 'delete' THEN
        DELETE FROM howdah.body b WHERE b.job = ANY (found_ids);
        DELETE FROM howdah.failed f WHERE f.id = ANY (found_ids);
        changed := seen;
    ELSIF action = 'run_now' THEN
        UPDATE howdah.job j
        SET run_at = now(),
            more = COALESCE(j.more, '{}') || jsonb_build_object(
                'created', COALESCE(j.more -> 'created', to_jsonb(now())))
        WHERE j.id = ANY (found_ids);
        changed := seen;
        PERFORM howdah.ring(t.lane)
        FROM (SELECT DISTINCT j.lane FROM howdah.job j WHERE j.id = ANY (found_ids)) t;
    ELSIF action = 'cancel' THEN
        WITH gone AS (
            DELETE FROM howdah.job j WHERE j.id = ANY (found_ids) RETURNING j.*
        )
        INSERT INTO howdah.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, g.attempt, g.deaths, g.run_at,
            'cancelled before it began', g.payload, g.more
        FROM gone g;
        IF keyed IS NOT NULL THEN
            PERFORM howdah.keys_settle(keyed, true);
        END IF;
        changed := seen;
    ELSE
        changed := howdah.move_jobs(plain, to_queue);
    END IF;
END
$howdah$;

-- As before, and brings back the jobs of which it is asked.
CREATE OR REPLACE FUNCTION howdah.workflow_advance(changes jsonb)
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
    affected := affected || back || asked;
    IF cardinality(affected) = 0 THEN
        RETURN;
    END IF;
    -- They were skipped because of one that has been retried, or are retried themselves.
    WITH again AS (
        DELETE FROM howdah.failed f
        USING howdah.workflow_job j
        WHERE f.id = j.id AND j.id = ANY (affected)
            AND f.ctid = ANY (ARRAY(
                SELECT o.ctid
                FROM howdah.failed o
                WHERE o.id = ANY (affected)
                FOR UPDATE SKIP LOCKED))
            AND (
                j.id = ANY (asked)
                OR j.state = 'cancelled'
                    AND j.skipped
                    AND CASE j.runs_when WHEN 'done' THEN j.unmet = 0 ELSE j.open_before > 0 END)
        RETURNING f.id, f.state, f.lane, f.payload, f.more, j.workflow, j.callback
    ), held AS (
        UPDATE howdah.workflow_job j
        SET payload = a.payload, lane = a.lane, more = a.more - 'error'
        FROM again a
        WHERE j.id = a.id
    ), opened AS (
        -- Callbacks are not counted, and wait for all jobs to have ended.
        UPDATE howdah.workflow w
        SET ended = NULL
        WHERE w.id IN (SELECT a.workflow FROM again a)
    ), forgotten AS (
        DELETE FROM howdah.cancellation c WHERE c.job IN (SELECT a.id FROM again a)
    )
    INSERT INTO howdah.workflow_event (workflow, failed, cancelled, jobs)
    SELECT a.workflow, -count(*) FILTER (WHERE a.state = 'failed' AND NOT a.callback),
        -count(*) FILTER (WHERE a.state = 'cancelled' AND NOT a.callback),
        jsonb_agg(jsonb_build_object('id', a.id, 'state', 'held'))
    FROM again a
    GROUP BY a.workflow;
    -- Another session holds them, and may leave them where they are.
    INSERT INTO howdah.workflow_event (workflow, jobs)
    SELECT j.workflow, jsonb_agg(jsonb_build_object('id', j.id, 'state', 'retry'))
    FROM howdah.workflow_job j
    JOIN howdah.failed f ON f.id = j.id
    WHERE j.id = ANY (asked)
    GROUP BY j.workflow;
    PERFORM howdah.workflow_release(ARRAY(
        SELECT j.id
        FROM howdah.workflow_job j
        WHERE j.id = ANY (affected) AND j.state = 'held' AND NOT j.callback
            AND CASE j.runs_when WHEN 'done' THEN j.open_before = 0 AND j.unmet = 0
                WHEN 'failed' THEN j.unmet > 0 ELSE j.open_before = 0 END));
    PERFORM howdah.workflow_drop(ARRAY(
        SELECT j.id
        FROM howdah.workflow_job j
        WHERE j.id = ANY (affected) AND j.state = 'held' AND NOT j.callback
            AND CASE j.runs_when WHEN 'done' THEN j.unmet > 0
                WHEN 'failed' THEN j.open_before = 0 AND j.unmet = 0 ELSE false END), NULL, true);
END
$howdah$;
