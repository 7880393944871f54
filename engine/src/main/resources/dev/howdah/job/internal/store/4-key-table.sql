-- Jobs, version 4: adding from SQL, and keys.
--
-- A key is held by one job of its queue and kind at a time. Who adds locks the row of the key until its transaction ends,
-- which may be in an hour, and whoever ends a job must not wait for that: it passes over keys that are locked, and
-- leaves a note in key_late, in the transaction that ends the job. Nodes look there every two seconds, and so does who adds.

-- name: tables
CREATE TABLE howdah.key (
    queue integer NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    job bigint NOT NULL,
    version timestamptz,
    next bigint,
    ended timestamptz,
    PRIMARY KEY (queue, kind, key)
);
CREATE INDEX key_job ON howdah.key (job);
CREATE INDEX key_next ON howdah.key (next) WHERE next IS NOT NULL;
CREATE INDEX key_ended ON howdah.key (ended) WHERE ended IS NOT NULL;
COMMENT ON TABLE howdah.key IS 'The keys that jobs wait or run with, and those whose version is remembered.';
COMMENT ON COLUMN howdah.key.queue IS 'the lane of the whole queue';
COMMENT ON COLUMN howdah.key.job IS 'the job that has it, or had it last';
COMMENT ON COLUMN howdah.key.version IS 'the newest that was added; NULL: none had one';
COMMENT ON COLUMN howdah.key.next IS 'the job in howdah.follower that runs when this one has ended, because it is newer';
COMMENT ON COLUMN howdah.key.ended IS 'since when no job has it; NULL: one has';

CREATE TABLE howdah.follower (
    id bigint PRIMARY KEY,
    run_at timestamptz NOT NULL,
    lane integer NOT NULL,
    priority smallint NOT NULL,
    kind text NOT NULL,
    payload json,
    more jsonb
);
COMMENT ON TABLE howdah.follower IS 'Jobs that wait until the job with their key has ended; columns as in howdah.job.';

-- Not unique, so that nobody waits for anybody who has written here.
CREATE TABLE howdah.key_late (
    job bigint NOT NULL
);
CREATE INDEX key_late_job ON howdah.key_late (job);
COMMENT ON TABLE howdah.key_late IS 'Jobs that have ended or gone back while somebody else had locked their key.';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 4);

