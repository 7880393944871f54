-- Jobs, version 17: producers do not choose ids of jobs; a lane has no more priorities than there are; what is done by hand says when there is no
-- such job.

-- name: lane_priority
-- Each priority of a lane stands here once for each transaction that was the first to use it, so others need not wait for one another.
DELETE FROM howdah.lane_priority p WHERE p.priority NOT BETWEEN -100 AND 100 OR NOT EXISTS (SELECT FROM howdah.lane l WHERE l.id = p.lane);
DELETE FROM howdah.lane_priority p WHERE EXISTS (
    SELECT FROM howdah.lane_priority o WHERE o.lane = p.lane AND o.priority = p.priority AND o.ctid < p.ctid);
ALTER TABLE howdah.lane_priority ADD CHECK (priority BETWEEN -100 AND 100);

INSERT INTO howdah.migration (feature, version) VALUES ('job', 17);

-- name: lane_priority_guard
CREATE FUNCTION howdah.lane_priority_guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
BEGIN
    IF NOT EXISTS (SELECT FROM howdah.lane l WHERE l.id = NEW.lane)
        OR EXISTS (SELECT FROM howdah.lane_priority p WHERE p.lane = NEW.lane AND p.priority = NEW.priority) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$howdah$;
CREATE TRIGGER lane_priority_guard BEFORE INSERT ON howdah.lane_priority
    FOR EACH ROW EXECUTE FUNCTION howdah.lane_priority_guard();

-- name: put_large
-- A job whose payload is too large to travel with it. The sequence gives its id.
CREATE FUNCTION howdah.put_large(in_lane integer, of_kind text, with_priority integer, due timestamptz, with_payload json,
    with_more jsonb) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    named bigint := nextval('howdah.job_id_seq');
BEGIN
    INSERT INTO howdah.body (job, payload) VALUES (named, with_payload);
    INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
    VALUES (named, in_lane, of_kind, with_priority, due, NULL, with_more);
    RETURN named;
END
$howdah$;
COMMENT ON FUNCTION howdah.put_large(integer, text, integer, timestamptz, json, jsonb) IS
    'For the library: adds a job with a large payload; its number.';

