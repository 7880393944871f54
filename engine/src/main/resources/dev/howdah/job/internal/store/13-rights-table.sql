-- Jobs, version 13: duties have what they need, and what is none of theirs no more; what is wrong with a schedule or with a job in order is said in words.

-- name: version
INSERT INTO howdah.migration (feature, version) VALUES ('job', 13);

-- name: add_ordered
CREATE OR REPLACE FUNCTION howdah.add_ordered(queue text, kind text, payload json, key text, priority integer DEFAULT 0)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    level smallint := howdah.check_priority(add_ordered.priority);
    named bigint;
BEGIN
    PERFORM howdah.check_name('queue', add_ordered.queue), howdah.check_name('kind', add_ordered.kind);
    IF COALESCE(add_ordered.key, '') = '' OR length(add_ordered.key) > 200 THEN
        RAISE 'an order key has 1 to 200 characters, not %: %', COALESCE(length(add_ordered.key), 0),
            COALESCE('"' || left(add_ordered.key, 40) || '"', 'NULL') USING ERRCODE = 'invalid_parameter_value';
    END IF;
    named := nextval('howdah.job_id_seq');
    INSERT INTO howdah.ordered (id, queue, key, run_at, lane, priority, kind, payload, more)
    VALUES (named, add_ordered.queue, add_ordered.key, now(), howdah.lane_of(add_ordered.queue, add_ordered.kind, level), level,
        add_ordered.kind, howdah.put_body(named, COALESCE(add_ordered.payload, 'null')),
        COALESCE(howdah.unusual(now(), NULL, NULL, NULL, NULL), '{}') || jsonb_build_object('ordered', add_ordered.key));
    PERFORM pg_notify('howdah_job_order', '');
    RETURN named;
END
$howdah$;

-- name: add_ordered_jsonb
CREATE FUNCTION howdah.add_ordered(queue text, kind text, payload jsonb, key text, priority integer DEFAULT 0)
RETURNS bigint LANGUAGE sql AS $howdah$
    SELECT howdah.add_ordered($1, $2, $3::json, $4, $5)
$howdah$;

-- name: add_ordered_text
CREATE FUNCTION howdah.add_ordered(queue text, kind text, payload text, key text, priority integer DEFAULT 0)
RETURNS bigint LANGUAGE sql AS $howdah$
    SELECT howdah.add_ordered($1, $2, $3::json, $4, $5)
$howdah$;

-- name: schedule
CREATE OR REPLACE FUNCTION howdah.schedule(name text, queue text, kind text, payload json DEFAULT 'null', cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once', priority integer DEFAULT 0,
    starts_at timestamptz DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE fields integer := array_length(regexp_split_to_array(btrim($5), '\s+'), 1);
BEGIN
    PERFORM howdah.check_name('schedule', $1), howdah.check_name('queue', $2), howdah.check_name('kind', $3), howdah.check_priority($9);
    IF ($5 IS NULL) = ($6 IS NULL) THEN
        RAISE 'schedule %: it needs either cron or period', $1 USING ERRCODE = '22023',
            HINT = 'cron => ''0 3 * * *'', or period => ''10 minutes''';
    END IF;
    IF $5 !~ '^\s*@' AND fields NOT IN (5, 6) THEN
        RAISE 'schedule %: cron ''%'' has % fields', $1, $5, fields USING ERRCODE = '22023',
            HINT = '5 are right (minute, hour, day of month, month, day of week), or 6 with seconds in front';
    END IF;
    IF $6 IS NOT NULL AND ($6 < interval '1 second' OR extract(year FROM $6) <> 0 OR extract(month FROM $6) <> 0
        OR $6 > interval '366000 days') THEN
        RAISE 'schedule %: a period of % cannot be kept', $1, $6 USING ERRCODE = '22023',
            HINT = 'a second or longer, a thousand years at most, in days, hours, minutes and seconds; for months there is cron';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_timezone_names z WHERE lower(z.name) = lower(btrim($7))) THEN
        RAISE 'schedule %: there is no zone ''%''', $1, $7 USING ERRCODE = '22023',
            HINT = 'names such as Europe/Berlin, America/New_York or UTC are known';
    END IF;
    IF $10 < '0001-01-01 00:00:00+00' OR $10 >= '10000-01-01 00:00:00+00' THEN
        RAISE 'schedule %: starts_at %: it has to be in the years 1 to 9999', $1, $10 USING ERRCODE = '22023';
    END IF;
    IF COALESCE($8, '') NOT IN ('skip', 'once', 'all') THEN
        RAISE 'schedule %: missed is ''%''', $1, $8 USING ERRCODE = '22023', HINT = 'skip, once or all';
    END IF;
    INSERT INTO howdah.schedule AS s (name, queue, kind, payload, cron, period, zone, missed, priority, starts_at)
    VALUES ($1, $2, $3, COALESCE($4, 'null'), $5, $6, $7, $8, $9, COALESCE($10, now() + COALESCE($6, interval '0')))
    ON CONFLICT (name) DO UPDATE SET queue = EXCLUDED.queue, kind = EXCLUDED.kind, payload = EXCLUDED.payload, cron = EXCLUDED.cron,
        period = EXCLUDED.period, zone = EXCLUDED.zone, missed = EXCLUDED.missed, priority = EXCLUDED.priority,
        -- Whoever says the same again, as a program does at each of its starts, moves nothing.
        starts_at = CASE WHEN $10 IS NOT NULL OR s.cron IS DISTINCT FROM EXCLUDED.cron OR s.period IS DISTINCT FROM EXCLUDED.period
                         THEN EXCLUDED.starts_at ELSE s.starts_at END;
END $$;

-- name: search_path
-- Nobody's operators but PostgreSQL's, whoever calls them.
ALTER FUNCTION howdah.find(bigint) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION howdah.stages(bigint) SET search_path = pg_catalog, pg_temp;

-- name: allow
-- With the rights of whoever calls it: only who owns the tables can give rights on them.
CREATE OR REPLACE FUNCTION howdah.allow(role regrole, duty text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    -- What belongs to jobs: the schema has tables of others as well.
    written CONSTANT text := 'howdah.batch, howdah.body, howdah.cancellation, howdah.failed, howdah.follower, howdah.job, howdah.key,'
        ' howdah.key_late, howdah.lane, howdah.lane_priority, howdah.node, howdah.order_key, howdah.ordered, howdah.queue_limit,'
        ' howdah.schedule, howdah.stat, howdah.stat_mark, howdah.stat_open, howdah.delegate';
    worked CONSTANT text[] := '{add,added,add_keyed,add_many,add_ordered,async_trigger,begin_own,cancel,cancellations,check_name,check_priority,'
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
            'EXECUTE ON FUNCTION howdah.begin_own(integer, bigint)',
            'EXECUTE ON FUNCTION howdah.end_own(integer, bigint, bigint, jsonb, integer, integer)'] ELSE '{}' END LOOP
        EXECUTE format('GRANT %s TO %s', given, role);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Gives a role the least rights that a producer, reader, operator, worker or handler needs. To be called again after an upgrade.';

-- name: close
REVOKE EXECUTE ON FUNCTION howdah.add_ordered(text, text, jsonb, text, integer), howdah.add_ordered(text, text, text, text, integer) FROM PUBLIC;
