-- Claims of lanes with groups ---------------------------------------------------------------------

-- When to look again at the lane of a group in which fewer jobs were due than there was room for;
-- NULL: nothing waits in it. Jobs that another session has locked are looked at a second later.
CREATE FUNCTION howdah_internal.group_next(of_lane integer, of_home integer)
RETURNS timestamptz
LANGUAGE sql
AS $howdah$
    SELECT min(CASE WHEN n.run_at <= now() THEN now() + interval '1 s' ELSE n.run_at END)
    FROM (SELECT DISTINCT p.priority FROM howdah_internal.lane_priority p
        WHERE p.lane = of_home) AS p
    CROSS JOIN LATERAL (
        SELECT j.run_at
        FROM howdah_internal.job j
        WHERE j.lane = of_lane AND j.priority = p.priority
        ORDER BY j.run_at
        LIMIT 1) AS n
$howdah$;

CREATE FUNCTION howdah_internal.has_due(in_lane integer)
RETURNS boolean
LANGUAGE sql
AS $howdah$
    SELECT EXISTS (
        SELECT
        FROM (SELECT DISTINCT p.priority FROM howdah_internal.lane_priority p
            WHERE p.lane = in_lane) AS p
        CROSS JOIN LATERAL (
            SELECT
            FROM howdah_internal.job j
            WHERE j.lane = in_lane AND j.priority = p.priority AND j.run_at <= now()
            LIMIT 1) AS d)
$howdah$;

-- Of the groups of a lane, those become due to which a job came or whose time has come. A group
-- that had nothing due goes on behind the others by up to 10 jobs.
CREATE FUNCTION howdah_internal.group_fold(of_home integer, since timestamptz)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    start double precision;
    front double precision;
BEGIN
    SELECT c.pass - 10 INTO start FROM howdah_internal.group_clock c WHERE c.home = of_home;
    IF NOT FOUND THEN
        INSERT INTO howdah_internal.group_clock (home, pass, lowest) VALUES (of_home, 0, -10);
        start := -10;
    END IF;
    WITH heard AS (
        DELETE FROM howdah_internal.group_wake w
        WHERE w.home = of_home AND w.at >= COALESCE(since, '-infinity')
        RETURNING w.lane
    ), come AS (
        SELECT g.lane
        FROM howdah_internal.group_state g
        WHERE g.home = of_home AND g.next_at <= now()
        ORDER BY g.next_at
        LIMIT 500
    ), folded AS (
        INSERT INTO howdah_internal.group_state AS g (lane, home, pass, due)
        SELECT h.lane, of_home, start, true FROM heard h
        UNION
        SELECT c.lane, of_home, start, true FROM come c
        ON CONFLICT (lane) DO UPDATE
        SET due = true, next_at = NULL, idle = NULL, pass = GREATEST(g.pass, excluded.pass)
        WHERE NOT g.due
        RETURNING g.pass
    )
    SELECT min(f.pass) INTO front FROM folded f;
    UPDATE howdah_internal.group_clock c
    SET lowest = front
    WHERE c.home = of_home AND c.lowest > front;
END
$howdah$;

-- How many jobs of each group of a queue run, or were claimed to run, as limit_room counts them.
CREATE FUNCTION howdah_internal.group_running(of_queue text)
RETURNS TABLE (group_name text, running bigint)
LANGUAGE sql STABLE
AS $howdah$
    SELECT c.group_name, sum(c.running)::bigint
    FROM (
        SELECT l.group_name, LEAST(min(b.width), sum(b.jobs)) AS running
        FROM howdah_internal.batch b
        JOIN howdah_internal.lane l ON l.id = b.lane
        WHERE b.node > 0
            AND b.ended IS NULL
            AND b.lane < 0
            AND l.queue = of_queue
        GROUP BY l.group_name, b.lane, b.token) c
    GROUP BY c.group_name
$howdah$;

