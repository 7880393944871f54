-- Jobs, version 14: claims are told apart by a token, which no two claims share. Numbers of batches and of nodes are not enough: after a
-- failover that lost the last transactions, or a restore in place, sequences give the same numbers again.

-- name: batch
-- Nodes of earlier versions leave it NULL, and go on with the numbers alone.
ALTER TABLE howdah.batch ADD token bigint;
COMMENT ON COLUMN howdah.batch.token IS 'drawn at random by the node for each claim; what ends a batch has to name it. NULL: taken by a node of an earlier version';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 14);

-- name: batch_number
-- The number of a new batch, which is the fencing token of its jobs: the next of the sequence, which is moved on to the clock, in
-- microseconds since 1970, when it is more than a millisecond behind. So it grows while the clock goes back, and after the sequence has gone back.
-- One session at a time moves it; another one that meets it there draws again.
CREATE FUNCTION howdah.batch_number() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    number bigint;
    clock bigint;
BEGIN
    FOR try IN 1..10 LOOP
        number := nextval('howdah.batch_id_seq');
        clock := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
        EXIT WHEN number >= clock - 1000;
        IF pg_try_advisory_lock(1215264876, 4) THEN
            number := nextval('howdah.batch_id_seq');
            IF number < clock THEN
                number := setval('howdah.batch_id_seq', clock);
            END IF;
            PERFORM pg_advisory_unlock(1215264876, 4);
            EXIT;
        END IF;
    END LOOP;
    RETURN number;
END
$howdah$;

