-- Jobs, version 8: what people do with jobs by hand, and what they see.

-- name: columns
ALTER TABLE howdah.lane ADD kinds_paused text[];
COMMENT ON COLUMN howdah.lane.kinds_paused IS
    'of the whole queue''s: kinds that are paused. Whoever takes a job of theirs puts it into the lane of its kind';
-- What has been done is looked up by its number; this costs next to nothing to write.
CREATE INDEX batch_jobs ON howdah.batch USING brin (first_id, last_id) WITH (pages_per_range = 4, autosummarize = on);

INSERT INTO howdah.migration (feature, version) VALUES ('job', 8);

-- name: cancel
CREATE FUNCTION howdah.cancel(id bigint) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
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
    RETURN 'ended';
END
$howdah$;
COMMENT ON FUNCTION howdah.cancel(bigint) IS
    'Ends a job: cancelled, if it waited; asked, if it runs: its node interrupts it when this commits; ended, if it does neither.';

-- name: cancellations
-- Whose jobs are still to be ended: those of that node are returned, those that wait again end here, the rest is
-- forgotten. Waits for nobody.
CREATE FUNCTION howdah.cancellations(of_node integer) RETURNS SETOF bigint LANGUAGE plpgsql AS $howdah$
DECLARE
    gone bigint[];
BEGIN
    WITH old AS (
        DELETE FROM howdah.job j
        WHERE j.id = ANY (ARRAY(SELECT o.id FROM howdah.job o
            WHERE o.id = ANY (ARRAY(SELECT c.job FROM howdah.cancellation c)) FOR UPDATE SKIP LOCKED))
        RETURNING j.*
    ), kept AS (
        INSERT INTO howdah.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT o.id, o.lane, 'cancelled', o.kind, o.priority, o.attempt, o.deaths, o.run_at, 'cancelled between two attempts',
            o.payload, o.more
        FROM old o
    )
    SELECT array_agg(o.id) INTO gone FROM old o;
    IF gone IS NOT NULL THEN
        PERFORM howdah.keys_settle(gone, true);
    END IF;
    WITH seen AS (
        SELECT c.job, c.node AS said, b.node, EXISTS (SELECT FROM howdah.job j WHERE j.id = c.job) AS waits
        FROM howdah.cancellation c
        LEFT JOIN howdah.batch b ON b.ended IS NULL AND b.first_id <= c.job AND b.last_id >= c.job AND c.job = ANY (b.ids)
    ), moved AS (
        UPDATE howdah.cancellation c SET node = s.node FROM seen s WHERE c.job = s.job AND s.node <> c.node
            AND c.ctid = ANY (ARRAY(SELECT o.ctid FROM howdah.cancellation o FOR UPDATE SKIP LOCKED))
    )
    SELECT array_agg(s.job) INTO gone FROM seen s WHERE s.node IS NULL AND NOT s.waits;
    DELETE FROM howdah.cancellation c
    WHERE c.ctid = ANY (ARRAY(SELECT o.ctid FROM howdah.cancellation o WHERE o.job = ANY (gone) FOR UPDATE SKIP LOCKED));
    RETURN QUERY SELECT c.job FROM howdah.cancellation c WHERE c.node = of_node;
END
$howdah$;