-- How many more jobs may run in a lane that is of no group; NULL: as many as one likes. Of the jobs
-- of one claim no more run than its width.
CREATE FUNCTION howdah_internal.limit_room(of_queue text, of_kind text)
RETURNS bigint
LANGUAGE sql STABLE
AS $howdah$
    SELECT min(q.most - COALESCE((
        SELECT sum(c.running)
        FROM (
            SELECT LEAST(min(b.width), sum(
                CASE WHEN q.kind IS NULL OR q.kind = b.kind THEN b.jobs
                     ELSE (
                         SELECT count(*)
                         FROM unnest(b.kinds) AS k (kind)
                         WHERE k.kind = q.kind) END)) AS running
            FROM howdah_internal.batch b
            JOIN howdah_internal.lane l ON l.id = b.lane
            WHERE b.node > 0
                AND b.ended IS NULL
                AND l.queue = of_queue
            GROUP BY b.lane, b.token) c), 0))::bigint
    FROM howdah_internal.queue_limit q
    WHERE q.queue = of_queue
        AND (q.kind IS NULL OR q.kind = of_kind)
        AND q.group_name IS NULL
        AND NOT q.each_group
        AND NOT q.each_node
$howdah$;

-- The next jobs of a lane and of its groups: from which lanes, and how many of each. A group is
-- taken into account as often as it has room; of these turns those with the lowest pass come first.
-- Groups whose rate is used up are looked at again when it is not. soon: so many of the jobs begin
-- at once; more are taken only as one for each group, since they wait in no order of turns.
CREATE FUNCTION howdah_internal.group_choose(
    home howdah_internal.lane, slots integer, soon integer, with_rates boolean, at double precision,
    OUT lanes integer[], OUT counts integer[], OUT passes double precision[], OUT names text[],
    OUT budgets bigint[], OUT is_full boolean, OUT some_paced boolean)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    clock howdah_internal.group_clock;
    busy text[];
    running bigint[];
    each_most integer;
BEGIN
    SELECT * INTO clock FROM howdah_internal.group_clock c WHERE c.home = group_choose.home.id;
    SELECT array_agg(r.group_name), array_agg(r.running) INTO busy, running
    FROM howdah_internal.group_running(home.queue) r;
    SELECT q.most INTO each_most
    FROM howdah_internal.queue_limit q
    WHERE q.queue = home.queue AND q.each_group;
    WITH due AS MATERIALIZED (
        SELECT g.lane, g.pass
        FROM howdah_internal.group_state g
        WHERE g.home = group_choose.home.id AND g.due AND g.pass >= clock.lowest
        ORDER BY g.pass
        LIMIT slots + COALESCE(cardinality(busy), 0)
    ), known AS MATERIALIZED (
        SELECT d.lane, d.pass, l.group_name, COALESCE(s.share, 1) AS share, p.room AS budget,
            p.next_at,
            LEAST(slots, COALESCE(q.most, each_most) - COALESCE(
                running[array_position(busy, l.group_name)], 0), p.room)::integer AS room
        FROM due d
        JOIN howdah_internal.lane l ON l.id = d.lane
        LEFT JOIN howdah_internal.group_share s
            ON s.queue = l.queue AND s.group_name = l.group_name
        LEFT JOIN howdah_internal.queue_limit q
            ON q.queue = l.queue AND q.group_name = l.group_name
        LEFT JOIN LATERAL howdah_internal.rate_of_group(l.queue, l.group_name, at, 1) p
            ON with_rates
        UNION ALL
        SELECT group_choose.home.id, GREATEST(g.pass, clock.pass - 10), NULL, 1, NULL, NULL, slots
        FROM (
            SELECT max(o.pass) AS pass
            FROM howdah_internal.group_state o
            WHERE o.lane = group_choose.home.id) g
        WHERE howdah_internal.has_due(group_choose.home.id)
    ), paced AS (
        UPDATE howdah_internal.group_state g
        SET due = false, next_at = to_timestamp(k.next_at)
        FROM known k
        WHERE g.lane = k.lane AND k.budget < 1
        RETURNING 1
    ), ready AS (
        -- No group has more turns in one claim than twice its share of them: to work out as many
        -- for each as there are slots would cost the square of that.
        SELECT k.lane, k.pass, k.group_name, k.share, k.budget, k.room,
            LEAST(k.room, ceil(2.0 * slots * k.share / sum(k.share) OVER ()) + 1)::integer AS most
        FROM known k
        WHERE k.room > 0
    ), turns AS (
        SELECT k.lane, k.room, k.group_name, k.budget, k.pass + (i.n - 1) / k.share AS pass,
            -- A group may have more than one lane.
            row_number() OVER (
                PARTITION BY COALESCE(k.group_name, '') ORDER BY k.pass + (i.n - 1) / k.share
            ) AS place
        FROM ready k
        CROSS JOIN LATERAL generate_series(1, k.most) AS i (n)
    ), chosen AS (
        SELECT t.lane, t.pass, t.group_name, t.budget
        FROM turns t
        WHERE t.place <= t.room
        ORDER BY t.pass, t.lane
        LIMIT LEAST(slots, GREATEST(soon, (SELECT count(*) FROM ready)))
    )
    SELECT array_agg(c.lane ORDER BY c.pass), array_agg(c.jobs ORDER BY c.pass),
        array_agg(c.pass ORDER BY c.pass), array_agg(c.group_name ORDER BY c.pass),
        array_agg(c.budget ORDER BY c.pass),
        array_agg(c.lane) IS NULL AND EXISTS (SELECT FROM known k WHERE k.budget < 1 IS NOT TRUE),
        EXISTS (SELECT FROM paced)
    INTO lanes, counts, passes, names, budgets, is_full, some_paced
    FROM (
        SELECT h.lane, count(*)::integer AS jobs, min(h.pass) AS pass, h.group_name, h.budget
        FROM chosen h
        GROUP BY h.lane, h.group_name, h.budget) c;
