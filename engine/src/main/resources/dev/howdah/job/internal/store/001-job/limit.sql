-- Sees whether what a limit is of is one thing: the queue, a kind, a group or each group.
CREATE FUNCTION howdah_internal.check_limit_of(
    queue text, kind text, group_name text, each_group boolean, what text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    PERFORM howdah_internal.check_known('queue', queue);
    IF kind IS NOT NULL THEN
        PERFORM howdah_internal.check_known('kind', kind);
    END IF;
    IF group_name IS NOT NULL THEN
        PERFORM howdah_internal.check_known('group', group_name);
    END IF;
    IF num_nonnulls(kind, group_name) + COALESCE(each_group, false)::integer > 1 THEN
        RAISE '% for %: it is for one of these, or for the queue alone', what,
            concat_ws(' and ', 'the kind "' || kind || '"', 'the group "' || group_name || '"',
                CASE WHEN each_group THEN 'each group' END)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;

CREATE FUNCTION howdah_internal.limit(
    queue text, most integer, kind text DEFAULT NULL, each_node boolean DEFAULT false,
    group_name text DEFAULT NULL, each_group boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
BEGIN
    PERFORM howdah_internal.check_limit_of($1, $3, $5, $6, 'a limit');
    IF $2 < 1 THEN
        RAISE 'a limit of % for queue %: it has to be 1 or more, NULL takes the limit away', $2, $1
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $4 AND ($5 IS NOT NULL OR $6) THEN
        RAISE 'a limit of a group for each node: it is for all nodes together'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $2 IS NULL THEN
        DELETE FROM howdah_internal.queue_limit q
        WHERE q.queue = $1
            AND q.kind IS NOT DISTINCT FROM $3
            AND q.each_node = COALESCE($4, false)
            AND q.group_name IS NOT DISTINCT FROM $5
            AND q.each_group = COALESCE($6, false);
    ELSE
        INSERT INTO howdah_internal.queue_limit (queue, kind, most, each_node, group_name,
            each_group)
        VALUES ($1, $3, $2, COALESCE($4, false), $5, COALESCE($6, false))
        ON CONFLICT (
            queue, COALESCE(kind, ''), COALESCE(group_name, ''), each_group, each_node)
        DO UPDATE SET most = EXCLUDED.most;
        IF $3 IS NOT NULL THEN
            PERFORM howdah_internal.kind_lane($1, $3);
        END IF;
    END IF;
    PERFORM howdah_internal.limit_changed($1);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.limit(text, integer, text, boolean, text, boolean) IS
    'How many jobs of a queue, of a kind in it, of a group in it, or of each group that has no '
    'limit of its own, run at the same time at most, on all nodes together; of a queue or kind '
    'also on each of them. NULL: as many as the nodes can.';

CREATE FUNCTION howdah_internal.age(queue text, every interval, most integer DEFAULT 10)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
BEGIN
    PERFORM howdah_internal.check_known('queue', $1);
    IF $2 < interval '1 s' OR $2 > interval '366 days' THEN
        RAISE 'a time of % for the ageing of queue %: it has to be from 1 s to 366 days', $2, $1
            USING ERRCODE = 'invalid_parameter_value', HINT = 'NULL takes the ageing away.';
    ELSIF $2 IS NOT NULL AND ($3 IS NULL OR $3 NOT BETWEEN 1 AND 200) THEN
        RAISE 'an ageing by % for queue %: it has to be from 1 to 200', COALESCE($3::text, 'NULL'),
            $1
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $2 IS NULL THEN
        DELETE FROM howdah_internal.queue_ageing a WHERE a.queue = $1;
    ELSE
        INSERT INTO howdah_internal.queue_ageing (queue, every, most)
        VALUES ($1, $2, $3)
        ON CONFLICT ON CONSTRAINT queue_ageing_pkey DO UPDATE
        SET every = EXCLUDED.every, most = EXCLUDED.most;
    END IF;
    PERFORM howdah_internal.limit_changed($1);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.age(text, interval, integer) IS
    'A job of the queue that has waited for so long is taken as if its priority was higher by '
    'one, after twice as long by two, and so on up to most; NULL: no longer.';

CREATE FUNCTION howdah_internal.rate_limit(
    queue text, most integer, period interval, burst integer DEFAULT NULL, kind text DEFAULT NULL,
    group_name text DEFAULT NULL, each_group boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
BEGIN
    PERFORM howdah_internal.check_limit_of($1, $5, $6, $7, 'a rate');
    IF $2 NOT BETWEEN 1 AND 1000000 THEN
        RAISE 'a rate of % for queue %: it has to be from 1 to 1000000, NULL takes the rate away',
            $2, $1
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $3 IS NULL AND $2 IS NOT NULL OR $3 < interval '10 ms' OR $3 > interval '366 days' THEN
        RAISE 'a period of % for the rate of queue %: it has to be from 10 ms to 366 days',
            COALESCE($3::text, 'NULL'), $1
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF $4 NOT BETWEEN 1 AND $2 THEN
        RAISE 'a burst of % for queue %: it has to be from 1 to the rate, which is %', $4, $1, $2
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF $2 IS NULL THEN
        WITH gone AS (
            DELETE FROM howdah_internal.rate_limit r
            WHERE r.queue = $1
                AND r.kind IS NOT DISTINCT FROM $5
                AND r.group_name IS NOT DISTINCT FROM $6
                AND r.each_group = COALESCE($7, false)
                AND ($3 IS NULL OR r.period = $3)
            RETURNING r.id
        )
        DELETE FROM howdah_internal.rate_use u WHERE u.rate IN (SELECT g.id FROM gone g);
    ELSE
        INSERT INTO howdah_internal.rate_limit (queue, kind, group_name, each_group, most, period,
            burst)
        VALUES ($1, $5, $6, COALESCE($7, false), $2, $3, $4)
        ON CONFLICT (
            queue, COALESCE(kind, ''), COALESCE(group_name, ''), each_group, period)
        DO UPDATE SET most = EXCLUDED.most, burst = EXCLUDED.burst;
        IF $5 IS NOT NULL THEN
            PERFORM howdah_internal.kind_lane($1, $5);
        END IF;
    END IF;
    UPDATE howdah_internal.group_state g
    SET due = true, next_at = NULL
    FROM howdah_internal.lane l
    WHERE l.queue = $1 AND l.home IS NOT NULL AND g.lane = l.id AND g.next_at IS NOT NULL;
    PERFORM howdah_internal.limit_changed($1);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.rate_limit(
    text, integer, interval, integer, text, text, boolean) IS
    'How many jobs of a queue, of a kind in it, of a group in it, or of each group that has no '
    'rate of its own, begin within a period at most, on all nodes together, and how many of them '
    'at once. A queue can have rates with several periods. NULL: the rate with that period, or '
    'with any, is taken away.';

-- Nodes that wait for room under a limit look again.
CREATE FUNCTION howdah_internal.limit_changed(of_queue text)
RETURNS void
LANGUAGE sql
AS $howdah$
    -- All nodes read the limits.
    SELECT howdah_internal.tell('howdah_node', '');
    SELECT howdah_internal.tell('howdah_job', l.id::text)
    FROM howdah_internal.lane l
    WHERE l.queue = of_queue AND l.home IS NULL
$howdah$;

CREATE FUNCTION howdah.share(queue text, group_name text, share double precision)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
BEGIN
    PERFORM howdah_internal.check_known('queue', $1), howdah_internal.check_known('group', $2);
    IF $3 IS NULL OR $3 = 1 THEN
        DELETE FROM howdah_internal.group_share s WHERE s.queue = $1 AND s.group_name = $2;
    ELSIF NOT ($3 >= 0.001 AND $3 <= 1000) THEN
        RAISE 'a share of % for the group "%": it has to be from 0.001 to 1000', $3, $2
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'A group without a share of its own has 1; NULL takes the share away.';
    ELSE
        INSERT INTO howdah_internal.group_share (queue, group_name, share)
        VALUES ($1, $2, $3)
        ON CONFLICT ON CONSTRAINT group_share_pkey DO UPDATE SET share = EXCLUDED.share;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.share(text, text, double precision) IS
    'While several groups of a queue have jobs that are due, how many a group gets in proportion '
    'to the others: 1, if it was never said. From the next claim on.';

CREATE VIEW howdah.limits AS
SELECT q.queue, q.kind, q.group_name, q.each_group, q.each_node, 'concurrency' AS setting,
    q.most::text AS value
FROM howdah_internal.queue_limit q
UNION ALL
SELECT r.queue, r.kind, r.group_name, r.each_group, false, 'rate',
    r.most || ' in ' || r.period || COALESCE(', ' || r.burst || ' at once', '')
FROM howdah_internal.rate_limit r
UNION ALL
SELECT s.queue, NULL, s.group_name, false, false, 'share', s.share::text
FROM howdah_internal.group_share s
UNION ALL
SELECT g.queue, NULL, NULL, false, false, 'ageing',
    'by 1 every ' || g.every || ', by ' || g.most || ' at most'
FROM howdah_internal.queue_ageing g;
COMMENT ON VIEW howdah.limits IS 'All limits, rates, shares and ageings of jobs that were set.';

-- What nodes have to know of limits. paced: the claims from its lanes go by
-- howdah_internal.claim_within.
CREATE FUNCTION howdah_internal.limits_known()
RETURNS text
LANGUAGE sql STABLE
AS $howdah$
    SELECT json_agg(a)::text
    FROM (
        SELECT q.queue, q.kind, q.each_node, q.most, false AS paced
        FROM howdah_internal.queue_limit q
        WHERE q.group_name IS NULL AND NOT q.each_group
        UNION ALL
        -- A number that changes with the rate.
        SELECT r.queue, r.kind, false, hashtext(r::text), true FROM howdah_internal.rate_limit r
        UNION ALL
        SELECT g.queue, NULL, false, 0, true FROM howdah_internal.queue_ageing g) a
$howdah$;
