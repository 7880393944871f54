-- The functions that add jobs, for each form in which drivers send JSON: json, jsonb, and values
-- without a type, for which the server takes the variant with a text, so that no call is ambiguous.
-- The variants have no privileges of their own, beside those of the functions that they call.

CREATE FUNCTION howdah_internal.add(
    queue text, kind text, payload json DEFAULT 'null', priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, key text DEFAULT NULL,
    version timestamptz DEFAULT NULL, attempts integer DEFAULT NULL, timeout interval DEFAULT NULL,
    options jsonb DEFAULT NULL, OUT id bigint, OUT added boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    due timestamptz := howdah_internal.due(add.run_at, add.delay);
    level smallint := howdah_internal.check_priority(COALESCE(add.priority, 0));
    body json := COALESCE(add.payload, 'null');
    policy jsonb := howdah_internal.unique_policy(add.options);
    with_key text := howdah_internal.unique_key(policy, add.key, body);
    more jsonb := howdah_internal.unusual(
        due, add.attempts, add.timeout, with_key, add.version, add.options);
    lane integer;
BEGIN
    PERFORM howdah_internal.check_name('queue', add.queue),
        howdah_internal.check_name('kind', add.kind);
    lane := howdah_internal.log_lane(
        add.queue, add.priority, add.run_at, add.delay, COALESCE(with_key, add.key), add.options);
    IF lane IS NOT NULL THEN
        id := (howdah_internal.log_put(lane, add.kind, ARRAY[body::text], more))[1];
        added := true;
        RETURN;
    END IF;
    lane := howdah_internal.lane_for(howdah_internal.lane_of(add.queue, add.kind, level), more);
    IF with_key IS NULL THEN
        id := howdah_internal.put(nextval('howdah_internal.job_id_seq'), lane, add.kind, level, due,
            body, more);
        added := true;
    ELSIF policy IS NOT NULL THEN
        SELECT a.id, a.added INTO add.id, add.added
        FROM howdah_internal.add_unique(
            add.queue, lane, add.kind, with_key, policy, level, due, body, more) a;
    ELSE
        SELECT a.id, a.added INTO add.id, add.added
        FROM howdah_internal.add_keyed(
            add.queue, lane, add.kind, add.key, add.version, level, due, body, more) a;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add(
    text, text, json, integer, timestamptz, interval, text, timestamptz, integer, interval,
    jsonb) IS
    'Adds a job in this transaction: its id, and whether it was added (not, if one with its '
    'key is there already).';

-- A literal in quotes is a text: with this variant it needs no cast to json.
CREATE FUNCTION howdah_internal.add_many(
    queue text, kind text, payloads json[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    due timestamptz := howdah_internal.due(add_many.run_at, add_many.delay);
    level smallint := howdah_internal.check_priority(COALESCE(add_many.priority, 0));
    mores jsonb[] := howdah_internal.unusual_each(
        cardinality(add_many.payloads), due, add_many.attempts, add_many.timeout, add_many.options);
    more_of_all jsonb := howdah_internal.unusual(
        due, add_many.attempts, add_many.timeout, NULL, NULL,
        CASE WHEN mores IS NULL THEN add_many.options END);
    home integer;
    lanes integer[];
    texts text[];
BEGIN
    PERFORM howdah_internal.check_name('queue', add_many.queue),
        howdah_internal.check_name('kind', add_many.kind);
    IF payloads IS NULL THEN
        RAISE 'payloads is NULL: it has to be an array, of one for each job'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    home := howdah_internal.log_lane(
        add_many.queue, add_many.priority, add_many.run_at, add_many.delay, NULL,
        add_many.options);
    IF home IS NOT NULL THEN
        texts := ARRAY(
            SELECT COALESCE(u.payload, 'null')::text
            FROM unnest(payloads) WITH ORDINALITY AS u (payload, n)
            ORDER BY u.n);
        RETURN QUERY
        SELECT unnest(CASE
            WHEN mores IS NULL THEN howdah_internal.log_put(home, add_many.kind, texts, more_of_all)
            ELSE howdah_internal.log_put_each(
                home, array_fill(add_many.kind, ARRAY[cardinality(texts)]), texts,
                ARRAY(
                    SELECT COALESCE(u.more, more_of_all)
                    FROM unnest(mores) WITH ORDINALITY AS u (more, n)
                    ORDER BY u.n))
            END);
        RETURN;
    END IF;
    home := howdah_internal.lane_for(
        howdah_internal.lane_of(add_many.queue, add_many.kind, level), more_of_all);
    IF add_many.options::text ~ '"(group|weight)"' AND mores IS NOT NULL THEN
        lanes := howdah_internal.lanes_for(array_fill(home, ARRAY[cardinality(payloads)]), mores);
    END IF;
    RETURN QUERY WITH asked AS (
        SELECT nextval('howdah_internal.job_id_seq') AS id, COALESCE(u.payload, 'null') AS payload,
            COALESCE(u.more, more_of_all) AS more, COALESCE(u.lane, home) AS lane, u.n
        FROM unnest(payloads, mores, lanes) WITH ORDINALITY AS u (payload, more, lane, n)
    ), bodies AS (
        INSERT INTO howdah_internal.body (job, payload)
        SELECT a.id, a.payload
        FROM asked a
        WHERE howdah_internal.is_large(a.payload)
    ), jobs AS (
        INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
        SELECT a.id, a.lane, add_many.kind, level, due,
            CASE WHEN NOT howdah_internal.is_large(a.payload) THEN a.payload END, a.more
        FROM asked a
    )
    SELECT a.id FROM asked a ORDER BY a.n;
    PERFORM howdah_internal.ring(r.lane)
    FROM (SELECT DISTINCT u.lane FROM unnest(home || lanes) AS u (lane)) r;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_many(
    text, text, json[], integer, timestamptz, interval, integer, interval, jsonb) IS
    'Adds many jobs in this transaction, one for each payload: their ids, in that order.';

CREATE FUNCTION howdah_internal.add_ordered(
    queue text, kind text, payload json, key text, priority integer DEFAULT 0,
    options jsonb DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    level smallint := howdah_internal.check_priority(COALESCE(add_ordered.priority, 0));
    unusual jsonb := howdah_internal.unusual(now(), NULL, NULL, NULL, NULL, add_ordered.options);
    log integer;
    named bigint;
BEGIN
    PERFORM howdah_internal.check_name('queue', add_ordered.queue),
        howdah_internal.check_name('kind', add_ordered.kind);
    PERFORM howdah_internal.check_characters('an order key', add_ordered.key);
    IF COALESCE(add_ordered.key, '') = '' OR length(add_ordered.key) > 200 THEN
        RAISE 'an order key has 1 to 200 characters, not %: %',
            COALESCE(length(add_ordered.key), 0),
            COALESCE('"' || left(add_ordered.key, 40) || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    log := howdah_internal.log_lane(
        add_ordered.queue, add_ordered.priority, NULL, NULL, NULL, add_ordered.options);
    IF log IS NOT NULL THEN
        RETURN (howdah_internal.log_put(
            log, add_ordered.kind, ARRAY[COALESCE(add_ordered.payload, 'null')::text],
            COALESCE(unusual, '{}') || jsonb_build_object('ordered', add_ordered.key)))[1];
    END IF;
    named := nextval('howdah_internal.job_id_seq');
    INSERT INTO howdah_internal.ordered (id, queue, key, run_at, lane, priority, kind, payload,
        more)
    VALUES (
        named, add_ordered.queue, add_ordered.key, now(),
        howdah_internal.lane_for(
            howdah_internal.lane_of(add_ordered.queue, add_ordered.kind, level), unusual),
        level, add_ordered.kind, howdah_internal.put_body(named,
            COALESCE(add_ordered.payload, 'null')),
        COALESCE(unusual, '{}') || jsonb_build_object('ordered', add_ordered.key));
    PERFORM howdah_internal.tell('howdah_job_order', '');
    RETURN named;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_ordered(text, text, json, text, integer, jsonb) IS
    'Adds a job that runs when all jobs of that key in that queue that were added before it have '
    'ended; returns its id.';
