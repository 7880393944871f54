-- How many jobs waited, and for how long, over time -----------------------------------------------

CREATE TABLE howdah_internal.stat_wait (
    lane integer NOT NULL,
    kind text NOT NULL,
    minute timestamptz NOT NULL,
    waits bigint[] NOT NULL,
    PRIMARY KEY (lane, kind, minute)
);
CREATE INDEX stat_wait_minute ON howdah_internal.stat_wait (minute);
COMMENT ON TABLE howdah_internal.stat_wait IS
    'How long jobs had been due when they began, by the minute in which they ended; by the hour '
    'when they are older than two days. Lane 0: of all; without a kind: of all kinds.';
COMMENT ON COLUMN howdah_internal.stat_wait.waits IS
    'how many waited for so long: of number n, from 1 on, 2 ^ ((n - 1) / 2) - 1 milliseconds at '
    'least, and less than of the next one';

CREATE TABLE howdah_internal.backlog (
    lane integer NOT NULL,
    kind text NOT NULL,
    at timestamptz NOT NULL,
    due bigint NOT NULL,
    later bigint NOT NULL,
    running bigint NOT NULL,
    oldest timestamptz,
    is_all boolean NOT NULL,
    is_hour boolean NOT NULL,
    rest timestamptz,
    PRIMARY KEY (lane, kind, at)
);
CREATE INDEX backlog_at ON howdah_internal.backlog (is_hour, at);
COMMENT ON TABLE howdah_internal.backlog IS
    'How many jobs there were at the beginning of each minute of the last two days, and of each '
    'hour of the last 35. Lane 0: of all; without a kind: of all kinds.';
COMMENT ON COLUMN howdah_internal.backlog.due IS 'that could begin';
COMMENT ON COLUMN howdah_internal.backlog.later IS 'whose time had not come';
COMMENT ON COLUMN howdah_internal.backlog.oldest IS 'since when the first of them was due';
COMMENT ON COLUMN howdah_internal.backlog.is_all IS 'false: more waited, and were not counted';
COMMENT ON COLUMN howdah_internal.backlog.rest IS
    'of all: no node counts again before that, so that counting takes one percent of the time';

-- The counts of stat_wait.waits from numbers and how many there are of each.
CREATE FUNCTION howdah_internal.wait_counts(numbers integer[], jobs bigint[])
RETURNS bigint[]
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT array_agg(COALESCE(c.n, 0) ORDER BY g.number)
    FROM generate_series(1, (SELECT max(m.number) FROM unnest($1) m (number))) AS g (number)
    LEFT JOIN unnest($1, $2) AS c (number, n) ON c.number = g.number
$howdah$;

-- The sums of two such counts.
CREATE FUNCTION howdah_internal.wait_sums(one bigint[], other bigint[])
RETURNS bigint[]
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT array_agg(COALESCE(u.one, 0) + COALESCE(u.other, 0) ORDER BY u.number)
    FROM unnest($1, $2) WITH ORDINALITY AS u (one, other, number)
$howdah$;

