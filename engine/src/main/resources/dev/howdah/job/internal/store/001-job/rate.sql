-- Rates -------------------------------------------------------------------------------------------

-- What is left of a rate: how many may begin now, and when, in seconds since 1970, so many as are
-- needed may. A claim counts for a period after the last moment at which its jobs could begin.
-- Moments that no clock can have come to yet are of a clock that went back, and so is such a time
-- until which a burst is spread.
CREATE FUNCTION howdah_internal.rate_left(
    rule howdah_internal.rate_limit, used howdah_internal.rate_use, at double precision,
        need integer,
    OUT room bigint, OUT next_at double precision)
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    period double precision := extract(epoch FROM rule.period);
    apart double precision := period / rule.most;
    wanted integer := LEAST(need, COALESCE(rule.burst, rule.most));
    spread double precision :=
        COALESCE(CASE WHEN used.spread <= at + period + 10 THEN used.spread END, 0);
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
            floor(rule.burst - GREATEST(spread - at, 0) / apart + 1e-6)::bigint);
        next_at := GREATEST(next_at, spread - (rule.burst - wanted) * apart + apart * 1e-6);
    END IF;
END
$howdah$;

-- What is left of the rates of a group, as rate_left has it; NULL: it has none.
CREATE FUNCTION howdah_internal.rate_of_group(
    of_queue text, of_group text, at double precision, need integer, OUT room bigint,
    OUT next_at double precision, OUT heaviest integer)
LANGUAGE sql STABLE
AS $howdah$
    SELECT min(l.room), max(l.next_at), min(COALESCE(r.burst, r.most))
    FROM howdah_internal.rate_limit r
    LEFT JOIN howdah_internal.rate_use u ON u.rate = r.id AND u.group_name = of_group
    CROSS JOIN LATERAL howdah_internal.rate_left(r, u, at, need) l
    WHERE r.queue = of_queue
        AND of_group IS NOT NULL
        AND (r.group_name = of_group OR r.each_group AND NOT EXISTS (
            SELECT
            FROM howdah_internal.rate_limit o
            WHERE o.queue = of_queue AND o.group_name = of_group))
$howdah$;

-- The same of the rates of a queue and of a kind that has a lane.
CREATE FUNCTION howdah_internal.rate_of_lane(
    home howdah_internal.lane, at double precision, need integer, OUT room bigint,
    OUT next_at double precision, OUT heaviest integer)
LANGUAGE sql STABLE
AS $howdah$
    SELECT min(l.room), max(l.next_at), min(COALESCE(r.burst, r.most))
    FROM howdah_internal.rate_limit r
    LEFT JOIN howdah_internal.rate_use u ON u.rate = r.id AND u.group_name = ''
    CROSS JOIN LATERAL howdah_internal.rate_left(r, u, at, need) l
    WHERE r.queue = home.queue
        AND (r.kind IS NULL OR r.kind = home.kind)
        AND r.group_name IS NULL
        AND NOT r.each_group
$howdah$;

-- Notes that so much of a rate was used by a claim of that moment, whose jobs begin within so many
-- seconds or not at all.
CREATE FUNCTION howdah_internal.rate_book(
    rule howdah_internal.rate_limit, of_group text, at double precision,
    lasts double precision, weight integer)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    used howdah_internal.rate_use;
    period double precision := extract(epoch FROM rule.period);
    moment double precision := at + lasts;
    slot double precision := period / 100;
    last integer;
BEGIN
    SELECT * INTO used
    FROM howdah_internal.rate_use u
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
    IF used.spread > at + period + 10 THEN
        used.spread := NULL;
    END IF;
    used.spread := GREATEST(COALESCE(used.spread, 0), at) + weight * period / rule.most;
    INSERT INTO howdah_internal.rate_use AS u (rate, group_name, moments, taken, spread, until)
    VALUES (
        rule.id, of_group, used.moments, used.taken, used.spread,
        to_timestamp(GREATEST(moment + period, used.spread)))
    ON CONFLICT ON CONSTRAINT rate_use_pkey DO UPDATE
    SET moments = excluded.moments, taken = excluded.taken, spread = excluded.spread,
        until = excluded.until;
END
$howdah$;

-- Where nothing could be picked from lanes in which jobs are due, although some places of the rates
-- are left: the first job is too heavy for now, and it is said when it can begin; or it is heavier
-- than a rate allows since that was lowered, and has failed. Returns what claim_within says.
CREATE FUNCTION howdah_internal.rate_need(
    home howdah_internal.lane, of_lane integer, of_group text, at double precision)
RETURNS text
LANGUAGE plpgsql
AS $howdah$
DECLARE
    head record;
    of_queue record;
    of_its_group record;
BEGIN
    SELECT j.ctid, j.id, COALESCE((j.more ->> 'weight')::integer, 1) AS weight INTO head
    FROM (
        SELECT DISTINCT p.priority
        FROM howdah_internal.lane_priority p
        WHERE p.lane = home.id
        ORDER BY p.priority) AS p
    CROSS JOIN LATERAL (
        SELECT w.ctid, w.id, w.more
        FROM howdah_internal.job w
        WHERE w.lane = of_lane AND w.priority = p.priority AND w.run_at <= now()
        ORDER BY w.run_at, w.id
        LIMIT 1
        FOR UPDATE SKIP LOCKED) AS j
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN CASE WHEN of_lane < 0 THEN 'next 0' ELSE 'next 1000' END;
    END IF;
    SELECT * INTO of_queue FROM howdah_internal.rate_of_lane(home, at, head.weight);
    SELECT * INTO of_its_group
        FROM howdah_internal.rate_of_group(home.queue, of_group, at, head.weight);
    IF head.weight > LEAST(of_queue.heaviest, of_its_group.heaviest) THEN
        WITH gone AS (
            DELETE FROM howdah_internal.job j WHERE j.ctid = head.ctid RETURNING j.*
        )
        INSERT INTO howdah_internal.failed (
            id, lane, state, kind, priority, attempt, deaths, run_at, error, payload, more)
        SELECT g.id, g.lane, 'failed', g.kind, g.priority, g.attempt, g.deaths, g.run_at,
            format('its weight of %s is above the rate, which allows %s at once',
                head.weight, LEAST(of_queue.heaviest, of_its_group.heaviest)),
            g.payload, g.more
        FROM gone g;
        PERFORM howdah_internal.keys_settle(ARRAY[head.id], true);
        UPDATE howdah_internal.group_state g
        SET due = true, next_at = NULL
        WHERE g.lane = of_lane AND of_lane < 0;
        RETURN 'next 0';
    ELSIF of_lane < 0 AND head.weight > of_its_group.room THEN
        UPDATE howdah_internal.group_state g
        SET due = false, next_at = to_timestamp(of_its_group.next_at)
        WHERE g.lane = of_lane;
        RETURN 'next 0';
    END IF;
    UPDATE howdah_internal.group_state g
    SET due = true, next_at = NULL
    WHERE g.lane = of_lane AND of_lane < 0;
    RETURN 'paced ' || GREATEST(ceil((of_queue.next_at - at) * 1000), 1)::bigint;
END
$howdah$;
