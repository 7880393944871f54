-- The jobs of a claim have as long to begin as claims take, also under a rate whose period is
-- short: on a slow server a fortieth of a short period was over before the claim was answered, so
-- that no job began, and the places under the rates of longer periods were used up.

DROP FUNCTION howdah.group_book(
    howdah.lane, integer, bigint, integer[], integer[], double precision[], boolean,
    double precision);
DROP FUNCTION howdah.rate_book(howdah.rate_limit, text, double precision, integer);

-- What is left of a rate: how many may begin now, and when, in seconds since 1970, so many as are
-- needed may. A claim counts for a period after the last moment at which its jobs could begin.
-- Moments that no clock can have come to yet are of a clock that went back.
CREATE OR REPLACE FUNCTION howdah.rate_left(
    rule howdah.rate_limit, used howdah.rate_use, at double precision, need integer,
    OUT room bigint, OUT next_at double precision)
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    period double precision := extract(epoch FROM rule.period);
    apart double precision := period / rule.most;
    wanted integer := LEAST(need, COALESCE(rule.burst, rule.most));
    left_then bigint;
BEGIN
    room := rule.most - COALESCE((
        SELECT sum(u.taken)
        FROM unnest(used.moments, used.taken) AS u (moment, taken)
        WHERE u.moment > at - period AND u.moment <= at + period + 10), 0);
    next_at := at;
    left_then := room;
    IF left_then < wanted THEN
        SELECT min(f.moment) + period INTO next_at
        FROM (
            SELECT u.moment, sum(u.taken) OVER (ORDER BY u.moment) AS freed
            FROM unnest(used.moments, used.taken) AS u (moment, taken)
            WHERE u.moment > at - period AND u.moment <= at + period + 10) f
        WHERE left_then + f.freed >= wanted;
    END IF;
    IF rule.burst IS NOT NULL THEN
        room := LEAST(
            room,
            floor(rule.burst - GREATEST(COALESCE(used.spread, 0) - at, 0) / apart + 1e-6)::bigint);
        next_at := GREATEST(
            next_at, COALESCE(used.spread, 0) - (rule.burst - wanted) * apart + apart * 1e-6);
    END IF;
END
$howdah$;

-- Notes that so much of a rate was used by a claim of that moment, whose jobs begin within so many
-- seconds or not at all.
CREATE FUNCTION howdah.rate_book(
    rule howdah.rate_limit, of_group text, at double precision,
    lasts double precision, weight integer)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    used howdah.rate_use;
    period double precision := extract(epoch FROM rule.period);
    moment double precision := at + lasts;
    slot double precision := period / 100;
    last integer;
BEGIN
    SELECT * INTO used
    FROM howdah.rate_use u
    WHERE u.rate = rule.id AND u.group_name = of_group;
    SELECT COALESCE(array_agg(u.moment ORDER BY u.moment), '{}'),
        COALESCE(array_agg(u.taken ORDER BY u.moment), '{}')
    INTO used.moments, used.taken
    FROM unnest(used.moments, used.taken) AS u (moment, taken)
    WHERE u.moment > at - period AND u.moment <= at + period + 10;
    last := cardinality(used.moments);
    -- The clock may have gone back, or jobs of the claim before have longer to begin.
    moment := GREATEST(moment, used.moments[last]);
    IF floor(used.moments[last] / slot) = floor(moment / slot) THEN
        used.moments[last] := moment;
        used.taken[last] := used.taken[last] + weight;
    ELSE
        used.moments := used.moments || moment;
        used.taken := used.taken || weight;
    END IF;
    used.spread := GREATEST(COALESCE(used.spread, 0), at) + weight * period / rule.most;
    INSERT INTO howdah.rate_use AS u (rate, group_name, moments, taken, spread, until)
    VALUES (
        rule.id, of_group, used.moments, used.taken, used.spread,
        to_timestamp(GREATEST(moment + period, used.spread)))
    ON CONFLICT ON CONSTRAINT rate_use_pkey DO UPDATE
    SET moments = excluded.moments, taken = excluded.taken, spread = excluded.spread,
        until = excluded.until;
END
$howdah$;

-- After a claim: the groups that had jobs move on, and those that had fewer than they were to have
-- are looked at again when one is due. What was taken counts for the rates.
CREATE FUNCTION howdah.group_book(
    home howdah.lane, of_node integer, with_token bigint, lanes integer[], counts integer[],
    passes double precision[], with_rates boolean, at double precision, lasts double precision)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    had_lanes integer[];
    had_jobs integer[];
    had_weights integer[];