-- name: check_name
CREATE FUNCTION howdah.check_name(what text, name text) RETURNS void LANGUAGE plpgsql IMMUTABLE AS $howdah$
BEGIN
    IF name IS NULL OR name = '' OR length(name) > 200 THEN
        RAISE 'the name of a % has 1 to 200 characters, not %: %', what, COALESCE(length(name), 0),
            COALESCE('"' || left(name, 40) || CASE WHEN length(name) > 40 THEN '..."' ELSE '"' END, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;

-- name: check_priority
CREATE FUNCTION howdah.check_priority(priority integer) RETURNS smallint LANGUAGE plpgsql IMMUTABLE AS $howdah$
BEGIN
    IF priority IS NULL OR priority NOT BETWEEN -100 AND 100 THEN
        RAISE 'a priority of %: it has to be from -100 to 100', COALESCE(priority::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN priority;
END
$howdah$;

-- name: due
-- When a job is due that is added now.
CREATE FUNCTION howdah.due(run_at timestamptz, delay interval) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $howdah$
BEGIN
    IF run_at IS NOT NULL AND delay IS NOT NULL THEN
        RAISE 'run_at % and delay %: a job has one or the other', run_at, delay USING ERRCODE = 'invalid_parameter_value';
    ELSIF run_at < '0001-01-01 00:00:00+00' OR run_at >= '10000-01-01 00:00:00+00' THEN
        RAISE 'a job at %: it has to be in the years 1 to 9999', run_at USING ERRCODE = 'invalid_parameter_value';
    ELSIF delay < interval '0' OR delay > interval '1000 years' THEN
        RAISE 'a delay of %: it has to be from 0 to 1000 years', delay USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN COALESCE(run_at, now() + delay, now());
END
$howdah$;

-- name: unusual
-- What stands in howdah.job.more.
CREATE FUNCTION howdah.unusual(due timestamptz, attempts integer, timeout interval, key text, version timestamptz) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $howdah$
BEGIN
    IF attempts NOT BETWEEN 1 AND 10000 THEN
        RAISE '% attempts: it has to be from 1 to 10000', attempts USING ERRCODE = 'invalid_parameter_value';
    ELSIF timeout <= interval '0' OR timeout > interval '1000 years' THEN
        RAISE 'a timeout of %: it has to be longer than 0, and 1000 years at most', timeout
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF key = '' OR length(key) > 400 THEN
        RAISE 'a key has 1 to 400 characters, not %: "%"', length(key), left(key, 40) USING ERRCODE = 'invalid_parameter_value';
    ELSIF version IS NOT NULL AND key IS NULL THEN
        RAISE 'version % without a key: it says which of two jobs with one key is newer', version
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF NOT isfinite(version) THEN
        RAISE 'version %: it has to be a moment', version USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NULLIF(jsonb_strip_nulls(jsonb_build_object('attempts', attempts, 'timeout', extract(epoch FROM timeout), 'key', key,
        'version', version, 'created', CASE WHEN due <> now() THEN now() END)), '{}');
END
$howdah$;

-- name: lane_of
-- Where a job of that kind waits, its queue and its priority made known.
CREATE FUNCTION howdah.lane_of(of_queue text, of_kind text, with_priority smallint) RETURNS integer LANGUAGE plpgsql AS $howdah$
DECLARE
    found_lane integer;
BEGIN
    LOOP
        SELECT l.id INTO found_lane FROM howdah.lane l
        WHERE l.queue = of_queue AND COALESCE(l.kind, '') IN ('', of_kind) ORDER BY l.kind NULLS LAST LIMIT 1;
        EXIT WHEN FOUND;
        INSERT INTO howdah.lane (queue) VALUES (of_queue) ON CONFLICT (queue, COALESCE(kind, '')) DO NOTHING
        RETURNING id INTO found_lane;
        IF FOUND THEN
            INSERT INTO howdah.lane_priority (lane, priority) VALUES (found_lane, 0);
        END IF;
    END LOOP;
    IF with_priority <> 0 THEN
        INSERT INTO howdah.lane_priority (lane, priority) SELECT found_lane, with_priority
        WHERE NOT EXISTS (SELECT FROM howdah.lane_priority p WHERE p.lane = found_lane AND p.priority = with_priority);
    END IF;
    RETURN found_lane;
END
$howdah$;

-- name: is_large
-- Payloads so large are kept apart: they would be written three times otherwise.
CREATE FUNCTION howdah.is_large(payload json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $howdah$
    SELECT octet_length(payload::text) > 8192
$howdah$;

-- name: put_body
-- Keeps a payload apart if it is large; what is left to travel with its job.
CREATE FUNCTION howdah.put_body(of_job bigint, payload json) RETURNS json LANGUAGE plpgsql AS $howdah$
BEGIN
    IF NOT howdah.is_large(payload) THEN
        RETURN payload;
    END IF;
    INSERT INTO howdah.body (job, payload) VALUES (of_job, put_body.payload);
    RETURN NULL;
END
$howdah$;

-- name: ring
-- Tells those who sleep at that lane, as in add.sql.
CREATE FUNCTION howdah.ring(at_lane integer) RETURNS void LANGUAGE plpgsql AS $howdah$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(1215264875, at_lane) THEN
        PERFORM pg_notify('howdah_job', at_lane::text);
    END IF;
END
$howdah$;

-- name: put
CREATE FUNCTION howdah.put(of_id bigint, in_lane integer, of_kind text, with_priority smallint, due timestamptz, with_payload json,
    with_more jsonb) RETURNS bigint LANGUAGE plpgsql AS $howdah$
BEGIN
    INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
    VALUES (of_id, in_lane, of_kind, with_priority, due, howdah.put_body(of_id, with_payload), with_more);
    PERFORM howdah.ring(in_lane);
    RETURN of_id;
END
$howdah$;

-- name: keys_settle
-- After jobs have ended or gone back to their lanes, in the same transaction: their keys become free, or what follows
-- takes their place. Waits for nobody. over: whether it is known that none of them runs.
CREATE FUNCTION howdah.keys_settle(jobs bigint[], over boolean) RETURNS void LANGUAGE plpgsql AS $howdah$
DECLARE
    mine bigint[];
    gone bigint[];
    back bigint[];
    replaced bigint[];
BEGIN
    SELECT array_agg(k.job) INTO mine
    FROM (SELECT o.job FROM howdah.key o WHERE o.job = ANY (jobs) AND o.ended IS NULL ORDER BY o.job FOR UPDATE SKIP LOCKED) k;
    INSERT INTO howdah.key_late (job)
    SELECT k.job FROM howdah.key k
    WHERE k.job = ANY (jobs) AND k.ended IS NULL AND k.job <> ALL (COALESCE(mine, '{}'));
    IF mine IS NULL THEN
        RETURN;
    END IF;
    -- One statement, hence one snapshot: a job is in one place at a time.
    SELECT array_agg(k.job) FILTER (WHERE k.waits AND k.next IS NOT NULL),
        array_agg(k.job) FILTER (WHERE NOT k.waits AND NOT CASE WHEN over THEN false ELSE EXISTS (
            SELECT FROM howdah.batch b
            WHERE b.ended IS NULL AND b.first_id <= k.job AND b.last_id >= k.job AND k.job = ANY (b.ids)) END)
    INTO back, gone
    FROM (SELECT o.job, o.next, EXISTS (SELECT FROM howdah.job j WHERE j.id = o.job) AS waits
          FROM howdah.key o WHERE o.job = ANY (mine)) k;
    IF back IS NOT NULL THEN
        -- It would be tried again while a newer one waits for it to end.
        WITH old AS (
            DELETE FROM howdah.job j
            WHERE j.id = ANY (ARRAY(SELECT o.id FROM howdah.job o WHERE o.id = ANY (back) FOR UPDATE SKIP LOCKED))
            RETURNING j.*
        ), kept AS (
            INSERT INTO howdah.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
            SELECT o.id, o.lane, 'cancelled', o.kind, o.priority, o.attempt, o.deaths, o.run_at, 'a newer version took its place',
                o.payload, o.more
            FROM old o
        )
        SELECT array_agg(o.id) INTO replaced FROM old o;
        INSERT INTO howdah.key_late (job)
        SELECT b.job FROM unnest(back) AS b (job) WHERE b.job <> ALL (COALESCE(replaced, '{}'));
        gone := gone || replaced;
    END IF;
    IF gone IS NULL THEN
        RETURN;
    END IF;
    WITH next AS (
        DELETE FROM howdah.follower f USING howdah.key k WHERE k.job = ANY (gone) AND f.id = k.next
        RETURNING f.*
    ), added AS (
        INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
        SELECT n.id, n.lane, n.kind, n.priority, n.run_at, n.payload, n.more FROM next n
    )
    SELECT array_agg(DISTINCT n.lane) INTO replaced FROM next n;
    PERFORM howdah.ring(r.lane::integer) FROM unnest(replaced) AS r (lane);
    DELETE FROM howdah.key k WHERE k.job = ANY (gone) AND k.next IS NULL AND k.version IS NULL;
    UPDATE howdah.key k SET job = COALESCE(k.next, k.job), next = NULL, ended = CASE WHEN k.next IS NULL THEN clock_timestamp() END
    WHERE k.job = ANY (gone);
END
$howdah$;

-- name: keys_late
-- Does now what could not be done when those jobs ended. Waits for nobody.
CREATE FUNCTION howdah.keys_late() RETURNS void LANGUAGE plpgsql AS $howdah$
DECLARE
    jobs bigint[];
BEGIN
    WITH noted AS (
        DELETE FROM howdah.key_late t
        WHERE t.ctid = ANY (ARRAY(SELECT o.ctid FROM howdah.key_late o LIMIT 1000 FOR UPDATE SKIP LOCKED))
        RETURNING t.job
    )
    SELECT array_agg(DISTINCT n.job) INTO jobs FROM noted n;
    IF jobs IS NOT NULL THEN
        PERFORM howdah.keys_settle(jobs, false);
    END IF;
END
$howdah$;

-- name: add_keyed
CREATE FUNCTION howdah.add_keyed(of_queue text, in_lane integer, of_kind text, with_key text, with_version timestamptz,
    with_priority smallint, due timestamptz, with_payload json, with_more jsonb, OUT id bigint, OUT added boolean)
LANGUAGE plpgsql AS $howdah$
DECLARE
    home integer := (SELECT l.id FROM howdah.lane l WHERE l.queue = of_queue AND COALESCE(l.kind, '') = '');
    known howdah.key;
    locked boolean := false;
    settled boolean := false;
BEGIN
    added := false;
    LOOP
        -- Who comes with nothing new does not lock the key.
        IF locked THEN
            SELECT * INTO known FROM howdah.key k WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key FOR UPDATE;
        ELSE
            SELECT * INTO known FROM howdah.key k WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key;
        END IF;
        IF NOT FOUND THEN
            id := nextval('howdah.job_id_seq');
            INSERT INTO howdah.key (queue, kind, key, job, version) VALUES (home, of_kind, with_key, id, with_version)
            ON CONFLICT ON CONSTRAINT key_pkey DO NOTHING;
            CONTINUE WHEN NOT FOUND;
            PERFORM howdah.put(id, in_lane, of_kind, with_priority, due, with_payload, with_more);
            added := true;
            RETURN;
        END IF;
        IF NOT settled AND EXISTS (SELECT FROM howdah.key_late t WHERE t.job = known.job) THEN
            IF locked THEN
                PERFORM howdah.keys_settle(ARRAY[known.job], false);
                settled := true;
            END IF;
            locked := true;
            CONTINUE;
        END IF;
        id := COALESCE(known.next, known.job);
        IF with_version <= known.version OR with_version IS NULL AND known.ended IS NULL THEN
            RETURN;
        END IF;
        EXIT WHEN locked;
        locked := true;
    END LOOP;
    added := true;
    IF known.ended IS NULL AND known.next IS NULL THEN
        UPDATE howdah.job j SET run_at = due, lane = in_lane, priority = with_priority, attempt = 0, deaths = 0,
            payload = with_payload, more = with_more
        WHERE j.id = known.job;
        IF FOUND THEN
            DELETE FROM howdah.body b WHERE b.job = known.job;
            UPDATE howdah.job j SET payload = NULL WHERE j.id = known.job AND howdah.put_body(known.job, with_payload) IS NULL;
            PERFORM howdah.ring(in_lane);
        ELSE
            -- It runs. Whoever ends it finds out, now or later, that something follows.
            id := nextval('howdah.job_id_seq');
            INSERT INTO howdah.follower (id, run_at, lane, priority, kind, payload, more)
            VALUES (id, due, in_lane, with_priority, of_kind, howdah.put_body(id, with_payload), with_more);
        END IF;
    ELSIF known.ended IS NULL THEN
        DELETE FROM howdah.body b WHERE b.job = known.next;
        UPDATE howdah.follower f SET run_at = due, lane = in_lane, priority = with_priority,
            payload = howdah.put_body(f.id, with_payload), more = with_more
        WHERE f.id = known.next;
    ELSE
        id := howdah.put(nextval('howdah.job_id_seq'), in_lane, of_kind, with_priority, due, with_payload, with_more);
    END IF;
    UPDATE howdah.key k SET version = COALESCE(with_version, k.version), ended = NULL,
        job = CASE WHEN known.ended IS NULL THEN k.job ELSE id END,
        next = CASE WHEN known.ended IS NULL AND id <> k.job THEN id END
    WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key;
END
$howdah$;

-- name: add
CREATE FUNCTION howdah.add(queue text, kind text, payload json, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL,
    delay interval DEFAULT NULL, key text DEFAULT NULL, version timestamptz DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, OUT id bigint, OUT added boolean) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    due timestamptz := howdah.due(add.run_at, add.delay);
    level smallint := howdah.check_priority(add.priority);
    more jsonb := howdah.unusual(due, add.attempts, add.timeout, add.key, add.version);
    body json := COALESCE(add.payload, 'null');
    lane integer;
BEGIN
    PERFORM howdah.check_name('queue', add.queue), howdah.check_name('kind', add.kind);
    lane := howdah.lane_of(add.queue, add.kind, level);
    IF add.key IS NULL THEN
        id := howdah.put(nextval('howdah.job_id_seq'), lane, add.kind, level, due, body, more);
        added := true;
    ELSE
        SELECT a.id, a.added INTO add.id, add.added
        FROM howdah.add_keyed(add.queue, lane, add.kind, add.key, add.version, level, due, body, more) a;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.add(text, text, json, integer, timestamptz, interval, text, timestamptz, integer, interval) IS
    'Adds a job in this transaction: its number, and whether it was added (not, if one with its key is there already).';

-- name: add_jsonb
CREATE FUNCTION howdah.add(queue text, kind text, payload jsonb, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL,
    delay interval DEFAULT NULL, key text DEFAULT NULL, version timestamptz DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, OUT id bigint, OUT added boolean) LANGUAGE sql AS $howdah$
    SELECT a.id, a.added FROM howdah.add($1, $2, $3::json, $4, $5, $6, $7, $8, $9, $10) a
$howdah$;

-- name: add_text
-- What stands in quotes is a text: with this one it need not say that it is JSON.
CREATE FUNCTION howdah.add(queue text, kind text, payload text DEFAULT 'null', priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, key text DEFAULT NULL, version timestamptz DEFAULT NULL,
    attempts integer DEFAULT NULL, timeout interval DEFAULT NULL, OUT id bigint, OUT added boolean) LANGUAGE sql AS $howdah$
    SELECT a.id, a.added FROM howdah.add($1, $2, $3::json, $4, $5, $6, $7, $8, $9, $10) a
$howdah$;

-- name: add_many
CREATE FUNCTION howdah.add_many(queue text, kind text, payloads json[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL, timeout interval DEFAULT NULL)
RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    due timestamptz := howdah.due(add_many.run_at, add_many.delay);
    level smallint := howdah.check_priority(add_many.priority);
    unusual jsonb := howdah.unusual(due, add_many.attempts, add_many.timeout, NULL, NULL);
    home integer;
BEGIN
    PERFORM howdah.check_name('queue', add_many.queue), howdah.check_name('kind', add_many.kind);
    IF payloads IS NULL THEN
        RAISE 'payloads is NULL: it has to be an array, of one for each job' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    home := howdah.lane_of(add_many.queue, add_many.kind, level);
    RETURN QUERY WITH asked AS (
        SELECT nextval('howdah.job_id_seq') AS id, COALESCE(u.payload, 'null') AS payload, u.n
        FROM unnest(payloads) WITH ORDINALITY AS u (payload, n)
    ), bodies AS (
        INSERT INTO howdah.body (job, payload) SELECT a.id, a.payload FROM asked a WHERE howdah.is_large(a.payload)
    ), jobs AS (
        INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
        SELECT a.id, home, add_many.kind, level, due, CASE WHEN NOT howdah.is_large(a.payload) THEN a.payload END, unusual
        FROM asked a
    )
    SELECT a.id FROM asked a ORDER BY a.n;
    PERFORM howdah.ring(home);
END
$howdah$;
COMMENT ON FUNCTION howdah.add_many(text, text, json[], integer, timestamptz, interval, integer, interval) IS
    'Adds many jobs in this transaction, one for each payload: their numbers, in that order.';

-- name: add_many_jsonb
CREATE FUNCTION howdah.add_many(queue text, kind text, payloads jsonb[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL, timeout interval DEFAULT NULL)
RETURNS SETOF bigint LANGUAGE sql AS $howdah$
    SELECT howdah.add_many($1, $2, $3::text[]::json[], $4, $5, $6, $7, $8)
$howdah$;

-- name: add_many_text
CREATE FUNCTION howdah.add_many(queue text, kind text, payloads text[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL, timeout interval DEFAULT NULL)
RETURNS SETOF bigint LANGUAGE sql AS $howdah$
    SELECT howdah.add_many($1, $2, $3::json[], $4, $5, $6, $7, $8)
$howdah$;
