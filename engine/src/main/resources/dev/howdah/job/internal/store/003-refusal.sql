-- Refusals of log queues name the delay that was given, and not the time that it leads to.

CREATE OR REPLACE FUNCTION howdah.add(
    queue text, kind text, payload json, priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, key text DEFAULT NULL,
    version timestamptz DEFAULT NULL, attempts integer DEFAULT NULL, timeout interval DEFAULT NULL,
    options jsonb DEFAULT NULL, OUT id bigint, OUT added boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    due timestamptz := howdah.due(add.run_at, add.delay);
    level smallint := howdah.check_priority(add.priority);
    body json := COALESCE(add.payload, 'null');
    policy jsonb := howdah.unique_policy(add.options);
    with_key text := howdah.unique_key(policy, add.key, body);
    more jsonb := howdah.unusual(
        due, add.attempts, add.timeout, with_key, add.version, add.options);
    lane integer;
BEGIN
    PERFORM howdah.check_name('queue', add.queue), howdah.check_name('kind', add.kind);
    lane := howdah.log_lane(
        add.queue, add.priority, add.run_at, add.delay, COALESCE(with_key, add.key), add.options);
    IF lane IS NOT NULL THEN
        id := (howdah.log_put(lane, add.kind, ARRAY[body::text], more))[1];
        added := true;
        RETURN;
    END IF;
    lane := howdah.lane_for(howdah.lane_of(add.queue, add.kind, level), more);
    IF with_key IS NULL THEN
        id := howdah.put(nextval('howdah.job_id_seq'), lane, add.kind, level, due, body, more);
        added := true;
    ELSIF policy IS NOT NULL THEN
        SELECT a.id, a.added INTO add.id, add.added
        FROM howdah.add_unique(
            add.queue, lane, add.kind, with_key, policy, level, due, body, more) a;
    ELSE
        SELECT a.id, a.added INTO add.id, add.added
        FROM howdah.add_keyed(
            add.queue, lane, add.kind, add.key, add.version, level, due, body, more) a;
    END IF;
END
$howdah$;

CREATE OR REPLACE FUNCTION howdah.add_many(
    queue text, kind text, payloads json[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    due timestamptz := howdah.due(add_many.run_at, add_many.delay);
    level smallint := howdah.check_priority(add_many.priority);
    mores jsonb[] := howdah.unusual_each(
        cardinality(add_many.payloads), due, add_many.attempts, add_many.timeout, add_many.options);
    more_of_all jsonb := howdah.unusual(
        due, add_many.attempts, add_many.timeout, NULL, NULL,
        CASE WHEN mores IS NULL THEN add_many.options END);
    home integer;
    lanes integer[];
    texts text[];
BEGIN
    PERFORM howdah.check_name('queue', add_many.queue), howdah.check_name('kind', add_many.kind);
    IF payloads IS NULL THEN
        RAISE 'payloads is NULL: it has to be an array, of one for each job'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    home := howdah.log_lane(
        add_many.queue, add_many.priority, add_many.run_at, add_many.delay, NULL,
        add_many.options);
    IF home IS NOT NULL THEN
        texts := ARRAY(
            SELECT COALESCE(u.payload, 'null')::text
            FROM unnest(payloads) WITH ORDINALITY AS u (payload, n)
            ORDER BY u.n);
        RETURN QUERY
        SELECT unnest(CASE
            WHEN mores IS NULL THEN howdah.log_put(home, add_many.kind, texts, more_of_all)
            ELSE howdah.log_put_each(
                home, array_fill(add_many.kind, ARRAY[cardinality(texts)]), texts,
                ARRAY(
                    SELECT COALESCE(u.more, more_of_all)
                    FROM unnest(mores) WITH ORDINALITY AS u (more, n)
                    ORDER BY u.n))
            END);
        RETURN;
    END IF;
    home := howdah.lane_for(
        howdah.lane_of(add_many.queue, add_many.kind, level), more_of_all);
    IF add_many.options::text ~ '"(group|weight)"' AND mores IS NOT NULL THEN
        lanes := howdah.lanes_for(array_fill(home, ARRAY[cardinality(payloads)]), mores);
    END IF;
    RETURN QUERY WITH asked AS (
        SELECT nextval('howdah.job_id_seq') AS id, COALESCE(u.payload, 'null') AS payload,
            COALESCE(u.more, more_of_all) AS more, COALESCE(u.lane, home) AS lane, u.n
        FROM unnest(payloads, mores, lanes) WITH ORDINALITY AS u (payload, more, lane, n)
    ), bodies AS (
        INSERT INTO howdah.body (job, payload)
        SELECT a.id, a.payload
        FROM asked a
        WHERE howdah.is_large(a.payload)
    ), jobs AS (
        INSERT INTO howdah.job (id, lane, kind, priority, run_at, payload, more)
        SELECT a.id, a.lane, add_many.kind, level, due,
            CASE WHEN NOT howdah.is_large(a.payload) THEN a.payload END, a.more
        FROM asked a
    )
    SELECT a.id FROM asked a ORDER BY a.n;
    PERFORM howdah.ring(r.lane)
    FROM (SELECT DISTINCT u.lane FROM unnest(home || lanes) AS u (lane)) r;
END
$howdah$;

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 3, '003-refusal.sql');
