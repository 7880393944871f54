-- The library inserts without a function; it may read the ids of jobs, but not xmin.
CREATE FUNCTION howdah_internal.added(before bigint, last bigint)
RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT array_agg(j.id ORDER BY j.id) FROM howdah_internal.job j
    WHERE j.id > before
        AND j.id <= last
        AND j.xmin = (SELECT l.xmin FROM howdah_internal.job l WHERE l.id = last)
$howdah$;
COMMENT ON FUNCTION howdah_internal.added(bigint, bigint) IS
    'The ids after the first and up to the last of those jobs that were added by the '
    'transaction, or part of one between savepoints, that added the last.';

-- A job whose payload is too large to travel with it. The sequence gives its id.
CREATE FUNCTION howdah_internal.put_large(
    in_lane integer, of_kind text, with_priority integer, due timestamptz, with_payload json,
    with_more jsonb)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    named bigint := nextval('howdah_internal.job_id_seq');
    lane integer := howdah_internal.lane_for(in_lane, with_more);
BEGIN
    INSERT INTO howdah_internal.body (job, payload) VALUES (named, with_payload);
    INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
    VALUES (named, lane, of_kind, with_priority, due, NULL, with_more);
    IF lane < 0 THEN
        PERFORM howdah_internal.ring(lane);
    END IF;
    RETURN named;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.put_large(integer, text, integer, timestamptz, json, jsonb) IS
    'For the library: adds a job with a large payload; its id.';

-- Jobs of groups: each array has an element for each job, whose lane is the one that it would be in
-- without a group. The sequence gives their ids, in their order.
CREATE FUNCTION howdah_internal.put_grouped(
    lanes integer[], kinds text[], priorities integer[], dues timestamptz[], payloads text[],
    mores text[])
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    lanes := howdah_internal.lanes_for(lanes, mores::jsonb[]);
    RETURN QUERY WITH asked AS MATERIALIZED (
        SELECT a.*, nextval('howdah_internal.job_id_seq') AS id
        FROM unnest(lanes, kinds, priorities, dues, payloads, mores)
            AS a (lane, kind, priority, due, payload, more)
    ), bodies AS (
        INSERT INTO howdah_internal.body (job, payload)
        SELECT a.id, a.payload::json
        FROM asked a
        WHERE octet_length(a.payload) > 8192
    ), added AS (
        INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
        SELECT a.id, a.lane, a.kind, a.priority, a.due,
            CASE WHEN octet_length(a.payload) <= 8192 THEN a.payload::json END, a.more::jsonb
        FROM asked a
    )
    SELECT a.id FROM asked a ORDER BY a.id;
    PERFORM howdah_internal.ring(r.lane)
        FROM (SELECT DISTINCT u.lane FROM unnest(lanes) AS u (lane)) r;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.put_grouped(
    integer[], text[], integer[], timestamptz[], text[], text[]) IS
    'For the library: adds jobs of groups; their ids, in their order.';

-- Jobs with order keys: each array has an element for each job. The sequence gives their ids, in
-- their order. A node looks at the first one of each key; the others follow it.
CREATE FUNCTION howdah_internal.put_ordered(
    lanes integer[], kinds text[], priorities integer[], dues timestamptz[], payloads text[],
    mores text[], larges boolean[], queues text[], keys text[])
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF array_to_string(mores, '') ~ '"(group|weight)"' THEN
        lanes := howdah_internal.lanes_for(lanes, mores::jsonb[]);
    END IF;
    RETURN QUERY WITH asked AS MATERIALIZED (
        SELECT a.*, nextval('howdah_internal.job_id_seq') AS id
        FROM unnest(lanes, kinds, priorities, dues, payloads, mores, larges, queues, keys)
            AS a (lane, kind, priority, due, payload, more, large, queue, key)
    ), bodies AS (
        INSERT INTO howdah_internal.body (job, payload)
        SELECT a.id, a.payload::json
        FROM asked a
        WHERE a.large
    ), added AS (
        INSERT INTO howdah_internal.ordered (id, queue, key, fresh, run_at, lane, priority, kind,
            payload, more)
        SELECT a.id, a.queue, a.key,
            row_number() OVER (
                PARTITION BY a.queue COLLATE "C", a.key COLLATE "C"
                ORDER BY a.id) = 1,
            a.due, a.lane, a.priority, a.kind,
            CASE WHEN NOT a.large THEN a.payload::json END,
            COALESCE(a.more::jsonb, '{}') || jsonb_build_object('ordered', a.key)
        FROM asked a
    )
    SELECT a.id FROM asked a ORDER BY a.id;
    PERFORM howdah_internal.tell('howdah_job_order', '');
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.put_ordered(
    integer[], text[], integer[], timestamptz[], text[], text[], boolean[], text[], text[]) IS
    'For the library: adds jobs with order keys; their ids, in their order.';

