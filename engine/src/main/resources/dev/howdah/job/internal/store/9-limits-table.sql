-- Jobs, version 9: limits of kinds and of each node; days of the history are made without waiting for its readers; one job is found
-- without reading the history; rights are given on what belongs to jobs, and on nothing else of the schema.

-- name: queue_limit
ALTER TABLE howdah.queue_limit
    DROP CONSTRAINT queue_limit_pkey,
    ADD kind text CHECK (kind <> '' AND length(kind) <= 200),
    ADD each_node boolean NOT NULL DEFAULT false;
ALTER TABLE howdah.queue_limit ALTER each_node DROP DEFAULT;
CREATE UNIQUE INDEX queue_limit_of ON howdah.queue_limit (queue, COALESCE(kind, ''), each_node);
COMMENT ON TABLE howdah.queue_limit IS 'How many jobs of a queue run at the same time at most. Nodes hear of a change within two seconds.';
COMMENT ON COLUMN howdah.queue_limit.kind IS 'NULL: the whole queue';
COMMENT ON COLUMN howdah.queue_limit.each_node IS 'whether each node may run so many, or all of them together';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 9);

-- name: kind_lane
-- The lane of its own for a kind, made if it is not there; whoever takes jobs of a kind from the queue's lane that has to have its own puts them there.
CREATE FUNCTION howdah.kind_lane(of_queue text, of_kind text) RETURNS integer LANGUAGE plpgsql AS $howdah$
DECLARE
    own integer;
BEGIN
    PERFORM howdah.lane_of(of_queue, of_kind, 0::smallint);
    INSERT INTO howdah.lane (queue, kind) VALUES (of_queue, of_kind) ON CONFLICT (queue, COALESCE(kind, '')) DO NOTHING;
    SELECT l.id INTO own FROM howdah.lane l WHERE l.queue = of_queue AND l.kind = of_kind;
    INSERT INTO howdah.lane_priority (lane, priority)
    SELECT DISTINCT own, p.priority FROM howdah.lane l JOIN howdah.lane_priority p ON p.lane = l.id
    WHERE l.queue = of_queue
        AND NOT EXISTS (SELECT FROM howdah.lane_priority o WHERE o.lane = own AND o.priority = p.priority);
    RETURN own;
END
$howdah$;