END
$howdah$;

-- Locks the next jobs of those lanes: no more than so many of each, nor heavier ones than is left
-- of the rates. budget: of the queue and the kind; NULL: there is no rate. A job that has waited
-- for some time is picked as if its priority was by one higher for each such time, up to so much.
CREATE FUNCTION howdah_internal.group_pick(
    of_home integer, lanes integer[], counts integer[], names text[], budgets bigint[],
    budget bigint, ageing howdah_internal.queue_ageing)
RETURNS tid[]
LANGUAGE plpgsql
AS $howdah$
DECLARE
    step double precision := extract(epoch FROM ageing.every);
    picked tid[];
BEGIN
    WITH found AS (
        SELECT e.ctid, COALESCE((e.more ->> 'weight')::integer, 1) AS weight, a.n, a.name,
            a.budget, e.priority, e.run_at, e.id
        FROM unnest(lanes, counts, names, budgets) WITH ORDINALITY
            AS a (lane, most, name, budget, n)
        CROSS JOIN LATERAL (
            SELECT w.*
            FROM (
                SELECT DISTINCT p.priority
                FROM howdah_internal.lane_priority p
                WHERE p.lane = of_home
                ORDER BY p.priority) AS p
            CROSS JOIN LATERAL (
                SELECT j.ctid, j.more, j.priority, j.run_at, j.id
                FROM howdah_internal.job j
                WHERE j.lane = a.lane AND j.priority = p.priority AND j.run_at <= now()
                ORDER BY j.run_at, j.id
                LIMIT a.most
                FOR UPDATE SKIP LOCKED) AS w
            LIMIT a.most) AS e
        WHERE step IS NULL
        UNION ALL
        SELECT e.ctid, COALESCE((e.more ->> 'weight')::integer, 1), a.n, a.name, a.budget,
            e.priority, e.run_at, e.id
        FROM unnest(lanes, counts, names, budgets) WITH ORDINALITY
            AS a (lane, most, name, budget, n)
        CROSS JOIN LATERAL (
            SELECT w.ctid, w.more, w.effective AS priority, w.run_at, w.id
            FROM (SELECT DISTINCT p.priority FROM howdah_internal.lane_priority p
                WHERE p.lane = of_home)
                AS p
            CROSS JOIN LATERAL (
                SELECT j.ctid, j.more, j.run_at, j.id, p.priority - LEAST(
                    floor(extract(epoch FROM now() - j.run_at) / step), ageing.most) AS effective
                FROM howdah_internal.job j
                WHERE j.lane = a.lane AND j.priority = p.priority AND j.run_at <= now()
                ORDER BY j.run_at, j.id
                LIMIT a.most
                FOR UPDATE SKIP LOCKED) AS w
            ORDER BY w.effective, w.run_at, w.id
            LIMIT a.most) AS e
        WHERE step IS NOT NULL
    )
    SELECT array_agg(s.ctid) INTO picked
    FROM (
        SELECT f.ctid, f.budget,
            sum(f.weight) OVER (ORDER BY f.n, f.priority, f.run_at, f.id) AS all_weights,
            sum(f.weight) OVER (
                PARTITION BY f.name ORDER BY f.n, f.priority, f.run_at, f.id) AS own_weights
        FROM found f) s
    WHERE (group_pick.budget IS NULL OR s.all_weights <= group_pick.budget)
        AND (s.budget IS NULL OR s.own_weights <= s.budget);
    RETURN picked;
