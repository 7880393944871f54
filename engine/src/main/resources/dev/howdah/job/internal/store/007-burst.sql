-- After the clock of the server was set back, jobs under a rate with a burst begin as they do under
-- one without it. The time until which the burst is spread was in the future then, and no job began
-- before it.

-- What is left of a rate: how many may begin now, and when, in seconds since 1970, so many as are
-- needed may. A claim counts for a period after the last moment at which its jobs could begin.
-- Moments that no clock can have come to yet are of a clock that went back, and so is such a time
-- until which a burst is spread.
CREATE OR REPLACE FUNCTION howdah.rate_left(
    rule howdah.rate_limit, used howdah.rate_use, at double precision, need integer,
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

-- Notes that so much of a rate was used by a claim of that moment, whose jobs begin within so many
-- seconds or not at all.
CREATE OR REPLACE FUNCTION howdah.rate_book(
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
    IF used.spread > at + period + 10 THEN
        used.spread := NULL;
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

-- retries of jobs that wait for others
\ir 007-burst/retry.sql

-- replica identities
\ir 007-burst/replication.sql
-- notifications of transactions that are prepared
\ir 007-burst/bell.sql
-- how many days the lock table bears
\ir 007-burst/retention.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 7, '007-burst.sql');