-- What is unusual about a job with a key, whose other attributes are checked: as
-- howdah_internal.unusual has it.
CREATE FUNCTION howdah_internal.keyed_more(more text, due timestamptz, key text,
    version timestamptz)
RETURNS jsonb
LANGUAGE sql STABLE
AS $howdah$
    SELECT CASE
        WHEN key IS NULL THEN more::jsonb
        WHEN more IS NULL AND version IS NULL AND due = now() THEN jsonb_build_object('key', key)
        ELSE COALESCE(more::jsonb, '{}') || jsonb_strip_nulls(jsonb_build_object(
            'key', key, 'version', version, 'created', CASE WHEN due <> now() THEN now() END))
    END
$howdah$;

-- Jobs of one kind in one lane whose keys are all new, as they mostly are: their ids, in their
-- order; NULL: some are there, or came meanwhile, or two jobs have the same, and none was added.
-- Takes two thirds of the time of howdah_internal.put_keyed, which does the rest; the unique index
-- decides. Keys are looked for first, since an INSERT that is undone leaves its rows behind. span:
-- of the window.
CREATE FUNCTION howdah_internal.put_new(
    of_queue text, in_lane integer, of_kind text, with_priority integer, dues timestamptz[],
    payloads text[], with_more text, keys text[], versions timestamptz[], span interval)
RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    home CONSTANT integer := (
        SELECT l.id
        FROM howdah_internal.lane l
        WHERE l.queue = of_queue AND COALESCE(l.kind, '') = '' AND l.home IS NULL);
    ids bigint[];
BEGIN
    IF EXISTS (
        SELECT
        FROM howdah_internal.key k
        WHERE k.key = ANY (keys) AND k.kind = of_kind AND k.queue = home) THEN
        RETURN NULL;
    END IF;
    ids := ARRAY(
        SELECT nextval('howdah_internal.job_id_seq')
            FROM generate_series(1, cardinality(payloads)));
    BEGIN
        INSERT INTO howdah_internal.key (queue, kind, key, job, version, until)
        SELECT home, of_kind, n.key, n.id, n.version, now() + span
        FROM unnest(ids, keys, versions) AS n (id, key, version)
        WHERE n.key IS NOT NULL
        -- As in howdah_internal.put_keyed: no two sessions wait for each other.
        ORDER BY n.key COLLATE "C";
    EXCEPTION WHEN unique_violation THEN
        RETURN NULL;
    END;
    INSERT INTO howdah_internal.body (job, payload)
    SELECT a.id, a.payload::json
    FROM unnest(ids, payloads) AS a (id, payload)
    WHERE octet_length(a.payload) > 8192;
    INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
    SELECT a.id, in_lane, of_kind, with_priority, COALESCE(a.due, now()),
        CASE WHEN octet_length(a.payload) > 8192 THEN NULL
            ELSE COALESCE(a.payload, 'null')::json END,
        howdah_internal.keyed_more(with_more, COALESCE(a.due, now()), a.key, a.version)
    FROM unnest(ids, dues, payloads, keys, versions) AS a (id, due, payload, key, version);
    RETURN ids;
END
$howdah$;

-- The part of howdah_internal.add_each that is done for all jobs together: those whose keys are
-- new, and those without a key, are added; those whose keys are held, and that are not newer, are
-- not. added is NULL for the others: those whose keys are there, which are locked then, and all but
-- the first one of each new key. ids: the id of the job, of the one that holds its key, or the one
-- that is drawn for it.
--
-- The settings: how many jobs there are is not known when the statements are planned, and the keys
-- may have grown since. A join of two sets of them as a nested loop would take the square of that
-- many steps.
CREATE FUNCTION howdah_internal.put_keyed(
    lanes integer[], kinds text[], priorities integer[], dues timestamptz[], payloads text[],
    mores text[], queues text[], keys text[], versions timestamptz[], uniques jsonb[],
    OUT ids bigint[], OUT added boolean[])