END
$howdah$;

-- Takes those jobs, which the transaction has locked, as job_claim takes those of a lane.
CREATE FUNCTION howdah_internal.group_take(
    of_node integer, with_token bigint, picked tid[], alone_kinds text[])
RETURNS TABLE (batch bigint, job bigint, payload text, kind text, unusual text)
LANGUAGE sql
AS $howdah$
    WITH taken AS (
        DELETE FROM howdah_internal.job j
        WHERE j.ctid = ANY (picked)
        RETURNING j.id, j.lane, j.run_at, j.priority, j.attempt, j.deaths, j.kind, j.payload,
            j.more,
            j.deaths > 1 OR j.kind = ANY (alone_kinds)
                OR COALESCE(j.more ? 'ordered', false) AS alone
    ), leased AS (
        INSERT INTO howdah_internal.batch AS b (
            id, token, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at,
            run_offsets, kinds, kind, payloads, rest, width)
        SELECT howdah_internal.batch_number(), with_token, of_node, t.lane, max(t.deaths) < 2,
            t.alone,
            count(*), min(t.id), max(t.id), array_agg(t.id),
            CASE WHEN t.alone THEN min(t.run_at) ELSE min(t.first) END,
            array_agg(
                LEAST(date_part('epoch', t.run_at - t.first) * 1000, 2000000000)::integer
            ) FILTER (WHERE t.first <> t.last AND NOT t.alone),
            CASE WHEN min(t.kind COLLATE "C") <> max(t.kind COLLATE "C")
                THEN array_agg(t.kind) END,
            CASE WHEN min(t.kind COLLATE "C") = max(t.kind COLLATE "C")
                THEN min(t.kind COLLATE "C") END,
            array_agg(t.payload),
            jsonb_object_agg(
                t.id,
                jsonb_build_object('p', t.priority, 'a', t.attempt, 'd', t.deaths, 'm', t.more))
                FILTER (
                    WHERE t.priority <> 0 OR t.attempt <> 0 OR t.deaths <> 0
                        OR t.more IS NOT NULL),
            max(t.width)
        FROM (
            SELECT k.*, min(k.run_at) FILTER (WHERE NOT k.alone) OVER same AS first,
                max(k.run_at) FILTER (WHERE NOT k.alone) OVER same AS last,
                count(*) OVER same AS width
            FROM taken k
            WINDOW same AS (PARTITION BY k.lane)) t
        GROUP BY t.lane, t.alone, CASE WHEN t.alone THEN t.id END
        RETURNING b.id, b.kind, b.lane, b.alone, b.jobs, b.ids, b.first_id
    )
    SELECT l.id, t.id, t.payload::text, CASE WHEN l.kind IS NULL THEN t.kind END,
        CASE WHEN t.priority <> 0 OR t.attempt <> 0 OR t.deaths <> 0 OR t.more IS NOT NULL
            THEN jsonb_build_object(
                'p', t.priority, 'a', t.attempt, 'd', t.deaths, 'm', t.more)::text END
    FROM leased l
    JOIN taken t ON t.lane = l.lane AND t.alone = l.alone AND (NOT l.alone OR t.id = l.first_id)
    UNION ALL
    SELECT l.id, NULL, NULL, l.kind, CASE WHEN l.jobs > 1 THEN l.ids::text END FROM leased l