-- Adds up how long the jobs of ended batches had waited, in the transaction and under the lock in
-- which they are added up. Of a large batch every so many'th job stands for those behind it: jobs
-- that are worked by the hundred thousand a second are not read once more one by one.
CREATE FUNCTION howdah_internal.add_up_waits(batches bigint[])
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH each AS (
        SELECT date_trunc('minute', b.ended) AS minute, COALESCE(l.home, l.id) AS lane,
            COALESCE(b.kind, b.kinds[u.n]) AS kind,
            LEAST(b.step, b.jobs - u.n + 1) AS jobs,
            floor(
                2 * ln(1 + GREATEST(1000 * extract(epoch FROM b.taken - b.run_at)
                    - COALESCE(b.run_offsets[u.n], 0) + b.begins[u.n] / 1000.0, 0)::float8)
                / ln(2::float8))::integer + 1 AS number
        FROM unnest(batches) AS a (id)
        CROSS JOIN LATERAL (
            SELECT o.lane, o.kind, o.kinds, o.ended, o.taken, o.run_at, o.run_offsets, o.begins,
                o.outcomes, cardinality(o.ids) AS jobs, GREATEST(cardinality(o.ids) / 16, 1) AS step
            FROM howdah_internal.batch o
            WHERE o.id = a.id
            LIMIT 1) AS b
        JOIN howdah_internal.lane l ON l.id = b.lane
        CROSS JOIN LATERAL generate_series(1, b.jobs, b.step) AS u (n)
        WHERE b.begins[u.n] IS NOT NULL
            AND COALESCE(substr(b.outcomes, u.n, 1), 'd') IN ('d', 'n', 'r', 'f', 'c', 'x')
    ), counted AS (
        SELECT COALESCE(e.lane, 0) AS lane, COALESCE(e.kind, '') AS kind, e.minute, e.number,
            sum(e.jobs) AS jobs
        FROM each e
        GROUP BY GROUPING SETS (
            (e.minute, e.number, e.lane, e.kind), (e.minute, e.number, e.lane),
            (e.minute, e.number))
    )
    INSERT INTO howdah_internal.stat_wait AS s (lane, kind, minute, waits)
    SELECT c.lane, c.kind, c.minute,
        howdah_internal.wait_counts(array_agg(c.number), array_agg(c.jobs))
    FROM counted c
    GROUP BY c.lane, c.kind, c.minute
    ON CONFLICT (lane, kind, minute)
    DO UPDATE SET waits = howdah_internal.wait_sums(s.waits, EXCLUDED.waits)
$howdah$;

-- How many jobs wait in each lane, by kind: about so many are counted in all. Lanes with few jobs,
-- as far as that is known from the last time, come first, and those with many share what is left.
CREATE FUNCTION howdah_internal.backlog_now(most bigint)
RETURNS TABLE (
    lane integer, kind text, due bigint, later bigint, oldest timestamptz, is_all boolean)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    lanes integer[];
    each integer;
    part bigint;
    rest bigint := most;
    more bigint;
BEGIN
    -- From lane to lane along the index: of most there are no jobs.
    WITH RECURSIVE found AS (
        (SELECT j.lane FROM howdah_internal.job j ORDER BY j.lane LIMIT 1)
        UNION ALL
        SELECT (
            SELECT j.lane
            FROM howdah_internal.job j
            WHERE j.lane > f.lane
            ORDER BY j.lane
            LIMIT 1)
        FROM found f
        WHERE f.lane IS NOT NULL
    )
    SELECT array_agg(n.lane ORDER BY n.jobs NULLS FIRST, n.lane)
    INTO lanes
    FROM (
        SELECT f.lane, (
            SELECT b.due + b.later
            FROM howdah_internal.backlog b
            WHERE b.lane = f.lane AND b.kind = ''
            ORDER BY b.at DESC
            LIMIT 1) AS jobs
        FROM (SELECT o.lane FROM found o WHERE o.lane IS NOT NULL
            LIMIT LEAST(most, 10000)) f) n;
    FOR i IN 1..COALESCE(cardinality(lanes), 0) LOOP
        each := lanes[i];
        part := GREATEST(rest / (cardinality(lanes) - i + 1), 1);
        more := 0;
        FOR lane, kind, due, later, oldest, is_all IN
            SELECT each, w.kind, count(*) FILTER (WHERE w.run_at <= now()),
                count(*) FILTER (WHERE w.run_at > now()), min(w.run_at),
                sum(count(*)) OVER () < part
            FROM (
                SELECT j.kind, j.run_at
                FROM howdah_internal.job j
                WHERE j.lane = each
                ORDER BY j.priority, j.run_at
                LIMIT part) w
            GROUP BY w.kind
        LOOP
            more := more + due + later;
            IF oldest > now() THEN
                oldest := NULL;
            END IF;
            RETURN NEXT;
        END LOOP;
        rest := rest - more;
    END LOOP;
    IF cardinality(lanes) = LEAST(most, 10000) THEN
        SELECT each, NULL, 0, 0, NULL, false INTO lane, kind, due, later, oldest, is_all;
        RETURN NEXT;
    END IF;
END
$howdah$;