-- name: retry
CREATE FUNCTION howdah.retry(id bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
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
    'Brings a job that failed or was cancelled back, as if it had never been tried; false, if it is no such job.';

-- name: hurry
CREATE FUNCTION howdah.hurry(id bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    in_lane integer;
BEGIN
    UPDATE howdah.job j SET run_at = now(),
        more = COALESCE(j.more, '{}') || jsonb_build_object('created', COALESCE(j.more -> 'created', to_jsonb(now())))
    WHERE j.id = hurry.id AND j.run_at > now() RETURNING j.lane INTO in_lane;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM howdah.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.hurry(bigint) IS 'Makes a job due that is planned, or waits to be tried again; false, if it is no such job.';

-- name: hurry_queue
CREATE FUNCTION howdah.hurry(queue text, error text DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    lanes integer[] := howdah.lanes_of(hurry.queue);
    hurried bigint;
BEGIN
    WITH due AS (
        UPDATE howdah.job j SET run_at = now()
        FROM (SELECT DISTINCT p.lane, p.priority FROM howdah.lane_priority p WHERE p.lane = ANY (lanes)) p
        WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at > now() AND j.attempt > 0
            AND (hurry.error IS NULL OR j.more ->> 'error' = hurry.error)
        RETURNING 1
    )
    SELECT count(*) INTO hurried FROM due;
    PERFORM howdah.ring(l.lane) FROM unnest(lanes) AS l (lane);
    RETURN hurried;
END
$howdah$;
COMMENT ON FUNCTION howdah.hurry(text, text) IS
    'Makes all jobs of a queue due that wait to be tried again, or those whose last attempt ended with that error: how many.';

-- name: reprioritize
CREATE FUNCTION howdah.reprioritize(id bigint, priority integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
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
        RETURN false;
    END IF;
    PERFORM howdah.lane_of(l.queue, l.kind, level) FROM howdah.lane l WHERE l.id = in_lane;
    PERFORM howdah.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.reprioritize(bigint, integer) IS
    'Gives a job that waits another priority, from the next take on; false, if it is no such job.';

-- name: lanes_of
-- That of the whole queue is the first.
CREATE FUNCTION howdah.lanes_of(of_queue text) RETURNS integer[] LANGUAGE plpgsql STABLE AS $howdah$
DECLARE
    lanes integer[];
BEGIN
    PERFORM howdah.check_name('queue', of_queue);
    SELECT array_agg(l.id ORDER BY l.kind NULLS FIRST) INTO lanes FROM howdah.lane l WHERE l.queue = of_queue;
    IF lanes IS NULL THEN
        RAISE 'there is no queue "%"', of_queue USING ERRCODE = 'undefined_object',
            HINT = 'There is one when a job has been added to it, or a node takes from it.'
            || COALESCE((SELECT ' There are: ' || string_agg(n.queue, ', ') || '.'
                FROM (SELECT DISTINCT l.queue FROM howdah.lane l ORDER BY l.queue LIMIT 20) n), '');
    END IF;
    RETURN lanes;
END
$howdah$;

-- name: pause
CREATE FUNCTION howdah.pause(queue text, kind text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
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
    INSERT INTO howdah.lane AS l (queue, kind, paused) VALUES (pause.queue, pause.kind, now())
    ON CONFLICT (queue, COALESCE(kind, '')) DO UPDATE SET paused = COALESCE(l.paused, now());
    INSERT INTO howdah.lane_priority (lane, priority)
    SELECT l.id, p.priority
    FROM howdah.lane l JOIN (SELECT DISTINCT o.priority FROM howdah.lane_priority o WHERE o.lane = ANY (lanes)) p ON true
    WHERE l.queue = pause.queue AND l.kind = pause.kind
        AND NOT EXISTS (SELECT FROM howdah.lane_priority o WHERE o.lane = l.id AND o.priority = p.priority);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.pause(text, text) IS
    'From now on no node takes a job of that queue, or of that kind in it; false, if it was paused already.';

-- name: resume
CREATE FUNCTION howdah.resume(queue text, kind text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    lanes integer[] := howdah.lanes_of(resume.queue);
BEGIN
    IF resume.kind IS NULL THEN
        UPDATE howdah.lane l SET paused = NULL WHERE l.id = lanes[1] AND l.paused IS NOT NULL;
    ELSE
        UPDATE howdah.lane l SET kinds_paused = NULLIF(array_remove(l.kinds_paused, resume.kind), '{}')
        WHERE l.id = lanes[1] AND resume.kind = ANY (l.kinds_paused);
        UPDATE howdah.lane l SET paused = NULL WHERE l.queue = resume.queue AND l.kind = resume.kind AND l.paused IS NOT NULL;
    END IF;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Whoever is awake has looked in vain, and looks now and then only.
    PERFORM pg_notify('howdah_job', l.lane::text) FROM unnest(lanes) AS l (lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.resume(text, text) IS
    'Jobs of that queue, or of that kind in it, are taken again; false, if it was not paused. A kind stays paused when its queue is resumed.';

-- name: async_trigger
-- With the rights of whoever writes to the table: what turns a row into JSON may call functions of its types.
CREATE FUNCTION howdah.async_trigger() RETURNS trigger LANGUAGE plpgsql AS $howdah$
BEGIN
    IF TG_NARGS <> 2 THEN
        RAISE 'the trigger "%" gives howdah.async_trigger % arguments: it takes a queue and a kind', TG_NAME, TG_NARGS
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF TG_LEVEL <> 'ROW' OR TG_WHEN <> 'AFTER' THEN
        RAISE 'the trigger "%" is % % EACH %: for howdah.async_trigger it has to be AFTER ... FOR EACH ROW', TG_NAME, TG_WHEN, TG_OP,
            TG_LEVEL USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM howdah.add(TG_ARGV[0], TG_ARGV[1], pg_catalog.json_build_object(
        'table', pg_catalog.format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME), 'operation', TG_OP,
        'old', CASE WHEN TG_OP <> 'INSERT' THEN pg_catalog.row_to_json(OLD) END,
        'new', CASE WHEN TG_OP <> 'DELETE' THEN pg_catalog.row_to_json(NEW) END));
    RETURN NULL;
END
$howdah$;
COMMENT ON FUNCTION howdah.async_trigger() IS
    'AFTER ... FOR EACH ROW EXECUTE FUNCTION howdah.async_trigger(''queue'', ''kind''): adds a job with the old and the new row.';

-- name: taken
-- The jobs of batches, one by one.
CREATE VIEW howdah.taken AS
SELECT u.id, l.queue, COALESCE(b.kind, u.kind) AS kind,
    COALESCE((b.rest -> u.id::text ->> 'p')::smallint, 0::smallint) AS priority,
    LEAST(COALESCE((b.rest -> u.id::text ->> 'a')::integer, 0) + 1, 32767)::smallint AS attempt,
    COALESCE((b.rest -> u.id::text -> 'm' ->> 'created')::timestamptz, b.run_at + COALESCE(u.run_offset, 0) * interval '1 ms') AS created,
    b.run_at + COALESCE(u.run_offset, 0) * interval '1 ms' AS run_at, b.taken, b.ended,
    b.taken + u.began * interval '1 microsecond' AS begun_at,
    b.taken + (u.began::bigint + u.ran) * interval '1 microsecond' AS ended_at,
    COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') AS letter, b.node, b.rest -> u.id::text -> 'm' ->> 'error' AS error,
    b.details -> u.id::text -> 'result' AS result, u.payload, b.day, b.first_id, b.last_id
FROM howdah.batch b JOIN howdah.lane l ON l.id = b.lane
CROSS JOIN LATERAL unnest(b.ids, b.run_offsets, b.kinds, b.payloads, b.begins, b.runs)
    WITH ORDINALITY AS u (id, run_offset, kind, payload, began, ran, n);
COMMENT ON VIEW howdah.taken IS 'Jobs that nodes have taken: those that run (ended is NULL), and what became of the others (letter, as in howdah.batch.outcomes).';

-- name: jobs
-- The states are constants, so that whoever asks for one reads only what is in it.
CREATE VIEW howdah.jobs AS
SELECT j.id, l.queue, j.kind, 'waiting'::text AS state, j.priority, j.attempt,
    COALESCE((j.more ->> 'created')::timestamptz, j.run_at) AS created, j.run_at, NULL::timestamptz AS begun, NULL::timestamptz AS ended,
    NULL::integer AS node, j.more ->> 'error' AS error, NULL::jsonb AS result,
    COALESCE(j.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = j.id)) AS payload, NULL::date AS day
FROM howdah.job j JOIN howdah.lane l ON l.id = j.lane
WHERE j.run_at <= now()
UNION ALL
SELECT j.id, l.queue, j.kind, 'planned', j.priority, j.attempt, COALESCE((j.more ->> 'created')::timestamptz, j.run_at), j.run_at,
    NULL, NULL, NULL, NULL, NULL, COALESCE(j.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = j.id)), NULL
FROM howdah.job j JOIN howdah.lane l ON l.id = j.lane
WHERE j.run_at > now() AND j.attempt = 0
UNION ALL
SELECT j.id, l.queue, j.kind, 'retrying', j.priority, j.attempt, COALESCE((j.more ->> 'created')::timestamptz, j.run_at), j.run_at,
    NULL, NULL, NULL, j.more ->> 'error', NULL, COALESCE(j.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = j.id)), NULL
FROM howdah.job j JOIN howdah.lane l ON l.id = j.lane
WHERE j.run_at > now() AND j.attempt > 0
UNION ALL
SELECT f.id, l.queue, f.kind, 'following', f.priority, 0::smallint, COALESCE((f.more ->> 'created')::timestamptz, f.run_at), f.run_at,
    NULL, NULL, NULL, NULL, NULL, COALESCE(f.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = f.id)), NULL
FROM howdah.follower f JOIN howdah.lane l ON l.id = f.lane
UNION ALL
SELECT o.id, l.queue, o.kind, 'following', o.priority, 0::smallint, COALESCE((o.more ->> 'created')::timestamptz, o.run_at), o.run_at,
    NULL, NULL, NULL, NULL, NULL, COALESCE(o.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = o.id)), NULL
FROM howdah.ordered o JOIN howdah.lane l ON l.id = o.lane
UNION ALL
SELECT t.id, t.queue, t.kind, 'running', t.priority, t.attempt, t.created, t.run_at, t.taken, NULL, t.node, t.error, NULL,
    COALESCE(t.payload, (SELECT y.payload FROM howdah.body y WHERE y.job = t.id)), t.day
FROM howdah.taken t WHERE t.ended IS NULL
UNION ALL
SELECT t.id, t.queue, t.kind, 'done', t.priority, t.attempt, t.created, t.run_at, t.begun_at, t.ended_at, t.node, NULL, t.result,
    t.payload, t.day
FROM howdah.taken t WHERE t.ended IS NOT NULL AND t.letter = 'd'
UNION ALL
SELECT f.id, l.queue, f.kind, 'failed', f.priority, f.attempt, COALESCE((f.more ->> 'created')::timestamptz, f.run_at), f.run_at,
    NULL, f.ended, f.node, f.error, NULL, COALESCE(f.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = f.id)), NULL