-- name: limit
DROP FUNCTION howdah.limit(text, integer);
CREATE FUNCTION howdah.limit(queue text, most integer, kind text DEFAULT NULL, each_node boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
#variable_conflict use_column
BEGIN
    PERFORM howdah.check_name('queue', $1);
    IF $3 IS NOT NULL THEN
        PERFORM howdah.check_name('kind', $3);
    END IF;
    IF $2 < 1 THEN
        RAISE 'a limit of % for queue %: it has to be 1 or more, NULL takes the limit away', $2, $1 USING ERRCODE = 'invalid_parameter_value';
    ELSIF $2 IS NULL THEN
        DELETE FROM howdah.queue_limit q WHERE q.queue = $1 AND q.kind IS NOT DISTINCT FROM $3 AND q.each_node = COALESCE($4, false);
    ELSE
        INSERT INTO howdah.queue_limit (queue, kind, most, each_node) VALUES ($1, $3, $2, COALESCE($4, false))
        ON CONFLICT (queue, COALESCE(kind, ''), each_node) DO UPDATE SET most = EXCLUDED.most;
        IF $3 IS NOT NULL THEN
            PERFORM howdah.kind_lane($1, $3);
        END IF;
    END IF;
    -- Whoever sleeps because there was no room looks again.
    PERFORM pg_notify('howdah_job', l.id::text) FROM howdah.lane l WHERE l.queue = $1;
END
$howdah$;
COMMENT ON FUNCTION howdah.limit(text, integer, text, boolean) IS
    'How many jobs of a queue, or of a kind in it, run at the same time at most, on all nodes together or on each of them; NULL: as many as the nodes can.';

-- name: pause
CREATE OR REPLACE FUNCTION howdah.pause(queue text, kind text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
#variable_conflict use_column
DECLARE
    lanes integer[] := howdah.lanes_of(pause.queue);
BEGIN
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
    'From now on no node takes a job of that queue, or of that kind in it; false, if it was paused already.';

-- name: stages
CREATE OR REPLACE FUNCTION howdah.stages(job bigint)
RETURNS TABLE (stage text, node integer, attempts integer, begun timestamptz, ended timestamptz) LANGUAGE sql STABLE
SET enable_seqscan = off SET jit = off AS $$
    SELECT s ->> 'kind', (s ->> 'node')::integer, (s ->> 'attempts')::integer, (s ->> 'begun')::timestamptz, (s ->> 'ended')::timestamptz
    FROM (SELECT m.stages
          FROM (SELECT j.more -> 'stages' AS stages FROM howdah.job j WHERE j.id = $1
                UNION ALL SELECT f.more -> 'stages' FROM howdah.failed f WHERE f.id = $1
                UNION ALL SELECT b.rest -> $1::text -> 'm' -> 'stages' FROM howdah.batch b
                          WHERE $1 BETWEEN b.first_id AND b.last_id AND $1 = ANY (b.ids)) m
          WHERE m.stages IS NOT NULL ORDER BY jsonb_array_length(m.stages) DESC LIMIT 1) AS longest,
        jsonb_array_elements(longest.stages) AS s
$$;
COMMENT ON FUNCTION howdah.stages(bigint) IS 'The stages of its pipeline that a job has passed, the last hundred of them.';

-- name: find
-- That a number lies between two columns looks to the planner like a quarter of all rows, for which it would read the whole history.
CREATE OR REPLACE FUNCTION howdah.find(id bigint) RETURNS SETOF howdah.jobs LANGUAGE sql STABLE SET enable_seqscan = off SET jit = off AS $howdah$
    SELECT v.* FROM howdah.jobs v WHERE v.id = $1 AND v.state NOT IN ('running', 'done')
    UNION ALL
    SELECT v.* FROM howdah.jobs v WHERE v.id = $1 AND v.state = 'running'
    UNION ALL
    SELECT t.id, t.queue, t.kind, 'done', t.priority, t.attempt, t.created, t.run_at, t.begun_at, t.ended_at, t.node, NULL, t.result,
        t.payload, t.day
    FROM howdah.taken t
    WHERE t.first_id <= $1 AND t.last_id >= $1 AND t.ended IS NOT NULL AND t.id = $1 AND t.letter = 'd'
$howdah$;
COMMENT ON FUNCTION howdah.find(bigint) IS 'One job, wherever it is; nothing, if it is not there or has been forgotten.';

-- name: make_day
-- Makes the table that the batches of a day go into; says whether it was not there. It is made by itself and then attached, which waits for
-- nobody who reads or writes: made as a part it would wait for all who read the history, and all others would wait behind it.
CREATE FUNCTION howdah.make_day(wanted date) RETURNS boolean LANGUAGE plpgsql AS $howdah$
DECLARE
    name text := 'batch_' || to_char(wanted, 'YYYYMMDD');
BEGIN
    IF to_regclass('howdah.' || name) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE howdah.%I (LIKE howdah.batch INCLUDING ALL EXCLUDING IDENTITY)', name);
    EXECUTE format('ALTER TABLE howdah.batch ATTACH PARTITION howdah.%I FOR VALUES IN (%L)', name, wanted);
    RETURN true;
END
$howdah$;

-- name: make_days
-- The coming days; sessions in the farthest zones live a day earlier or later. One makes them at a time, and nobody waits long for whoever
-- analyzes the whole history: there are days left for another time.
CREATE OR REPLACE FUNCTION howdah.make_days() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET lock_timeout = '3s' AS $howdah$
DECLARE
    made integer := 0;
BEGIN
    IF EXISTS (SELECT FROM generate_series(-1, 3) d
               WHERE to_regclass('howdah.batch_' || to_char(CURRENT_DATE + d, 'YYYYMMDD')) IS NULL) THEN
        PERFORM pg_advisory_xact_lock(1215264876, 3);
        FOR d IN -1..3 LOOP
            made := made + howdah.make_day(CURRENT_DATE + d)::integer;
        END LOOP;
    END IF;
    RETURN made;
END
$howdah$;

-- name: allow
-- With the rights of whoever calls it: only who owns the tables can give rights on them.
CREATE OR REPLACE FUNCTION howdah.allow(role regrole, duty text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    -- What belongs to jobs: the schema has tables of others as well.
    written CONSTANT text := 'howdah.batch, howdah.body, howdah.cancellation, howdah.failed, howdah.follower, howdah.job, howdah.key,'
        ' howdah.key_late, howdah.lane, howdah.lane_priority, howdah.node, howdah.order_key, howdah.ordered, howdah.queue_limit,'
        ' howdah.schedule, howdah.stat, howdah.stat_mark, howdah.stat_open';
    given text;
BEGIN
    IF duty NOT IN ('producer', 'reader', 'operator', 'worker', 'handler') THEN
        RAISE 'the duty "%" is not known: it has to be producer, reader, operator, worker or handler', duty
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOREACH given IN ARRAY ARRAY['USAGE ON SCHEMA howdah']
        || CASE WHEN duty IN ('producer', 'worker') THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.async_trigger(), howdah.add_ordered(text, text, json, text, integer)',
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
            'USAGE ON SEQUENCE howdah.job_id_seq'] ELSE '{}' END
        || CASE WHEN duty IN ('reader', 'operator', 'worker') THEN ARRAY[
            'SELECT ON ' || written || ', howdah.migration, howdah.errors, howdah.jobs, howdah.stats, howdah.stats_hourly, howdah.taken',
            'EXECUTE ON FUNCTION howdah.find(bigint), howdah.stages(bigint)'] ELSE '{}' END
        || CASE WHEN duty IN ('operator', 'worker') THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.cancel(bigint), howdah.retry(bigint), howdah.hurry(bigint), howdah.hurry(text, text)',
            'EXECUTE ON FUNCTION howdah.reprioritize(bigint, integer), howdah.pause(text, text), howdah.resume(text, text)',
            'EXECUTE ON FUNCTION howdah.limit(text, integer, text, boolean)']
            ELSE '{}' END
        || CASE WHEN duty = 'worker' THEN ARRAY[
            'INSERT, UPDATE, DELETE ON ' || written,
            'EXECUTE ON ALL FUNCTIONS IN SCHEMA howdah'] ELSE '{}' END
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
REVOKE EXECUTE ON FUNCTION howdah.kind_lane(text, text), howdah.limit(text, integer, text, boolean), howdah.make_day(date) FROM PUBLIC;
