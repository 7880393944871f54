-- Moves those of the jobs that wait to another queue. Keys, and the turn of an order key, belong to
-- a queue, so that jobs with those do not move; nor do jobs that another session holds.
CREATE FUNCTION howdah.move_jobs(jobs bigint[], to_queue text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    plain bigint[] := ARRAY(
        SELECT j.id
        FROM howdah_internal.job j
        WHERE j.id = ANY (jobs) AND (j.more IS NULL OR NOT j.more ?| '{key,ordered,released}')
        ORDER BY j.id
        FOR UPDATE SKIP LOCKED);
    target record;
    in_lane integer;
BEGIN
    PERFORM howdah_internal.check_name('queue', to_queue);
    FOR target IN
        SELECT j.kind, j.priority, j.more ->> 'group' AS group_name, array_agg(j.id) AS ids
        FROM howdah_internal.job j
        WHERE j.id = ANY (plain)
        GROUP BY j.kind, j.priority, j.more ->> 'group'
    LOOP
        in_lane := howdah_internal.lane_of(to_queue, target.kind, target.priority);
        IF target.group_name IS NOT NULL THEN
            in_lane := howdah_internal.group_lane(in_lane, target.group_name);
        END IF;
        UPDATE howdah_internal.job j SET lane = in_lane WHERE j.id = ANY (target.ids);
        PERFORM howdah_internal.ring(in_lane);
    END LOOP;
    RETURN cardinality(plain);
END
$howdah$;
COMMENT ON FUNCTION howdah.move_jobs(bigint[], text) IS
    'Moves jobs that wait to another queue: how many. Those with a key or an order key stay.';

-- One step of howdah.change_jobs: of the jobs in that state whose ids follow the last one and that
-- meet the conditions, up to so many. Jobs that another session holds are left out, and so are jobs
-- that were added after the first step, which has no bound yet: beside a steady producer a change
-- would have no end.
CREATE FUNCTION howdah_internal.change_step(
    action text, of_state text, of_queue text, of_kind text, of_key text, with_error text,
    with_payload jsonb, since timestamptz, before timestamptz, with_tags text[],
    with_metadata jsonb, with_pattern text, to_queue text, last bigint, step integer,
    INOUT bound bigint, OUT seen bigint, OUT changed bigint, OUT next bigint)
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
    IF bound IS NULL THEN
        SELECT s.last_value INTO bound FROM howdah_internal.job_id_seq s;
    END IF;
    IF of_state IN ('failed', 'cancelled') THEN
        SELECT array_agg(p.id ORDER BY p.id),
            array_agg(p.id) FILTER (
                WHERE NOT p.more ?| '{key,ordered,released,children,parent}' OR p.more IS NULL),
            array_agg(p.id ORDER BY p.id) FILTER (
                WHERE p.more ?| '{key,ordered,released,children,parent}')
        INTO found_ids, plain, keyed
        FROM (
            SELECT f.id, f.more
            FROM howdah_internal.failed f
            WHERE f.state = of_state
                AND f.id > last
                AND (
                    of_queue IS NULL
                    OR f.lane = ANY (
                        ARRAY(SELECT l.id FROM howdah_internal.lane l WHERE l.queue = of_queue)))
                AND (of_kind IS NULL OR f.kind = of_kind)
                AND (of_key IS NULL OR f.more ->> 'key' = of_key)
                AND (with_error IS NULL OR position(with_error IN f.error) > 0)
                AND (since IS NULL OR f.ended >= since)
                AND (before IS NULL OR f.ended < before)
                AND (with_tags IS NULL OR f.more -> 'tags' @> to_jsonb(with_tags))
                AND (with_metadata IS NULL OR f.more -> 'metadata' @> with_metadata)
                AND (with_pattern IS NULL OR howdah.error_pattern(f.error) = with_pattern)
                AND CASE WHEN with_payload IS NULL THEN true
                    ELSE howdah_internal.payload_contains(COALESCE(
                        f.payload, (SELECT b.payload FROM howdah_internal.body b
                            WHERE b.job = f.id)),
                        with_payload) END
            ORDER BY f.id
            LIMIT step
            FOR UPDATE SKIP LOCKED) p;
    ELSE
        SELECT array_agg(p.id ORDER BY p.id),
            array_agg(p.id) FILTER (WHERE NOT p.more ?| '{key,ordered,released}' OR p.more IS NULL),
            array_agg(p.id ORDER BY p.id) FILTER (WHERE p.more ?| '{key,ordered,released}')
        INTO found_ids, plain, keyed
        FROM (
            SELECT j.id, j.more
            FROM howdah_internal.job j
            WHERE CASE of_state WHEN 'waiting' THEN j.run_at <= now()
                    WHEN 'suspended' THEN j.run_at > now() AND j.more -> 'wait' IS NOT NULL
                    WHEN 'planned' THEN j.run_at > now()
                        AND j.attempt = 0
                        AND NOT COALESCE(j.more ? 'wait', false)
                    ELSE j.run_at > now()
                        AND j.attempt > 0
                        AND NOT COALESCE(j.more ? 'wait', false) END
                AND j.id > last
                AND j.id <= bound
                AND (
                    of_queue IS NULL
                    OR j.lane = ANY (
                        ARRAY(SELECT l.id FROM howdah_internal.lane l WHERE l.queue = of_queue)))
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
                    ELSE howdah_internal.payload_contains(COALESCE(
                        j.payload, (SELECT b.payload FROM howdah_internal.body b
                            WHERE b.job = j.id)),
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
        asked := howdah_internal.workflow_ask(plain);
        FOR target IN
            SELECT l.queue, f.kind, f.priority, f.more ->> 'group' AS group_name,
                array_agg(f.id) AS ids
            FROM howdah_internal.failed f
            JOIN howdah_internal.lane l ON l.id = f.lane
            WHERE f.id = ANY (plain) AND f.id <> ALL (asked)
            GROUP BY l.queue, f.kind, f.priority, f.more ->> 'group'
        LOOP
            in_lane := howdah_internal.lane_of(target.queue, target.kind, target.priority);
            IF target.group_name IS NOT NULL THEN
                in_lane := howdah_internal.group_lane(in_lane, target.group_name);
            END IF;
            WITH gone AS (
                DELETE FROM howdah_internal.failed f WHERE f.id = ANY (target.ids) RETURNING f.*
            ), forgotten AS (
                DELETE FROM howdah_internal.cancellation c WHERE c.job = ANY (target.ids)
            ), anew AS (
                DELETE FROM howdah_internal.job_record r
                WHERE r.job = ANY (target.ids) AND r.fatal
            ), reopened AS (
                SELECT howdah_internal.workflow_reopen(
                    array_agg(g.id), array_agg(g.state), array_agg(g.more))
                FROM gone g
                WHERE g.more ? 'flow'
                HAVING count(*) > 0
            )
            INSERT INTO howdah_internal.job (id, lane, kind, priority, payload, more)
            SELECT g.id, in_lane, g.kind, g.priority,
                CASE WHEN g.more ? 'fill' THEN howdah_internal.workflow_payload(g.id, g.payload)
                    ELSE g.payload END,
                COALESCE(g.more, '{}') - '{error,fill,cancelling}'::text[] || jsonb_build_object(
                    'created', COALESCE(g.more -> 'created', to_jsonb(g.run_at)))
            FROM gone g
            WHERE (SELECT count(*) FROM reopened) >= 0;
            PERFORM howdah_internal.ring(in_lane);
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
        DELETE FROM howdah_internal.body b WHERE b.job = ANY (found_ids);
        DELETE FROM howdah_internal.failed f WHERE f.id = ANY (found_ids);
        changed := seen;
    ELSIF action = 'run_now' THEN
        UPDATE howdah_internal.job j
        SET run_at = now(),
            more = COALESCE(j.more, '{}') || jsonb_build_object(
                'created', COALESCE(j.more -> 'created', to_jsonb(now())))
        WHERE j.id = ANY (found_ids);
        changed := seen;
        PERFORM howdah_internal.ring(t.lane)
        FROM (SELECT DISTINCT j.lane FROM howdah_internal.job j WHERE j.id = ANY (found_ids)) t;
    ELSIF action = 'cancel' THEN
        -- Handlers that are told first end them.
        SELECT array_agg(j.id) INTO asked
        FROM howdah_internal.job j
        WHERE j.id = ANY (found_ids) AND howdah_internal.throws_cancel(j.more);
        PERFORM howdah.cancel(a.id) FROM unnest(asked) AS a (id);
        WITH gone AS (
            DELETE FROM howdah_internal.job j
            WHERE j.id = ANY (found_ids) AND j.id <> ALL (COALESCE(asked, '{}'))
            RETURNING j.*
        )
        INSERT INTO howdah_internal.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, g.attempt, g.deaths, g.run_at,
            COALESCE('cancelled while it waited for ' || howdah_internal.waits_for(g.more),
                'cancelled before it began'), g.payload, g.more
        FROM gone g;
        IF keyed IS NOT NULL THEN
            PERFORM howdah_internal.keys_settle(
                ARRAY(
                    SELECT k.id
                    FROM unnest(keyed) AS k (id)
                    WHERE k.id <> ALL (COALESCE(asked, '{}'))),
                true);
        END IF;
        changed := seen;
    ELSE
        changed := howdah.move_jobs(plain, to_queue);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.change_step(
    text, text, text, text, text, text, jsonb, timestamptz, timestamptz, text[], jsonb, text, text,
    bigint, integer, bigint) IS
    'For howdah.change_jobs and the library: one step of it.';

CREATE FUNCTION howdah_internal.check_change(action text, state text, to_queue text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    allowed text[] := CASE action WHEN 'retry' THEN '{failed,cancelled}'
        WHEN 'delete' THEN '{failed,cancelled}'
        WHEN 'run_now' THEN '{planned,retrying}'
        WHEN 'cancel' THEN '{waiting,planned,retrying,suspended}'
        WHEN 'move' THEN '{waiting,planned,retrying,suspended}' END;
BEGIN
    IF allowed IS NULL THEN
        RAISE 'the action is %: it has to be retry, run_now, cancel, move or delete',
            COALESCE('"' || action || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF state IS NULL OR state <> ALL (allowed) THEN
        RAISE 'the action % for jobs in state %: it is for those in state %', action,
            COALESCE(state, 'NULL'), array_to_string(allowed, ' or ')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF action = 'move' THEN
        PERFORM howdah_internal.check_name('queue', to_queue);
    ELSIF to_queue IS NOT NULL THEN
        RAISE 'to_queue is "%" and the action %: it is for the action move', to_queue, action
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;

-- With the privileges of its caller, since it commits.
CREATE PROCEDURE howdah_internal.change_jobs(
    action text, state text, queue text DEFAULT NULL, kind text DEFAULT NULL,
    key text DEFAULT NULL, error text DEFAULT NULL, payload jsonb DEFAULT NULL,
    since timestamptz DEFAULT NULL, before timestamptz DEFAULT NULL, to_queue text DEFAULT NULL,
    tags text[] DEFAULT NULL, metadata jsonb DEFAULT NULL, INOUT changed bigint DEFAULT 0)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    last bigint := -1;
    bound bigint;
    step record;
BEGIN
    PERFORM howdah_internal.check_change(action, state, to_queue);
    changed := 0;
    -- Jobs that fail while others are retried are not meant: they may fail as fast.
    IF state OPERATOR(pg_catalog.=) ANY ('{failed,cancelled}') THEN
        before := LEAST(before, pg_catalog.clock_timestamp());
    END IF;
    LOOP
        SELECT * INTO step
        FROM howdah_internal.change_step(
            action, state, queue, kind, key, error, payload, since, before, tags, metadata,
            NULL, to_queue, last, 1000, bound);
        EXIT WHEN step.seen OPERATOR(pg_catalog.=) 0;
        changed := changed OPERATOR(pg_catalog.+) step.changed;
        last := step.next;
        bound := step.bound;
        COMMIT;
    END LOOP;
END
$howdah$;
COMMENT ON PROCEDURE howdah_internal.change_jobs(
    text, text, text, text, text, text, jsonb, timestamptz, timestamptz, text, text[], jsonb,
    bigint) IS
    'Retries, runs now, cancels, moves to another queue, or deletes the jobs in a state that meet '
    'all conditions, a thousand in a transaction: how many. Jobs that are added, or that end, '
    'after it has begun are not meant. Not in a transaction of the caller.';