FROM howdah.failed f JOIN howdah.lane l ON l.id = f.lane
WHERE f.state = 'failed'
UNION ALL
SELECT f.id, l.queue, f.kind, 'cancelled', f.priority, f.attempt, COALESCE((f.more ->> 'created')::timestamptz, f.run_at), f.run_at,
    NULL, f.ended, f.node, f.error, NULL, COALESCE(f.payload, (SELECT b.payload FROM howdah.body b WHERE b.job = f.id)), NULL
FROM howdah.failed f JOIN howdah.lane l ON l.id = f.lane
WHERE f.state = 'cancelled';
COMMENT ON VIEW howdah.jobs IS 'All jobs there are. Ask for a state, or for a day of what is done; for one job see howdah.find.';

-- name: find
CREATE FUNCTION howdah.find(id bigint) RETURNS SETOF howdah.jobs LANGUAGE sql STABLE AS $howdah$
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

-- name: make_days
-- Makes the tables that the batches of the coming days go into; sessions in the farthest zones live a day earlier or later.
CREATE FUNCTION howdah.make_days() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $howdah$
DECLARE
    wanted date;
    made integer := 0;
BEGIN
    FOR wanted IN SELECT CURRENT_DATE + d FROM generate_series(-1, 3) d
        WHERE to_regclass('howdah.batch_' || to_char(CURRENT_DATE + d, 'YYYYMMDD')) IS NULL LOOP
        EXECUTE format('CREATE TABLE IF NOT EXISTS howdah.%I PARTITION OF howdah.batch FOR VALUES IN (%L)',
            'batch_' || to_char(wanted, 'YYYYMMDD'), wanted);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$howdah$;