-- name: begin_own_before
-- For nodes of earlier versions: their batches have no token.
CREATE OR REPLACE FUNCTION howdah.begin_own(of_node integer, of_batch bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    of_queue text;
    of_kind text;
BEGIN
    SELECT l.queue, b.kind INTO of_queue, of_kind FROM howdah.batch b JOIN howdah.lane l ON l.id = b.lane
    WHERE b.id = of_batch AND b.node = of_node AND b.token IS NULL
        AND COALESCE(b.ended, 'infinity') = 'infinity' AND b.alone FOR UPDATE OF b;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF NOT EXISTS (SELECT FROM howdah.delegate d WHERE d.queue = of_queue AND d.kind = of_kind AND d.role = session_user) THEN
        RAISE 'role "%" may not end jobs of kind "%" in queue "%"', session_user, of_kind, of_queue
            USING ERRCODE = 'insufficient_privilege',
            HINT = format('SELECT howdah.delegate(%L, %L, %L)', of_queue, of_kind, session_user);
    END IF;
    -- If the node dies this shows others whose session it is.
    PERFORM pg_advisory_xact_lock_shared(1215264880, of_node);
    PERFORM set_config('howdah.own_batch', of_batch::text, true);
    RETURN true;
END
$howdah$;

-- name: end_own_before
CREATE OR REPLACE FUNCTION howdah.end_own(of_node integer, of_batch bigint, of_job bigint, with_result jsonb, began integer, ran integer)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
BEGIN
    -- Whoever has ended the transaction in which the job began has lost the job, too.
    IF current_setting('howdah.own_batch', true) IS DISTINCT FROM of_batch::text THEN
        RETURN false;
    END IF;
    UPDATE howdah.batch b SET ended = clock_timestamp(), begins = ARRAY[began], runs = ARRAY[ran],
        details = CASE WHEN with_result IS NOT NULL THEN jsonb_build_object(of_job, jsonb_build_object('result', with_result)) END
    FROM howdah.lane l JOIN howdah.delegate d ON d.queue = l.queue
    WHERE b.id = of_batch AND b.node = of_node AND b.token IS NULL
        AND COALESCE(b.ended, 'infinity') = 'infinity' AND b.alone AND b.ids = ARRAY[of_job]
        AND l.id = b.lane AND d.kind = b.kind AND d.role = session_user;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM howdah.body y WHERE y.job = of_job;
    UPDATE howdah.order_key k SET job = NULL WHERE k.job = of_job;
    IF FOUND THEN
        PERFORM pg_notify('howdah_job_order', '');
    END IF;
    PERFORM howdah.keys_settle(ARRAY[of_job], true);
    RETURN true;
END
$howdah$;

-- name: begin_own
CREATE FUNCTION howdah.begin_own(of_node integer, of_batch bigint, of_token bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    of_queue text;
    of_kind text;
BEGIN
    SELECT l.queue, b.kind INTO of_queue, of_kind FROM howdah.batch b JOIN howdah.lane l ON l.id = b.lane
    WHERE b.id = of_batch AND b.node = of_node AND b.token = of_token
        AND COALESCE(b.ended, 'infinity') = 'infinity' AND b.alone FOR UPDATE OF b;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF NOT EXISTS (SELECT FROM howdah.delegate d WHERE d.queue = of_queue AND d.kind = of_kind AND d.role = session_user) THEN
        RAISE 'role "%" may not end jobs of kind "%" in queue "%"', session_user, of_kind, of_queue
            USING ERRCODE = 'insufficient_privilege',
            HINT = format('SELECT howdah.delegate(%L, %L, %L)', of_queue, of_kind, session_user);
    END IF;
    -- If the node dies this shows others whose session it is.
    PERFORM pg_advisory_xact_lock_shared(1215264880, of_node);
    PERFORM set_config('howdah.own_batch', concat_ws(' ', of_batch, of_token), true);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.begin_own(integer, bigint, bigint) IS
    'Begins a job in this transaction, for a role to which that was delegated; false: its node does not have it any more.';

-- name: end_own
CREATE FUNCTION howdah.end_own(of_node integer, of_batch bigint, of_job bigint, with_result jsonb, began integer, ran integer,
    of_token bigint)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
BEGIN
    -- Whoever has ended the transaction in which the job began has lost the job, too.
    IF current_setting('howdah.own_batch', true) IS DISTINCT FROM concat_ws(' ', of_batch, of_token) THEN
        RETURN false;
    END IF;
    UPDATE howdah.batch b SET ended = clock_timestamp(), begins = ARRAY[began], runs = ARRAY[ran],
        details = CASE WHEN with_result IS NOT NULL THEN jsonb_build_object(of_job, jsonb_build_object('result', with_result)) END
    FROM howdah.lane l JOIN howdah.delegate d ON d.queue = l.queue
    WHERE b.id = of_batch AND b.node = of_node AND b.token = of_token
        AND COALESCE(b.ended, 'infinity') = 'infinity' AND b.alone AND b.ids = ARRAY[of_job]
        AND l.id = b.lane AND d.kind = b.kind AND d.role = session_user;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM howdah.body y WHERE y.job = of_job;
    UPDATE howdah.order_key k SET job = NULL WHERE k.job = of_job;
    IF FOUND THEN
        PERFORM pg_notify('howdah_job_order', '');
    END IF;
    PERFORM howdah.keys_settle(ARRAY[of_job], true);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.end_own(integer, bigint, bigint, jsonb, integer, integer, bigint) IS
    'Ends a job as done, in the transaction that has begun it by howdah.begin_own.';

-- name: allow
-- With the rights of whoever calls it: only who owns the tables can give rights on them.
CREATE OR REPLACE FUNCTION howdah.allow(role regrole, duty text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    -- What belongs to jobs: the schema has tables of others as well.
    written CONSTANT text := 'howdah.batch, howdah.body, howdah.cancellation, howdah.failed, howdah.follower, howdah.job, howdah.key,'
        ' howdah.key_late, howdah.lane, howdah.lane_priority, howdah.node, howdah.order_key, howdah.ordered, howdah.queue_limit,'
        ' howdah.schedule, howdah.stat, howdah.stat_mark, howdah.stat_open, howdah.delegate';
    worked CONSTANT text[] := '{add,added,add_keyed,add_many,add_ordered,async_trigger,batch_number,begin_own,cancel,cancellations,check_name,check_priority,'
        'delegate,drop_day,due,end_own,find,hurry,is_large,keys_late,keys_settle,kind_lane,lane_of,lanes_of,limit,make_day,make_days,pause,'
        'pause_schedule,put,put_body,reprioritize,resume,resume_schedule,retry,ring,schedule,stages,trace,undelegate,unschedule,unusual}';
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
            'INSERT ON howdah.lane_priority, howdah.body',
            'SELECT (id, lane), INSERT (id, lane, kind, priority, run_at, payload, more) ON howdah.job',
            'INSERT (id, queue, key, run_at, lane, priority, kind, payload, more) ON howdah.ordered',
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
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Gives a role the least rights that a producer, reader, operator, worker or handler needs. To be called again after an upgrade.';

-- name: allowed
-- Workers and handlers of before need not be allowed anew.
DO $howdah$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT DISTINCT a.grantee::regrole AS role, n.added
        FROM (VALUES ('howdah.keys_late()', 'howdah.batch_number()'),
                  ('howdah.begin_own(integer, bigint)', 'howdah.begin_own(integer, bigint, bigint)'),
                  ('howdah.end_own(integer, bigint, bigint, jsonb, integer, integer)',
                      'howdah.end_own(integer, bigint, bigint, jsonb, integer, integer, bigint)')) AS n (known, added)
        JOIN pg_proc p ON p.oid = n.known::regprocedure
        CROSS JOIN LATERAL aclexplode(p.proacl) a
        WHERE a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (0, p.proowner) LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', given.added, given.role);
    END LOOP;
END
$howdah$;

-- name: close
REVOKE EXECUTE ON FUNCTION howdah.batch_number(), howdah.begin_own(integer, bigint, bigint),
    howdah.end_own(integer, bigint, bigint, jsonb, integer, integer, bigint) FROM PUBLIC;