-- name: put_ordered
-- Jobs with order keys, an element of each array for each. The sequence gives their ids, in their order.
CREATE FUNCTION howdah.put_ordered(lanes integer[], kinds text[], priorities integer[], dues timestamptz[], payloads text[], mores text[],
    larges boolean[], queues text[], keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
BEGIN
    RETURN QUERY WITH asked AS MATERIALIZED (
        SELECT a.*, nextval('howdah.job_id_seq') AS id
        FROM unnest(lanes, kinds, priorities, dues, payloads, mores, larges, queues, keys)
            AS a (lane, kind, priority, due, payload, more, large, queue, key)
    ), bodies AS (
        INSERT INTO howdah.body (job, payload) SELECT a.id, a.payload::json FROM asked a WHERE a.large
    ), added AS (
        INSERT INTO howdah.ordered (id, queue, key, run_at, lane, priority, kind, payload, more)
        SELECT a.id, a.queue, a.key, a.due, a.lane, a.priority, a.kind, CASE WHEN NOT a.large THEN a.payload::json END,
            COALESCE(a.more::jsonb, '{}') || jsonb_build_object('ordered', a.key)
        FROM asked a
    )
    SELECT a.id FROM asked a ORDER BY a.id;
    PERFORM pg_notify('howdah_job_order', '');
END
$howdah$;
COMMENT ON FUNCTION howdah.put_ordered(integer[], text[], integer[], timestamptz[], text[], text[], boolean[], text[], text[]) IS
    'For the library: adds jobs with order keys; their numbers, in their order.';

-- name: cancel
CREATE OR REPLACE FUNCTION howdah.cancel(id bigint) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    by_node integer;
BEGIN
    -- It may move on while it is looked for.
    FOR look IN 1..5 LOOP
        WITH gone AS (
            DELETE FROM howdah.job j WHERE j.id = cancel.id RETURNING j.*
        )
        INSERT INTO howdah.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, g.attempt, g.deaths, g.run_at, 'cancelled before it began',
            g.payload, g.more
        FROM gone g;
        IF FOUND THEN
            PERFORM howdah.keys_settle(ARRAY[cancel.id], true);
            RETURN 'cancelled';
        END IF;
        UPDATE howdah.key k SET next = NULL WHERE k.next = cancel.id;
        IF FOUND THEN
            WITH gone AS (
                DELETE FROM howdah.follower f WHERE f.id = cancel.id RETURNING f.*
            )
            INSERT INTO howdah.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
            SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, 0, 0, g.run_at, 'cancelled before it began', g.payload, g.more
            FROM gone g;
            RETURN 'cancelled';
        END IF;
        WITH gone AS (
            DELETE FROM howdah.ordered o WHERE o.id = cancel.id RETURNING o.*
        )
        INSERT INTO howdah.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'cancelled', g.kind, g.priority, 0, 0, g.run_at, 'cancelled before it began', g.payload, g.more
        FROM gone g;
        IF FOUND THEN
            RETURN 'cancelled';
        END IF;
        SELECT b.node INTO by_node FROM howdah.batch b
        WHERE b.ended IS NULL AND b.first_id <= cancel.id AND b.last_id >= cancel.id AND cancel.id = ANY (b.ids);
        IF FOUND THEN
            INSERT INTO howdah.cancellation AS c (job, node) VALUES (cancel.id, by_node)
            ON CONFLICT (job) DO UPDATE SET node = excluded.node;
            PERFORM pg_notify('howdah_job_cancel', cancel.id::text);
            RETURN 'asked';
        END IF;
    END LOOP;
    RETURN CASE WHEN EXISTS (SELECT FROM howdah.find(cancel.id)) THEN 'ended' ELSE 'not_found' END;
END
$howdah$;
COMMENT ON FUNCTION howdah.cancel(bigint) IS
    'Ends a job: cancelled, if it waited; asked, if it runs: its node interrupts it when this commits; ended, if it has ended; not_found, if there is no job of that number, or its history has been removed.';

-- name: check_job
CREATE FUNCTION howdah.check_job(job bigint) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $howdah$
BEGIN
    IF NOT EXISTS (SELECT FROM howdah.find(job)) THEN
        RAISE 'there is no job %, or its history has been removed', COALESCE(job::text, 'NULL') USING ERRCODE = 'undefined_object';
    END IF;
END
$howdah$;

-- name: retry
CREATE OR REPLACE FUNCTION howdah.retry(id bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    old howdah.failed;
    home howdah.lane;
    known howdah.key;
    with_key text;
    with_version timestamptz;
    in_lane integer;
BEGIN
    SELECT * INTO old FROM howdah.failed f WHERE f.id = retry.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM howdah.check_job(retry.id);
        RETURN false;
    END IF;
    SELECT q.* INTO home FROM howdah.lane l JOIN howdah.lane q ON q.queue = l.queue AND COALESCE(q.kind, '') = ''
    WHERE l.id = old.lane;
    with_key := old.more ->> 'key';
    with_version := (old.more ->> 'version')::timestamptz;
    WHILE with_key IS NOT NULL LOOP
        INSERT INTO howdah.key (queue, kind, key, job, version) VALUES (home.id, old.kind, with_key, old.id, with_version)
        ON CONFLICT ON CONSTRAINT key_pkey DO NOTHING;
        EXIT WHEN FOUND;
        SELECT * INTO known FROM howdah.key k WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        IF known.ended IS NULL AND EXISTS (SELECT FROM howdah.key_late t WHERE t.job = known.job) THEN
            PERFORM howdah.keys_settle(ARRAY[known.job], false);
            SELECT * INTO known FROM howdah.key k WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key;
            CONTINUE WHEN NOT FOUND;
        END IF;
        IF known.ended IS NULL THEN
            RAISE 'job % cannot come back: job % has its key "%" now', old.id, known.job, with_key USING ERRCODE = 'unique_violation';
        ELSIF known.version > with_version OR with_version IS NULL AND known.version IS NOT NULL THEN
            RAISE 'job % cannot come back: its key "%" is known with the newer version %', old.id, with_key, known.version
                USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
        UPDATE howdah.key k SET job = old.id, ended = NULL WHERE k.queue = home.id AND k.kind = old.kind AND k.key = with_key;
        EXIT;
    END LOOP;
    DELETE FROM howdah.failed f WHERE f.id = old.id;
    DELETE FROM howdah.cancellation c WHERE c.job = old.id;
    in_lane := howdah.lane_of(home.queue, old.kind, old.priority);
    IF old.more -> 'ordered' IS NOT NULL THEN
        -- It waits for its turn again, the first of its key.
        INSERT INTO howdah.ordered (id, queue, key, run_at, lane, priority, kind, payload, more)
        VALUES (old.id, home.queue, old.more ->> 'ordered', now(), in_lane, old.priority, old.kind, old.payload, old.more - 'error');
        PERFORM pg_notify('howdah_job_order', '');
        RETURN true;
    END IF;
    INSERT INTO howdah.job (id, lane, kind, priority, payload, more)
    VALUES (old.id, in_lane, old.kind, old.priority, old.payload,
        COALESCE(old.more, '{}') - 'error' || jsonb_build_object('created', COALESCE(old.more -> 'created', to_jsonb(old.run_at))));
    PERFORM howdah.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.retry(bigint) IS
    'Brings a job that failed or was cancelled back, as if it had never been tried; false, if it has done neither; an error, if there is no such job.';

-- name: hurry
CREATE OR REPLACE FUNCTION howdah.hurry(id bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    in_lane integer;
BEGIN
    UPDATE howdah.job j SET run_at = now(),
        more = COALESCE(j.more, '{}') || jsonb_build_object('created', COALESCE(j.more -> 'created', to_jsonb(now())))
    WHERE j.id = hurry.id AND j.run_at > now() RETURNING j.lane INTO in_lane;
    IF NOT FOUND THEN
        PERFORM howdah.check_job(hurry.id);
        RETURN false;
    END IF;
    PERFORM howdah.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.hurry(bigint) IS
    'Makes a job due that is planned, or waits to be tried again; false, if it does neither; an error, if there is no such job.';

-- name: reprioritize
CREATE OR REPLACE FUNCTION howdah.reprioritize(id bigint, priority integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    level smallint := howdah.check_priority(reprioritize.priority);
    in_lane integer;
BEGIN
    UPDATE howdah.job j SET priority = level WHERE j.id = reprioritize.id RETURNING j.lane INTO in_lane;
    IF NOT FOUND THEN
        UPDATE howdah.follower f SET priority = level WHERE f.id = reprioritize.id RETURNING f.lane INTO in_lane;
    END IF;
    IF in_lane IS NULL THEN
        UPDATE howdah.ordered o SET priority = level WHERE o.id = reprioritize.id RETURNING o.lane INTO in_lane;
    END IF;
    IF in_lane IS NULL THEN
        PERFORM howdah.check_job(reprioritize.id);
        RETURN false;
    END IF;
    PERFORM howdah.lane_of(l.queue, l.kind, level) FROM howdah.lane l WHERE l.id = in_lane;
    PERFORM howdah.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.reprioritize(bigint, integer) IS
    'Gives a job that waits another priority, from the next take on; false, if it does not wait; an error, if there is no such job.';

-- name: pause
CREATE OR REPLACE FUNCTION howdah.pause(queue text, kind text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
#variable_conflict use_column
DECLARE
    lanes integer[];
BEGIN
    PERFORM howdah.check_name('queue', pause.queue), howdah.lane_of(pause.queue, COALESCE(pause.kind, ''), 0::smallint);
    lanes := howdah.lanes_of(pause.queue);
    IF pause.kind IS NULL THEN
        UPDATE howdah.lane l SET paused = now() WHERE l.id = lanes[1] AND l.paused IS NULL;
        RETURN FOUND;
    END IF;
    PERFORM howdah.check_name('kind', pause.kind);
    UPDATE howdah.lane l SET kinds_paused = array_append(l.kinds_paused, pause.kind)
    WHERE l.id = lanes[1] AND NOT pause.kind = ANY (COALESCE(l.kinds_paused, '{}'));
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM howdah.kind_lane(pause.queue, pause.kind);
    UPDATE howdah.lane l SET paused = COALESCE(l.paused, now()) WHERE l.queue = pause.queue AND l.kind = pause.kind;
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.pause(text, text) IS
    'From now on no node takes a job of that queue, or of that kind in it; false, if it was paused already. The queue need not have had a job.';

-- name: allow
-- With the rights of whoever calls it: only who owns the tables can give rights on them.
CREATE OR REPLACE FUNCTION howdah.allow(role regrole, duty text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    -- What belongs to jobs: the schema has tables of others as well.
    written CONSTANT text := 'howdah.batch, howdah.body, howdah.cancellation, howdah.failed, howdah.follower, howdah.job, howdah.key,'
        ' howdah.key_late, howdah.lane, howdah.lane_priority, howdah.node, howdah.order_key, howdah.ordered, howdah.queue_limit,'
        ' howdah.schedule, howdah.stat, howdah.stat_mark, howdah.stat_open, howdah.delegate';
    worked CONSTANT text[] := '{add,added,add_keyed,check_job,add_many,add_ordered,async_trigger,batch_number,begin_own,cancel,cancellations,check_name,check_priority,'
        'delegate,drop_day,due,end_own,find,hurry,is_large,keys_late,keys_settle,kind_lane,lane_of,lanes_of,limit,make_day,make_days,pause,'
        'pause_schedule,put,put_body,put_large,put_ordered,reprioritize,resume,resume_schedule,retry,ring,schedule,stages,trace,undelegate,unschedule,unusual}';
    given text;
BEGIN
    IF duty NOT IN ('producer', 'reader', 'operator', 'worker', 'handler') THEN
        RAISE 'the duty "%" is not known: it has to be producer, reader, operator, worker or handler', duty
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOREACH given IN ARRAY ARRAY['USAGE ON SCHEMA howdah']
        || CASE WHEN duty IN ('producer', 'worker') THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.async_trigger(), howdah.added(bigint, bigint), howdah.add_ordered(text, text, json, text, integer)',
            'EXECUTE ON FUNCTION howdah.add_ordered(text, text, jsonb, text, integer), howdah.add_ordered(text, text, text, text, integer)',
            'EXECUTE ON FUNCTION howdah.add(text, text, json, integer, timestamptz, interval, text, timestamptz, integer, interval)',
            'EXECUTE ON FUNCTION howdah.add(text, text, jsonb, integer, timestamptz, interval, text, timestamptz, integer, interval)',
            'EXECUTE ON FUNCTION howdah.add(text, text, text, integer, timestamptz, interval, text, timestamptz, integer, interval)',
            'EXECUTE ON FUNCTION howdah.add_many(text, text, json[], integer, timestamptz, interval, integer, interval)',
            'EXECUTE ON FUNCTION howdah.add_many(text, text, jsonb[], integer, timestamptz, interval, integer, interval)',
            'EXECUTE ON FUNCTION howdah.add_many(text, text, text[], integer, timestamptz, interval, integer, interval)',
            -- The library adds without a function, because that is faster. It cannot read what is in a job, nor change one.
            'SELECT ON howdah.migration, howdah.lane, howdah.lane_priority',
            'INSERT (queue, kind) ON howdah.lane',
            'INSERT ON howdah.lane_priority',
            'SELECT (id, lane), INSERT (lane, kind, priority, run_at, payload, more) ON howdah.job',
            'EXECUTE ON FUNCTION howdah.put_large(integer, text, integer, timestamptz, json, jsonb)',
            'EXECUTE ON FUNCTION howdah.put_ordered(integer[], text[], integer[], timestamptz[], text[], text[], boolean[], text[], text[])',
            'USAGE ON SEQUENCE howdah.job_id_seq'] ELSE '{}' END
        || CASE WHEN duty IN ('reader', 'operator', 'worker') THEN ARRAY[
            'SELECT ON ' || written || ', howdah.migration, howdah.errors, howdah.jobs, howdah.stats, howdah.stats_hourly, howdah.taken',
            'EXECUTE ON FUNCTION howdah.find(bigint), howdah.stages(bigint)'] ELSE '{}' END
        || CASE WHEN duty IN ('operator', 'worker') THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.cancel(bigint), howdah.retry(bigint), howdah.hurry(bigint), howdah.hurry(text, text)',
            'EXECUTE ON FUNCTION howdah.reprioritize(bigint, integer), howdah.pause(text, text), howdah.resume(text, text)',
            'EXECUTE ON FUNCTION howdah.limit(text, integer, text, boolean)',
            'EXECUTE ON FUNCTION howdah.pause_schedule(text), howdah.resume_schedule(text)', 'UPDATE (paused) ON howdah.schedule']
            ELSE '{}' END
        || CASE WHEN duty = 'worker' THEN ARRAY[
            'INSERT, UPDATE, DELETE ON ' || written]
            || ARRAY(SELECT 'EXECUTE ON FUNCTION ' || p.oid::regprocedure FROM pg_proc p
                     WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname = ANY (worked)) ELSE '{}' END
        || CASE WHEN duty = 'handler' THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.begin_own(integer, bigint), howdah.begin_own(integer, bigint, bigint)',
            'EXECUTE ON FUNCTION howdah.end_own(integer, bigint, bigint, jsonb, integer, integer)',
            'EXECUTE ON FUNCTION howdah.end_own(integer, bigint, bigint, jsonb, integer, integer, bigint)'] ELSE '{}' END LOOP
        EXECUTE format('GRANT %s TO %s', given, role);
    END LOOP;
    -- Until version 16 the library chose the ids of some jobs itself.
    IF duty = 'producer' AND NOT EXISTS (
        SELECT FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.oid = 'howdah.job'::regclass AND a.grantee = role AND a.privilege_type = 'DELETE') THEN
        FOREACH given IN ARRAY ARRAY['INSERT (id) ON howdah.job', 'INSERT ON howdah.body',
            'INSERT (id, queue, key, run_at, lane, priority, kind, payload, more) ON howdah.ordered'] LOOP
            EXECUTE format('REVOKE %s FROM %s', given, role);
        END LOOP;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Gives a role the least rights that a producer, reader, operator, worker or handler needs. To be called again after an upgrade.';

-- name: allowed
-- Producers and workers of before need not be allowed anew for what the library asks now. What they need no more stays until howdah.allow is called
-- again, when all their programs are of this version.
DO $howdah$
DECLARE
    role regrole;
BEGIN
    FOR role IN
        SELECT DISTINCT a.grantee::regrole FROM pg_proc p, aclexplode(p.proacl) a
        WHERE p.oid = 'howdah.add_many(text, text, json[], integer, timestamptz, interval, integer, interval)'::regprocedure
            AND a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (0, p.proowner) LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION howdah.put_large(integer, text, integer, timestamptz, json, jsonb),'
            ' howdah.put_ordered(integer[], text[], integer[], timestamptz[], text[], text[], boolean[], text[], text[]) TO %s', role);
    END LOOP;
END
$howdah$;

-- name: close
REVOKE EXECUTE ON FUNCTION howdah.lane_priority_guard(), howdah.check_job(bigint),
    howdah.put_large(integer, text, integer, timestamptz, json, jsonb),
    howdah.put_ordered(integer[], text[], integer[], timestamptz[], text[], text[], boolean[], text[], text[]) FROM PUBLIC;