-- Writes down how many jobs there are, unless that was done in this minute, by this or by another
-- session. About :most jobs are counted, and :lines lanes and kinds written, those with the most
-- jobs. Removes what is old. In how many milliseconds to come again: at the beginning of the next
-- minute, or later, so that counting takes one percent of the time at most.
CREATE FUNCTION howdah_internal.sample_backlog(most bigint, lines integer)
RETURNS bigint
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    began timestamptz := clock_timestamp();
    this timestamptz := to_timestamp(floor(extract(epoch FROM now()) / 60) * 60);
BEGIN
    IF pg_try_advisory_xact_lock(1215264876, 6)
        AND NOT COALESCE((
            SELECT b.at = this OR b.rest > now() AND b.at < now()
            FROM howdah_internal.backlog b
            WHERE b.lane = 0 AND b.kind = ''
            ORDER BY b.at DESC
            LIMIT 1), false) THEN
        WITH counted AS (
            SELECT COALESCE(l.home, l.id) AS lane, c.kind, c.due, c.later, 0 AS running, c.oldest,
                c.is_all
            FROM howdah_internal.backlog_now(most) c
            JOIN howdah_internal.lane l ON l.id = c.lane
            UNION ALL
            SELECT r.lane, NULL, b.jobs, 0, 0, b.oldest, b.jobs < most
            FROM howdah_internal.log_reader r
            CROSS JOIN LATERAL howdah_internal.log_behind(
                r.lane,
                GREATEST(most / (SELECT count(*) FROM howdah_internal.log_reader), 1)::integer) AS b
            WHERE b.jobs > 0
            UNION ALL
            SELECT COALESCE(l.home, l.id), COALESCE(o.kind, k.kind), 0, 0, count(*), NULL, true
            FROM howdah_internal.batch o
            JOIN howdah_internal.lane l ON l.id = o.lane
            CROSS JOIN LATERAL unnest(o.ids, o.kinds) AS k (id, kind)
            WHERE o.ended IS NULL
            GROUP BY 1, 2
        ), summed AS (
            SELECT COALESCE(c.lane, 0) AS lane, COALESCE(c.kind, '') AS kind,
                COALESCE(sum(c.due), 0) AS due, COALESCE(sum(c.later), 0) AS later,
                COALESCE(sum(c.running), 0) AS running, min(c.oldest) AS oldest,
                COALESCE(bool_and(c.is_all), true) AS is_all
            FROM counted c
            GROUP BY GROUPING SETS ((c.lane, c.kind), (c.lane), ())
            HAVING grouping(c.kind) = 1 OR c.kind IS NOT NULL
        )
        INSERT INTO howdah_internal.backlog (
            lane, kind, at, due, later, running, oldest, is_all, is_hour)
        SELECT s.lane, s.kind, this, s.due, s.later, s.running, s.oldest,
            s.is_all AND (s.lane <> 0 OR (SELECT count(*) FROM summed) <= lines),
            -- The first of its hour, which is not always that of its first minute.
            NOT EXISTS (
                SELECT
                FROM howdah_internal.backlog h
                WHERE h.is_hour
                    AND h.at >= to_timestamp(floor(extract(epoch FROM this) / 3600) * 3600)
                    AND h.at <= this)
        FROM summed s
        ORDER BY s.lane = 0 DESC, s.kind = '' DESC, s.due + s.later + s.running DESC
        LIMIT lines;
        UPDATE howdah_internal.backlog b
        SET rest = clock_timestamp() + 100 * (clock_timestamp() - began)
        WHERE b.lane = 0 AND b.kind = '' AND b.at = this
            AND clock_timestamp() - began > interval '0.6 s';
        DELETE FROM howdah_internal.backlog b
        WHERE b.ctid = ANY (ARRAY(
            (
                SELECT m.ctid
                FROM howdah_internal.backlog m
                WHERE NOT m.is_hour AND m.at < this - interval '2 days'
                ORDER BY m.at
                LIMIT 3 * lines)
            UNION ALL
            (
                SELECT h.ctid
                FROM howdah_internal.backlog h
                WHERE h.is_hour AND h.at < this - interval '35 days'
                ORDER BY h.at
                LIMIT 3 * lines)));
    END IF;
    RETURN GREATEST(
        ceil(extract(epoch FROM this + interval '1 minute' - clock_timestamp()) * 1000),
        extract(epoch FROM clock_timestamp() - began) * 100000, 1)::bigint;
END
$howdah$;