$howdah$;

-- After a claim: the groups that had jobs move on, and those that had fewer than they were to have
-- are looked at again when one is due. What was taken counts for the rates.
CREATE FUNCTION howdah_internal.group_book(
    home howdah_internal.lane, of_node integer, with_token bigint, lanes integer[],
        counts integer[],
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
        FROM howdah_internal.batch b
        WHERE b.node = of_node AND b.ended IS NULL AND b.token = with_token
        GROUP BY b.lane) h;
    WITH had AS MATERIALIZED (
        SELECT h.* FROM unnest(had_lanes, had_jobs, had_weights) AS h (lane, jobs, weight)
    ), moved AS MATERIALIZED (
        SELECT a.lane, a.pass + COALESCE(h.weight, 0) / COALESCE(s.share, 1) AS pass,
            COALESCE(h.jobs, 0) >= a.asked AS due,
            CASE WHEN COALESCE(h.jobs, 0) < a.asked AND a.lane < 0
                THEN howdah_internal.group_next(a.lane, group_book.home.id) END AS next_at
        FROM unnest(lanes, counts, passes) AS a (lane, asked, pass)
        JOIN howdah_internal.lane l ON l.id = a.lane
        LEFT JOIN had h ON h.lane = a.lane
        LEFT JOIN howdah_internal.group_share s ON s.queue = l.queue AND s.group_name = l.group_name
    ), plain AS (
        INSERT INTO howdah_internal.group_state AS g (lane, home, pass, due)
        SELECT m.lane, m.lane, m.pass, false
        FROM moved m
        WHERE m.lane > 0
        ON CONFLICT (lane) DO UPDATE SET pass = excluded.pass
    )
    UPDATE howdah_internal.group_state g
    SET pass = m.pass, due = m.due, next_at = m.next_at,
        idle = CASE WHEN NOT m.due AND m.next_at IS NULL THEN now() END
    FROM moved m
    WHERE g.lane = m.lane AND m.lane < 0;
    UPDATE howdah_internal.group_clock c
    SET pass = GREATEST(c.pass, (SELECT max(p.pass) FROM unnest(passes) AS p (pass))),
        lowest = COALESCE((
            SELECT g.pass
            FROM howdah_internal.group_state g
            WHERE g.home = group_book.home.id AND g.due AND g.pass >= c.lowest
            ORDER BY g.pass
            LIMIT 1), c.pass - 10)
    WHERE c.home = group_book.home.id;
    IF with_rates AND had_lanes IS NOT NULL THEN
        PERFORM howdah_internal.rate_book(r, u.group_name, at, lasts, u.weight)
        FROM howdah_internal.rate_limit r
        CROSS JOIN LATERAL (
            SELECT CASE WHEN r.each_group OR r.group_name IS NOT NULL THEN l.group_name ELSE '' END
                AS group_name, sum(h.weight)::integer AS weight
            FROM unnest(had_lanes, had_weights) AS h (lane, weight)
            JOIN howdah_internal.lane l ON l.id = h.lane
            WHERE (r.kind IS NULL OR r.kind = home.kind)
                AND (r.group_name IS NULL OR r.group_name = l.group_name)
                AND (NOT r.each_group OR l.group_name IS NOT NULL AND NOT EXISTS (
                    SELECT
                    FROM howdah_internal.rate_limit o
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
CREATE FUNCTION howdah_internal.claim_within(
    of_node integer, with_token bigint, of_home integer, most integer, alone_kinds text[],
    since timestamptz, soon integer, slow bigint)
RETURNS TABLE (batch bigint, job bigint, payload text, kind text, unusual text)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    home howdah_internal.lane;
    front howdah_internal.lane;
    ageing howdah_internal.queue_ageing;
    shortest interval;
    lasts double precision;
    at double precision;
    room integer;
    left_of_rate record;
    chosen record;
    picked tid[];
    look_at timestamptz;
BEGIN
    SELECT * INTO home FROM howdah_internal.lane l WHERE l.id = of_home;
    SELECT * INTO front
    FROM howdah_internal.lane l
    WHERE l.queue = home.queue AND COALESCE(l.kind, '') = '' AND l.home IS NULL;
    IF NOT pg_try_advisory_xact_lock(1215264884, front.id) THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'contended';
        RETURN;
    END IF;
    IF front.paused IS NOT NULL OR home.paused IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT min(r.period) INTO shortest FROM howdah_internal.rate_limit r WHERE r.queue = home.queue;
    lasts := GREATEST(
        LEAST(extract(epoch FROM shortest) / 40, 1), LEAST(slow / 1000000.0, 10));
    SELECT * INTO ageing FROM howdah_internal.queue_ageing a WHERE a.queue = home.queue;
    at := extract(epoch FROM clock_timestamp());
    room := LEAST(most, howdah_internal.limit_room(home.queue, home.kind));
    IF room <= 0 THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'full';
        RETURN;
    END IF;
    IF shortest IS NULL THEN
        -- A claim that a crash of the server undoes has begun nothing that lasts; but a rate would
        -- not know of it.
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    SELECT * INTO left_of_rate FROM howdah_internal.rate_of_lane(home, at, 1);
    IF left_of_rate.room < 1 THEN
        RETURN QUERY
        SELECT NULL::bigint, NULL::bigint, NULL, NULL,
            'paced ' || GREATEST(ceil((left_of_rate.next_at - at) * 1000), 1)::bigint;
        RETURN;
    END IF;
    room := LEAST(room, left_of_rate.room);
    PERFORM howdah_internal.group_fold(of_home, since);
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'since ' || (now() - interval '200 ms')::text;
    FOR try IN 1..10 LOOP
        SELECT * INTO chosen FROM howdah_internal.group_choose(
            home, room, soon, shortest IS NOT NULL, at);
        EXIT WHEN chosen.lanes IS NOT NULL OR NOT chosen.some_paced;
    END LOOP;
    IF chosen.is_full THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'full';
    END IF;
    IF chosen.lanes IS NOT NULL THEN
        picked := howdah_internal.group_pick(
            of_home, chosen.lanes, chosen.counts, chosen.names, chosen.budgets,
            left_of_rate.room, ageing);
        IF picked IS NOT NULL THEN
            RETURN QUERY
            SELECT * FROM howdah_internal.group_take(of_node, with_token, picked, alone_kinds);
        END IF;
        PERFORM howdah_internal.group_book(
            home, of_node, with_token, chosen.lanes, chosen.counts, chosen.passes,
            shortest IS NOT NULL, at, lasts);
        IF picked IS NULL AND shortest IS NOT NULL THEN
            RETURN QUERY
            SELECT NULL::bigint, NULL::bigint, NULL, NULL,
                howdah_internal.rate_need(home, chosen.lanes[1], chosen.names[1], at);
        END IF;
        IF shortest IS NOT NULL THEN
            RETURN QUERY
            SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'begin ' || (lasts * 1000000)::bigint;
        END IF;
    END IF;
    SELECT g.next_at INTO look_at
    FROM howdah_internal.group_state g
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