LANGUAGE plpgsql
SET enable_nestloop = off
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    new_homes integer[];
    new_kinds text[];
    new_keys text[];
    new_versions timestamptz[];
    new_spans interval[];
    new_ids bigint[];
    named bigint[];
    there boolean;
BEGIN
    WITH keyed AS (
        SELECT l.id AS home, a.kind, a.key, a.version, a.id, first_value(a.id) OVER same AS first,
            max(a.version) OVER same AS newest, bool_or(a.version IS NULL) OVER same AS plain,
            a.policy
        FROM (
            SELECT u.*, nextval('howdah_internal.job_id_seq') AS id
            FROM unnest(kinds, queues, keys, versions, uniques)
                AS u (kind, queue, key, version, policy)) a
        LEFT JOIN howdah_internal.lane l ON l.queue = a.queue AND COALESCE(l.kind, '') = ''
            AND l.home IS NULL
        WINDOW same AS (
            PARTITION BY a.key COLLATE "C", a.kind COLLATE "C", l.id ORDER BY a.id
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), looked AS MATERIALIZED (
        -- As howdah_internal.add_keyed does it without a lock, for all jobs of a key together.
        -- holder is NULL: the key is new; 0: it is there, and the jobs may be.
        SELECT e.home, e.kind, e.key, e.version, e.id, e.first, e.policy, (
            SELECT CASE
                WHEN e.policy IS NOT NULL THEN CASE
                    WHEN e.policy ->> 'then' <> 'skip' THEN 0
                    WHEN e.policy ? 'within' AND k.until > now() THEN COALESCE(k.next, k.job)
                    WHEN e.policy ->> 'while' = 'waiting' OR k.ended IS NOT NULL THEN 0
                    WHEN EXISTS (SELECT FROM howdah_internal.key_late t WHERE t.job = k.job) THEN 0
                    ELSE COALESCE(k.next, k.job)
                END
                WHEN e.newest > k.version OR e.newest IS NOT NULL AND k.version IS NULL THEN 0
                WHEN e.plain AND k.ended IS NOT NULL THEN 0
                WHEN EXISTS (SELECT FROM howdah_internal.key_late t WHERE t.job = k.job) THEN 0
                ELSE COALESCE(k.next, k.job)
            END
            FROM howdah_internal.key k
            WHERE k.queue = e.home AND k.kind = e.kind AND k.key = e.key) AS holder
        FROM keyed e
    ), firsts AS (
        SELECT array_agg(o.home) AS homes, array_agg(o.kind) AS kinds, array_agg(o.key) AS keys,
            array_agg(o.version) AS versions, array_agg(o.id) AS ids,
            array_agg((o.policy ->> 'within')::interval) AS spans
        FROM (
            SELECT i.*
            FROM looked i
            WHERE i.key IS NOT NULL AND i.id = i.first AND COALESCE(i.holder, 0) = 0
            ORDER BY i.key COLLATE "C", i.kind COLLATE "C", i.home) o
    )
    SELECT f.homes, f.kinds, f.keys, f.versions, f.ids, f.spans, r.ids, r.added, r.there
    INTO new_homes, new_kinds, new_keys, new_versions, new_ids, new_spans, ids, added, there
    FROM firsts f
    CROSS JOIN (
        SELECT array_agg(COALESCE(NULLIF(o.holder, 0), o.id)) AS ids,
            array_agg(CASE WHEN o.key IS NULL THEN true WHEN o.holder <> 0 THEN false END) AS added,
            bool_or(o.holder = 0) AS there
        FROM (SELECT i.id, i.key, i.holder FROM looked i ORDER BY i.id) o) r;
    -- In an order that is the same in all sessions, and those that are there as well: so two
    -- sessions that add many never wait for each other. Where none is there a plain INSERT takes
    -- two thirds of the time; another session may have added one meanwhile.
    IF there IS NOT TRUE AND new_ids IS NOT NULL THEN
        BEGIN
            INSERT INTO howdah_internal.key (queue, kind, key, job, version, until)
            SELECT n.home, n.kind, n.key, n.id, n.version, now() + n.span
            FROM unnest(new_homes, new_kinds, new_keys, new_ids, new_versions, new_spans)
                AS n (home, kind, key, id, version, span);
            named := new_ids;
        EXCEPTION WHEN unique_violation THEN
            there := true;
        END;
    END IF;
    IF there THEN
        WITH named AS (
            INSERT INTO howdah_internal.key (queue, kind, key, job, version, until)
            SELECT n.home, n.kind, n.key, n.id, n.version, now() + n.span
            FROM unnest(new_homes, new_kinds, new_keys, new_ids, new_versions, new_spans)
                AS n (home, kind, key, id, version, span)
            -- Locks a row that is there, and leaves it as it is.
            ON CONFLICT ON CONSTRAINT key_pkey DO UPDATE SET job = key.job WHERE false
            RETURNING job
        )
        SELECT array_agg(n.job) INTO named FROM named n;
    END IF;
    IF cardinality(named) = cardinality(ids) THEN
        added := array_fill(true, ARRAY[cardinality(ids)]);
    ELSIF named IS NOT NULL THEN
        SELECT array_agg(CASE WHEN n.id IS NOT NULL THEN true ELSE a.added END ORDER BY a.n)
        INTO added
        FROM unnest(ids, added) WITH ORDINALITY AS a (id, added, n)
        LEFT JOIN unnest(named) AS n (id) ON n.id = a.id;
    END IF;
    INSERT INTO howdah_internal.body (job, payload)
    SELECT a.id, a.payload::json
    FROM unnest(ids, added, payloads) AS a (id, added, payload)
    WHERE a.added AND octet_length(a.payload) > 8192;
    INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
    SELECT a.id, a.lane, a.kind, a.priority, COALESCE(a.due, now()),
        CASE WHEN octet_length(a.payload) > 8192 THEN NULL
            ELSE COALESCE(a.payload, 'null')::json END,
        howdah_internal.keyed_more(a.more, COALESCE(a.due, now()), a.key, a.version)
    FROM unnest(ids, added, lanes, kinds, priorities, dues, payloads, mores, keys, versions)
        AS a (id, added, lane, kind, priority, due, payload, more, key, version)
    WHERE a.added;
END
$howdah$;

-- An array with one element as one of so many; others as they are.
CREATE FUNCTION howdah_internal.for_each(given anyarray, size integer)
RETURNS anyarray
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT CASE WHEN cardinality(given) = 1 THEN array_fill(given[1], ARRAY[size]) ELSE given END
$howdah$;

-- Jobs with and without keys: each array has an element for each job, or is NULL, as dues, where
-- all are due now; those of what mostly is the same for all jobs (lanes, kinds, priorities, mores,
-- queues, uniques) may have one for all. As if each were added by itself, in their order.
CREATE FUNCTION howdah_internal.add_each(
    lanes integer[], kinds text[], priorities integer[], dues timestamptz[], payloads text[],
    mores text[], queues text[], keys text[], versions timestamptz[], uniques text[],
    OUT ids bigint[], OUT added boolean[])
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    size CONSTANT integer := cardinality(payloads);
    policies jsonb[];
    all_keys text[] := keys;
    rest record;
    given record;
BEGIN
    IF array_to_string(mores, '') ~ '"(group|weight)"' THEN
        lanes := howdah_internal.lanes_for(
            CASE WHEN cardinality(mores) > 1 THEN howdah_internal.for_each(lanes, size)
                ELSE lanes END,
            CASE WHEN cardinality(lanes) > 1 THEN howdah_internal.for_each(mores, size) ELSE mores
                END::jsonb[]);
    END IF;
    IF cardinality(uniques) = 1 THEN
        policies := ARRAY[howdah_internal.check_unique(uniques[1]::jsonb)];
        all_keys := ARRAY(
            SELECT howdah_internal.unique_key(policies[1], u.key, COALESCE(u.payload, 'null')::json)
            FROM unnest(keys, payloads) WITH ORDINALITY AS u (key, payload, n)
            ORDER BY u.n);
    ELSIF uniques IS NOT NULL THEN
        -- Mostly all jobs have the same.
        SELECT array_agg(c.policy ORDER BY u.n),
            array_agg(howdah_internal.unique_key(
                c.policy, u.key, COALESCE(u.payload, 'null')::json) ORDER BY u.n)
        INTO policies, all_keys
        FROM unnest(uniques, keys, payloads) WITH ORDINALITY AS u (policy, key, payload, n)
        LEFT JOIN (
            SELECT d.policy AS text, howdah_internal.check_unique(d.policy::jsonb) AS policy
            FROM (SELECT DISTINCT a.policy FROM unnest(uniques) AS a (policy)) d
            WHERE d.policy IS NOT NULL) c ON c.text = u.policy;
    END IF;
    IF GREATEST(
        cardinality(lanes), cardinality(kinds), cardinality(priorities), cardinality(mores),
        cardinality(queues), cardinality(policies)) = 1 THEN
        ids := howdah_internal.put_new(
            queues[1], lanes[1], kinds[1], priorities[1], dues, payloads, mores[1], all_keys,
            versions, (policies[1] ->> 'within')::interval);
        IF ids IS NOT NULL THEN
            added := array_fill(true, ARRAY[size]);
            IF size > 0 THEN
                PERFORM howdah_internal.ring(lanes[1]);
            END IF;
            RETURN;
        END IF;
    END IF;
    lanes := howdah_internal.for_each(lanes, size);
    kinds := howdah_internal.for_each(kinds, size);
    priorities := howdah_internal.for_each(priorities, size);
    mores := howdah_internal.for_each(mores, size);
    queues := howdah_internal.for_each(queues, size);
    policies := howdah_internal.for_each(policies, size);
    SELECT p.ids, p.added INTO ids, added
    FROM howdah_internal.put_keyed(
        lanes, kinds, priorities, dues, payloads, mores, queues, all_keys, versions, policies) p;
    PERFORM howdah_internal.ring(r.lane)
    FROM (SELECT DISTINCT u.lane FROM unnest(lanes, added) AS u (lane, added) WHERE u.added) r;
    IF array_position(added, NULL) IS NULL THEN
        RETURN;
    END IF;
    FOR rest IN
        SELECT u.*
        FROM unnest(
            lanes, kinds, priorities, dues, payloads, mores, queues, all_keys, versions, policies,
            ids, added)
            WITH ORDINALITY AS u (
                lane, kind, priority, due, payload, more, queue, key, version, policy, id, added, n)
        WHERE u.added IS NULL
    LOOP
        IF rest.policy IS NULL THEN
            SELECT t.id, t.added INTO given
            FROM howdah_internal.add_keyed(
                rest.queue, rest.lane, rest.kind, rest.key, rest.version, rest.priority::smallint,
                COALESCE(rest.due, now()), COALESCE(rest.payload, 'null')::json,
                howdah_internal.keyed_more(
                    rest.more, COALESCE(rest.due, now()), rest.key, rest.version), rest.id) t;
        ELSE
            SELECT t.id, t.added INTO given
            FROM howdah_internal.add_unique(
                rest.queue, rest.lane, rest.kind, rest.key, rest.policy, rest.priority::smallint,
                COALESCE(rest.due, now()), COALESCE(rest.payload, 'null')::json,
                howdah_internal.keyed_more(
                    rest.more, COALESCE(rest.due, now()), rest.key, NULL), rest.id) t;
        END IF;
        ids[rest.n] := given.id;
        added[rest.n] := given.added;
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_each(
    integer[], text[], integer[], timestamptz[], text[], text[], text[], text[], timestamptz[],
    text[]) IS
    'For the library: adds jobs with keys; for each, in their order, its id or that of the job '
    'that has its key, and whether it was added.';

CREATE FUNCTION howdah_internal.add_keyed_many(
    queue text, kind text, payloads json[], keys text[], versions timestamptz[] DEFAULT NULL,
    priority integer DEFAULT 0, options jsonb DEFAULT NULL)
RETURNS TABLE (id bigint, added boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    level smallint := howdah_internal.check_priority(COALESCE(add_keyed_many.priority, 0));
    size integer := cardinality(payloads);
    mores jsonb[];
    others jsonb := add_keyed_many.options;
    uniques text[];
    home integer;
BEGIN
    PERFORM howdah_internal.check_name('queue', add_keyed_many.queue),
        howdah_internal.check_name('kind', add_keyed_many.kind);
    IF jsonb_typeof(others) = 'array' THEN
        SELECT array_agg(NULLIF(o.value -> 'unique', 'null')::text ORDER BY o.n),
            jsonb_agg(
                CASE WHEN jsonb_typeof(o.value) = 'object' THEN o.value - 'unique'
                    ELSE o.value END ORDER BY o.n)
        INTO uniques, others
        FROM jsonb_array_elements(others) WITH ORDINALITY AS o (value, n);
    ELSIF jsonb_typeof(others) = 'object' THEN
        IF NULLIF(others -> 'unique', 'null') IS NOT NULL THEN
            uniques := ARRAY[(others -> 'unique')::text];
        END IF;
        others := others - 'unique';
    END IF;
    IF array_length(array_remove(uniques, NULL), 1) IS NULL THEN
        uniques := NULL;
    ELSIF EXISTS (
        SELECT
        FROM unnest(uniques, keys, versions) AS u (policy, key, version)
        WHERE u.policy IS NOT NULL AND (
            u.version IS NOT NULL
            OR u.key IS NULL AND u.policy::jsonb ->> 'by' IS DISTINCT FROM 'payload')) THEN
        RAISE 'a job with the option unique has a version, or has no key: it needs a key or '
            '{"by": "payload"}, and no version'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF payloads IS NULL OR keys IS NULL THEN
        RAISE '% is NULL: it has to be an array, of one for each job',
            CASE WHEN payloads IS NULL THEN 'payloads' ELSE 'keys' END
            USING ERRCODE = 'null_value_not_allowed';
    ELSIF cardinality(keys) <> size OR cardinality(versions) <> size THEN
        RAISE '% payloads, % keys and % versions: there has to be one of each for each job', size,
            cardinality(keys), COALESCE(cardinality(versions)::text, 'no')
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'The versions can be left out.';
    END IF;
    mores := COALESCE(
        howdah_internal.unusual_each(size, now(), NULL, NULL, others),
        ARRAY[howdah_internal.unusual(now(), NULL, NULL, NULL, NULL, others)]);
    PERFORM howdah_internal.unusual(now(), NULL, NULL, u.key, u.version, NULL)
    FROM unnest(keys, versions) AS u (key, version)
    WHERE u.key ~ howdah_internal.refused_characters() OR u.key = '' OR length(u.key) > 400
        OR NOT isfinite(u.version)
        OR u.version IS NOT NULL AND u.key IS NULL;
    home := howdah_internal.lane_of(add_keyed_many.queue, add_keyed_many.kind, level);
    RETURN QUERY
    SELECT r.id, r.added
    FROM howdah_internal.add_each(
        ARRAY[home], ARRAY[add_keyed_many.kind], ARRAY[level::integer], NULL, payloads::text[],
        mores::text[], ARRAY[add_keyed_many.queue], keys, versions, uniques) a
    CROSS JOIN LATERAL unnest(a.ids, a.added) WITH ORDINALITY AS r (id, added, n)
    ORDER BY r.n;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_keyed_many(
    text, text, json[], text[], timestamptz[], integer, jsonb) IS
    'Adds many jobs with keys in this transaction, one for each payload: for each, in that order, '
    'its id, or that of the job that has its key, and whether it was added. A job whose key is '
    'NULL has none.';

-- With the privileges of the role that writes to the table: turning a row into JSON can call
-- functions of its types.
CREATE FUNCTION howdah.async_trigger()
RETURNS trigger
LANGUAGE plpgsql
-- The rows in the payload are the same in each session.
SET datestyle = 'ISO, MDY'
SET intervalstyle = postgres
SET extra_float_digits = 3
SET bytea_output = hex
SET lc_monetary = 'C'
SET quote_all_identifiers = off
AS $howdah$
BEGIN
    IF TG_NARGS OPERATOR(pg_catalog.<>) 2 THEN
        RAISE 'the trigger "%" gives howdah.async_trigger % arguments: it takes a queue and a kind',
            TG_NAME, TG_NARGS
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF TG_LEVEL OPERATOR(pg_catalog.<>) 'ROW' OR TG_WHEN OPERATOR(pg_catalog.<>) 'AFTER' THEN
        RAISE
            'the trigger "%" is % % EACH %: for howdah.async_trigger it has to be AFTER ... FOR '
            'EACH ROW',
            TG_NAME, TG_WHEN, TG_OP, TG_LEVEL
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM howdah_internal.add(TG_ARGV[0], TG_ARGV[1], pg_catalog.json_build_object(
        'table', pg_catalog.format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME), 'operation', TG_OP,
        'old',
        CASE WHEN TG_OP OPERATOR(pg_catalog.<>) 'INSERT' THEN pg_catalog.row_to_json(OLD) END,
        'new',
        CASE WHEN TG_OP OPERATOR(pg_catalog.<>) 'DELETE' THEN pg_catalog.row_to_json(NEW) END));
    RETURN NULL;
END
$howdah$;
COMMENT ON FUNCTION howdah.async_trigger() IS
    'AFTER ... FOR EACH ROW EXECUTE FUNCTION howdah.async_trigger(''queue'', ''kind''): adds a '
    'job with the old and the new row.';

-- Waiting for the end of jobs ---------------------------------------------------------------------