BEGIN
    SELECT array_agg(h.lane), array_agg(h.jobs), array_agg(h.weight)
    INTO had_lanes, had_jobs, had_weights
    FROM (
        SELECT b.lane, sum(b.jobs)::integer AS jobs, sum(b.jobs + COALESCE((
            SELECT sum((r.value #>> '{m,weight}')::integer - 1)
            FROM jsonb_each(b.rest) r), 0))::integer AS weight
        FROM howdah.batch b
        WHERE b.node = of_node AND b.ended IS NULL AND b.token = with_token
        GROUP BY b.lane) h;
    WITH had AS MATERIALIZED (
        SELECT h.* FROM unnest(had_lanes, had_jobs, had_weights) AS h (lane, jobs, weight)
    ), moved AS MATERIALIZED (
        SELECT a.lane, a.pass + COALESCE(h.weight, 0) / COALESCE(s.share, 1) AS pass,
            COALESCE(h.jobs, 0) >= a.asked AS due,
            CASE WHEN COALESCE(h.jobs, 0) < a.asked AND a.lane < 0
                THEN howdah.group_next(a.lane, group_book.home.id) END AS next_at
        FROM unnest(lanes, counts, passes) AS a (lane, asked, pass)
        JOIN howdah.lane l ON l.id = a.lane
        LEFT JOIN had h ON h.lane = a.lane
        LEFT JOIN howdah.group_share s ON s.queue = l.queue AND s.group_name = l.group_name
    ), plain AS (
        INSERT INTO howdah.group_state AS g (lane, home, pass, due)
        SELECT m.lane, m.lane, m.pass, false
        FROM moved m
        WHERE m.lane > 0
        ON CONFLICT (lane) DO UPDATE SET pass = excluded.pass
    )
    UPDATE howdah.group_state g
    SET pass = m.pass, due = m.due, next_at = m.next_at,
        idle = CASE WHEN NOT m.due AND m.next_at IS NULL THEN now() END
    FROM moved m
    WHERE g.lane = m.lane AND m.lane < 0;
    UPDATE howdah.group_clock c
    SET pass = GREATEST(c.pass, (SELECT max(p.pass) FROM unnest(passes) AS p (pass))),
        lowest = COALESCE((
            SELECT g.pass
            FROM howdah.group_state g
            WHERE g.home = group_book.home.id AND g.due AND g.pass >= c.lowest
            ORDER BY g.pass
            LIMIT 1), c.pass - 10)
    WHERE c.home = group_book.home.id;
    IF with_rates AND had_lanes IS NOT NULL THEN
        PERFORM howdah.rate_book(r, u.group_name, at, lasts, u.weight)
        FROM howdah.rate_limit r
        CROSS JOIN LATERAL (
            SELECT CASE WHEN r.each_group OR r.group_name IS NOT NULL THEN l.group_name ELSE '' END
                AS group_name, sum(h.weight)::integer AS weight
            FROM unnest(had_lanes, had_weights) AS h (lane, weight)
            JOIN howdah.lane l ON l.id = h.lane
            WHERE (r.kind IS NULL OR r.kind = home.kind)
                AND (r.group_name IS NULL OR r.group_name = l.group_name)
                AND (NOT r.each_group OR l.group_name IS NOT NULL AND NOT EXISTS (
                    SELECT
                    FROM howdah.rate_limit o
                    WHERE o.queue = r.queue AND o.group_name = l.group_name))
            GROUP BY 1) u
        WHERE r.queue = home.queue;
    END IF;
END
$howdah$;

-- Takes jobs of a lane and of its groups, so that no limit is exceeded, and answers as job_claim
-- does. Rows of another type, in which only the last column is set, tell how the lane is:
-- contended, if another node claims from the queue; full, if limits leave no room; paced, and in
-- how many milliseconds a rate of the queue or kind leaves room; next, and in how many milliseconds
-- to look again; begin, and within how many microseconds the jobs have to begin. since: all earlier
-- rows of group_wake were folded. Statements in a function see what was committed before they
-- begin, so also the claims of the session that had the lock before. soon: how many of the jobs
-- begin at once. slow: the jobs of the claim are given so many microseconds to begin, 10 seconds at
-- most, where a fortieth of the shortest period is less.
CREATE FUNCTION howdah.claim_within(
    of_node integer, with_token bigint, of_home integer, most integer, alone_kinds text[],
    since timestamptz, soon integer, slow bigint)
RETURNS TABLE (batch bigint, job bigint, payload text, kind text, unusual text)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    home howdah.lane;
    front howdah.lane;
    ageing howdah.queue_ageing;
    shortest interval;
    lasts double precision;
    at double precision;
    room integer;
    left_of_rate record;
    chosen record;
    picked tid[];
    look_at timestamptz;
BEGIN
    SELECT * INTO home FROM howdah.lane l WHERE l.id = of_home;
    SELECT * INTO front
    FROM howdah.lane l
    WHERE l.queue = home.queue AND COALESCE(l.kind, '') = '' AND l.home IS NULL;
    IF NOT pg_try_advisory_xact_lock(1215264884, front.id) THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'contended';
        RETURN;
    END IF;
    IF front.paused IS NOT NULL OR home.paused IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT min(r.period) INTO shortest FROM howdah.rate_limit r WHERE r.queue = home.queue;
    lasts := GREATEST(
        LEAST(extract(epoch FROM shortest) / 40, 1), LEAST(slow / 1000000.0, 10));
    SELECT * INTO ageing FROM howdah.queue_ageing a WHERE a.queue = home.queue;
    at := extract(epoch FROM clock_timestamp());
    room := LEAST(most, howdah.limit_room(home.queue, home.kind));
    IF room <= 0 THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'full';
        RETURN;
    END IF;
    IF shortest IS NULL THEN
        -- A claim that a crash of the server undoes has begun nothing that lasts; but a rate would
        -- not know of it.
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    SELECT * INTO left_of_rate FROM howdah.rate_of_lane(home, at, 1);
    IF left_of_rate.room < 1 THEN
        RETURN QUERY
        SELECT NULL::bigint, NULL::bigint, NULL, NULL,
            'paced ' || GREATEST(ceil((left_of_rate.next_at - at) * 1000), 1)::bigint;
        RETURN;
    END IF;
    room := LEAST(room, left_of_rate.room);
    PERFORM howdah.group_fold(of_home, since);
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'since ' || (now() - interval '200 ms')::text;
    FOR try IN 1..10 LOOP
        SELECT * INTO chosen FROM howdah.group_choose(
            home, room, soon, shortest IS NOT NULL, at);
        EXIT WHEN chosen.lanes IS NOT NULL OR NOT chosen.some_paced;
    END LOOP;
    IF chosen.is_full THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'full';
    END IF;
    IF chosen.lanes IS NOT NULL THEN
        picked := howdah.group_pick(
            of_home, chosen.lanes, chosen.counts, chosen.names, chosen.budgets,
            left_of_rate.room, ageing);
        IF picked IS NOT NULL THEN
            RETURN QUERY
            SELECT * FROM howdah.group_take(of_node, with_token, picked, alone_kinds);
        END IF;
        PERFORM howdah.group_book(
            home, of_node, with_token, chosen.lanes, chosen.counts, chosen.passes,
            shortest IS NOT NULL, at, lasts);
        IF picked IS NULL AND shortest IS NOT NULL THEN
            RETURN QUERY
            SELECT NULL::bigint, NULL::bigint, NULL, NULL,
                howdah.rate_need(home, chosen.lanes[1], chosen.names[1], at);
        END IF;
        IF shortest IS NOT NULL THEN
            RETURN QUERY
            SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'begin ' || (lasts * 1000000)::bigint;
        END IF;
    END IF;
    SELECT g.next_at INTO look_at
    FROM howdah.group_state g
    WHERE g.home = of_home AND g.next_at IS NOT NULL
    ORDER BY g.next_at
    LIMIT 1;
    IF FOUND THEN
        RETURN QUERY
        SELECT NULL::bigint, NULL::bigint, NULL, NULL,
            'next ' || GREATEST(
                ceil(extract(epoch FROM look_at - clock_timestamp()) * 1000), 0)::bigint;
    END IF;
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL, p.kind, NULL
    FROM unnest(home.kinds_paused) AS p (kind);
END
$howdah$;

-- What nodes of earlier versions call.
CREATE OR REPLACE FUNCTION howdah.claim_within(
    of_node integer, with_token bigint, of_home integer, most integer, alone_kinds text[],
    since timestamptz, soon integer)
RETURNS TABLE (batch bigint, job bigint, payload text, kind text, unusual text)
LANGUAGE sql
AS $howdah$
    SELECT c.batch, c.job, c.payload, c.kind, c.unusual
    FROM howdah.claim_within(of_node, with_token, of_home, most, alone_kinds, since, soon, 0) c
$howdah$;

-- Claims counted for a fortieth longer than a period: that is in their moments now.
UPDATE howdah.rate_use u
SET moments = ARRAY(
        SELECT m.moment + LEAST(extract(epoch FROM r.period) / 40, 1)
        FROM unnest(u.moments) WITH ORDINALITY AS m (moment, n)
        ORDER BY m.n)
FROM howdah.rate_limit r
WHERE r.id = u.rate;
COMMENT ON COLUMN howdah.rate_use.moments IS
    'seconds since 1970 at which jobs could begin for the last time, the earliest first';

-- The statistics of jobs without a look at the history -------------------------------------------

-- Of a batch that stands in howdah.stat_open one row is looked up: a join would read the history,
-- since the table has no statistics.
CREATE OR REPLACE VIEW howdah.stat_parts AS
WITH recent AS (
    SELECT b.*
    FROM howdah.batch b
    -- That an id is larger than one of another table looks to the planner like a third of all rows,
    -- for which it would read the whole history; between two ids it looks like one in 200.
    WHERE b.id > (SELECT m.upto FROM howdah.stat_mark m)
        AND b.id < 9223372036854775807
        AND b.ended IS NOT NULL
    UNION ALL
    SELECT b.*
    FROM howdah.stat_open o
    CROSS JOIN LATERAL (SELECT n.* FROM howdah.batch n WHERE n.id = o.batch LIMIT 1) b
    WHERE b.ended IS NOT NULL
), each AS (
    SELECT date_trunc('minute', r.ended) AS minute, r.lane, COALESCE(r.kind, u.kind) AS kind,
        COALESCE(substr(r.outcomes, u.n::integer, 1), 'd') AS letter, u.run
    FROM recent r
    CROSS JOIN LATERAL unnest(r.ids, r.kinds, r.runs) WITH ORDINALITY AS u (id, kind, run, n)
)
SELECT date_trunc('minute', d.at) AS minute, d.lane, d.kind, sum(d.done)::bigint AS done,
    0::bigint AS retried, 0::bigint AS failed, 0::bigint AS cancelled, 0::bigint AS died,
    sum(d.run_micros)::bigint AS run_micros, max(d.run_max_micros) AS run_max_micros
FROM howdah.log_done d
GROUP BY date_trunc('minute', d.at), d.lane, d.kind
UNION ALL
SELECT s.minute, s.lane, s.kind, s.done, s.retried, s.failed, s.cancelled, s.died, s.run_micros,
    s.run_max_micros
FROM howdah.stat s
UNION ALL
SELECT e.minute, e.lane, e.kind, count(*) FILTER (WHERE e.letter IN ('d', 'n')),
    count(*) FILTER (WHERE e.letter = 'r'), count(*) FILTER (WHERE e.letter = 'f'),
    count(*) FILTER (WHERE e.letter = 'c'), count(*) FILTER (WHERE e.letter = 'x'),
    COALESCE(sum(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0),
    COALESCE(max(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0)
FROM each e
WHERE e.letter IN ('d', 'n', 'r', 'f', 'c', 'x')
GROUP BY e.minute, e.lane, e.kind;

-- Privileges --------------------------------------------------------------------------------------

REVOKE EXECUTE ON FUNCTION
    howdah.rate_book(
        howdah.rate_limit, text, double precision, double precision, integer),
    howdah.group_book(
        howdah.lane, integer, bigint, integer[], integer[], double precision[], boolean,
        double precision, double precision),
    howdah.claim_within(
        integer, bigint, integer, integer, text[], timestamptz, integer, bigint)
FROM PUBLIC;

-- A role that could claim before can do so without a further call of howdah.allow.
DO $howdah$
DECLARE
    worker regrole;
BEGIN
    FOR worker IN
        SELECT a.grantee
        FROM pg_proc p
        CROSS JOIN LATERAL aclexplode(p.proacl) a
        WHERE p.oid = 'howdah.claim_within(
                integer, bigint, integer, integer, text[], timestamptz, integer)'::regprocedure
            AND a.grantee NOT IN (0, p.proowner)
    LOOP
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION'
            ' howdah.rate_book(howdah.rate_limit, text, double precision, double precision,'
            ' integer),'
            ' howdah.group_book(howdah.lane, integer, bigint, integer[], integer[],'
            ' double precision[], boolean, double precision, double precision),'
            ' howdah.claim_within(integer, bigint, integer, integer, text[], timestamptz, integer,'
            ' bigint) TO %s', worker);
    END LOOP;
END
$howdah$;

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 5, '005-rate.sql');