-- name: drop_day
-- Dropping needs the whole table for a moment: nobody shall wait for that behind somebody who reads it for long.
CREATE FUNCTION howdah.drop_day(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $howdah$
BEGIN
    IF name !~ '^batch_[0-9]{8}$' THEN
        RAISE '"%" is not the table of a day', name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS howdah.%I', name);
END
$howdah$;

-- name: allow
-- With the rights of whoever calls it: only who owns the tables can give rights on them.
CREATE FUNCTION howdah.allow(role regrole, duty text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    given text;
BEGIN
    IF duty NOT IN ('producer', 'reader', 'operator', 'worker') THEN
        RAISE 'the duty "%" is not known: it has to be producer, reader, operator or worker', duty
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
            'SELECT ON ALL TABLES IN SCHEMA howdah', 'EXECUTE ON FUNCTION howdah.find(bigint), howdah.stages(bigint)'] ELSE '{}' END
        || CASE WHEN duty IN ('operator', 'worker') THEN ARRAY[
            'EXECUTE ON FUNCTION howdah.cancel(bigint), howdah.retry(bigint), howdah.hurry(bigint), howdah.hurry(text, text)',
            'EXECUTE ON FUNCTION howdah.reprioritize(bigint, integer), howdah.pause(text, text), howdah.resume(text, text)']
            ELSE '{}' END
        || CASE WHEN duty = 'worker' THEN ARRAY[
            'INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA howdah', 'USAGE ON ALL SEQUENCES IN SCHEMA howdah',
            'EXECUTE ON ALL FUNCTIONS IN SCHEMA howdah'] ELSE '{}' END LOOP
        EXECUTE format('GRANT %s TO %s', given, role);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Gives a role the least rights that a producer, reader, operator or worker needs. To be called again after an upgrade.';

-- name: add_ordered
-- As the others that add: producers have no rights on the tables.
ALTER FUNCTION howdah.add_ordered(text, text, json, text, integer) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- name: close
-- Functions are everybody's unless that is taken back. Not those of tasks, which have no rights of their own.
DO $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN SELECT p.oid FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace AND p.proname NOT IN ('run', 'wait', 'task_table', 'writers') LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
END
$howdah$;
