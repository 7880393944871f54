-- Sees whether there is a time zone of that name. what begins the message of an error.
CREATE FUNCTION howdah_internal.check_zone(zone text, what text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $howdah$
BEGIN
    -- To list all names takes milliseconds. A name with a slash is neither an abbreviation nor a
    -- description such as UTC+3, which are no names, and which the setting takes as well.
    IF zone ~ E'^\\s*[A-Za-z]+/' THEN
        BEGIN
            PERFORM set_config('TimeZone', btrim(zone), true);
            RETURN;
        EXCEPTION WHEN invalid_parameter_value THEN
            NULL;
        END;
    ELSIF upper(btrim(zone)) = 'UTC'
        OR EXISTS (
            SELECT FROM pg_timezone_names z WHERE lower(z.name) = lower(btrim(zone))) THEN
        RETURN;
    END IF;
    RAISE '%there is no zone ''%''', what, zone
        USING ERRCODE = 'invalid_parameter_value',
            HINT = 'names such as Europe/Berlin, America/New_York or UTC are known';
END
$howdah$;

-- The first time after that one: of a plan, or with a period of so many microseconds; not before
-- the start, which a period counts from.
CREATE FUNCTION howdah_internal.plain_next(
    plan bigint[], micros bigint, start timestamp, after timestamp)
RETURNS timestamp
LANGUAGE sql STABLE
AS $howdah$
    SELECT CASE
        WHEN plan IS NOT NULL
            THEN howdah_internal.cron_next(plan, greatest(after, start - interval '1 microsecond'))
        WHEN after < start THEN start
        ELSE start + ((extract(epoch FROM after - start) * 1000000)::bigint / micros + 1) * micros
            * interval '1 microsecond'
    END
$howdah$;

-- The first day from that one on that is none of these days.
CREATE FUNCTION howdah_internal.work_day(day date, days date[])
RETURNS date
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    WHILE day = ANY (days) LOOP
        day := day + 1;
    END LOOP;
    RETURN day;
END
$howdah$;

-- As howdah_internal.plain_next, without times on these days, or with those moved to the same local
-- time of the next other day. The same as dev.howdah.job.internal.maintain.HolidayTimes in Java.
CREATE FUNCTION howdah_internal.calendar_next(
    plan bigint[], micros bigint, start timestamp, days date[], moves boolean, after timestamp)
RETURNS timestamp
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    tick CONSTANT interval := interval '1 microsecond';
    reached timestamp := after;
    day date;
    source date;
    each timestamp;
    moved timestamp;
    best timestamp;
BEGIN
    IF NOT moves THEN
        LOOP
            each := howdah_internal.plain_next(plan, micros, start, reached);
            day := timezone('UTC', each)::date;
            IF day <> ALL (days) THEN
                RETURN each;
            END IF;
            reached := greatest(
                each, howdah_internal.cron_moment(howdah_internal.work_day(day,
                    days)::timestamp) - tick);
        END LOOP;
    END IF;
    day := howdah_internal.work_day(timezone('UTC', after)::date, days);
    LOOP
        best := NULL;
        each := howdah_internal.plain_next(
            plan, micros, start, greatest(reached,
                howdah_internal.cron_moment(day::timestamp) - tick));
        IF timezone('UTC', each)::date = day THEN
            best := each;
        END IF;
        source := day - 1;
        WHILE source = ANY (days) LOOP
            each := howdah_internal.cron_moment(source + CASE WHEN timezone('UTC',
                after)::date = day
                THEN timezone('UTC', after)::time ELSE '00:00' END) - tick;
            LOOP
                each := howdah_internal.plain_next(plan, micros, start, each);
                EXIT WHEN timezone('UTC', each)::date <> source;
                moved := howdah_internal.cron_moment(day + timezone('UTC', each)::time);
                IF moved > after THEN
                    best := least(best, moved);
                    EXIT;
                END IF;
            END LOOP;
            source := source - 1;
        END LOOP;
        IF best IS NOT NULL THEN
            RETURN best;
        END IF;
        reached := greatest(reached, howdah_internal.cron_moment((day + 1)::timestamp) - tick);
        day := howdah_internal.work_day(
            timezone('UTC', howdah_internal.plain_next(plan, micros, start, reached))::date, days);
    END LOOP;
END
$howdah$;

-- The days of a calendar that matter after a time: a run of holidays may have begun before.
CREATE FUNCTION howdah_internal.holidays(calendar text, after timestamptz)
RETURNS date[]
LANGUAGE sql STABLE
AS $howdah$
    SELECT array_agg(h.day ORDER BY h.day)
    FROM howdah.holiday h
    WHERE h.calendar = $1 AND h.day >= timezone('UTC', $2)::date - 400
$howdah$;

-- Checks what a schedule does when the clocks change and on holidays; the flags of a plan for it.
CREATE FUNCTION howdah_internal.check_policies(
    skipped_hour text, doubled_hour text, calendar text, on_holiday text, what text)
RETURNS bigint
LANGUAGE plpgsql STABLE
AS $howdah$
BEGIN
    IF COALESCE(skipped_hour, '') NOT IN ('run', 'skip') THEN
        RAISE '%skipped_hour is ''%''', what, skipped_hour
            USING ERRCODE = 'invalid_parameter_value', HINT = 'run or skip';
    ELSIF COALESCE(doubled_hour, '') NOT IN ('first', 'both') THEN
        RAISE '%doubled_hour is ''%''', what, doubled_hour
            USING ERRCODE = 'invalid_parameter_value', HINT = 'first or both';
    ELSIF COALESCE(on_holiday, '') NOT IN ('skip', 'next_day') THEN
        RAISE '%on_holiday is ''%''', what, on_holiday
            USING ERRCODE = 'invalid_parameter_value', HINT = 'skip or next_day';
    ELSIF calendar IS NOT NULL AND NOT EXISTS (
        SELECT
        FROM howdah.holiday h
        WHERE h.calendar = check_policies.calendar) THEN
        RAISE '%there is no calendar ''%''', what, calendar
            USING ERRCODE = 'undefined_object',
            HINT = format(
                'SELECT howdah.add_holidays(%L, ''{2026-12-25}'') makes one.', calendar)
                || COALESCE((SELECT ' There are: ' || string_agg(c.calendar, ', ') || '.'
                    FROM (SELECT DISTINCT h.calendar FROM howdah.holiday h LIMIT 20) c), '');
    END IF;
    RETURN CASE skipped_hour WHEN 'skip' THEN 4 ELSE 0 END
        | CASE doubled_hour WHEN 'both' THEN 8 ELSE 0 END;
END
$howdah$;

CREATE FUNCTION howdah_internal.add_holidays(calendar text, days date[])
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    added bigint;
BEGIN
    PERFORM howdah_internal.check_name('calendar', $1);
    IF $2 IS NULL OR array_position($2, NULL) IS NOT NULL THEN
        RAISE 'the days of the calendar %: they have to be an array of dates without NULL', $1
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    INSERT INTO howdah.holiday (calendar, day)
    SELECT $1, d.day
    FROM unnest($2) AS d (day)
    ON CONFLICT (calendar, day) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_holidays(text, date[]) IS
    'Adds days to a calendar, on which schedules with that calendar add no job: how many are new.';

CREATE FUNCTION howdah_internal.remove_holidays(calendar text, days date[] DEFAULT NULL)
RETURNS bigint
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah.holiday h
        WHERE h.calendar = $1 AND ($2 IS NULL OR h.day = ANY ($2))
        RETURNING 1
    )
    SELECT count(*) FROM gone
$howdah$;
COMMENT ON FUNCTION howdah_internal.remove_holidays(text, date[]) IS
    'Removes days from a calendar, or all of them: how many there were.';

CREATE FUNCTION howdah_internal.check_runs(n integer, after timestamptz)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    IF n IS NULL OR n NOT BETWEEN 1 AND 1000 THEN
        RAISE 'n is %: it has to be from 1 to 1000', n USING ERRCODE = 'invalid_parameter_value';
    ELSIF after IS NULL OR after < '0001-01-01 00:00:00+00' OR after >= '10000-01-01 00:00:00+00'
    THEN
        RAISE 'after is %: it has to be in the years 1 to 9999', after
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;

CREATE FUNCTION howdah_internal.next_runs(
    cron text, zone text DEFAULT 'UTC', n integer DEFAULT 10, after timestamptz DEFAULT now(),
    skipped_hour text DEFAULT 'run', doubled_hour text DEFAULT 'first',
    calendar text DEFAULT NULL, on_holiday text DEFAULT 'skip')
RETURNS SETOF timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $howdah$
DECLARE
    plan bigint[];
    flags bigint;
    days date[];
    at timestamp;
BEGIN
    IF cron IS NULL THEN
        RAISE 'cron is NULL' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'five fields such as ''30 3 * * *'', six with seconds in front, or @daily';
    END IF;
    PERFORM howdah_internal.check_runs(n, after);
    plan := howdah_internal.cron_plan(cron, format('cron ''%s'': ', cron));
    PERFORM howdah_internal.check_zone(zone, '');
    flags := howdah_internal.check_policies(skipped_hour, doubled_hour, calendar, on_holiday, '');
    IF flags > 0 THEN
        plan[7] := plan[7] | flags;
    END IF;
    IF calendar IS NOT NULL THEN
        days := howdah_internal.holidays(calendar, after);
    END IF;
    PERFORM set_config('TimeZone', btrim(zone), true);
    at := timezone('UTC', after);
    FOR run IN 1..n LOOP
        at := CASE WHEN days IS NULL THEN howdah_internal.cron_next(plan, at)
            ELSE howdah_internal.calendar_next(
                plan, NULL, '-infinity', days, on_holiday = 'next_day', at) END;
        -- No schedule goes on after that.
        EXIT WHEN at >= '10000-01-01';
        RETURN NEXT timezone('UTC', at);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.next_runs(
    text, text, integer, timestamptz, text, text, text, text) IS
    'The next n times (1 to 1000) of a cron in a time zone after that time, as schedules have '
    'them; none after the year 9999. The rules of the zone are those of the server.';

CREATE FUNCTION howdah_internal.schedule_runs(
    name text, n integer DEFAULT 10, after timestamptz DEFAULT now())
RETURNS SETOF timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $howdah$
DECLARE
    of howdah.schedule;
    plan bigint[];
    micros bigint;
    start timestamp;
    days date[];
    at timestamp := timezone('UTC', after);
BEGIN
    PERFORM howdah_internal.check_runs(n, after);
    SELECT * INTO of FROM howdah.schedule s WHERE s.name = schedule_runs.name;
    IF NOT FOUND THEN
        RAISE 'there is no schedule "%"', schedule_runs.name USING ERRCODE = 'undefined_object';
    END IF;
    IF of.cron IS NOT NULL THEN
        plan := howdah_internal.cron_plan(of.cron, format('schedule %s: ', of.name));
        plan[7] := plan[7] | CASE of.skipped_hour WHEN 'skip' THEN 4 ELSE 0 END
            | CASE of.doubled_hour WHEN 'both' THEN 8 ELSE 0 END;
    ELSE
        micros := (extract(epoch FROM of.period) * 1000000)::bigint;
    END IF;
    PERFORM howdah_internal.check_zone(of.zone, format('schedule %s: ', of.name));
    start := timezone('UTC', of.starts_at);
    days := howdah_internal.holidays(of.calendar, after);
    PERFORM set_config('TimeZone', btrim(of.zone), true);
    FOR run IN 1..n LOOP
        at := CASE WHEN days IS NULL THEN howdah_internal.plain_next(plan, micros, start, at)
            ELSE howdah_internal.calendar_next(
                plan, micros, start, days, of.on_holiday = 'next_day', at) END;
        EXIT WHEN at >= '10000-01-01';
        RETURN NEXT timezone('UTC', at);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.schedule_runs(text, integer, timestamptz) IS
    'The next n times (1 to 1000) of a schedule after that time, whether it is paused or not.';

CREATE FUNCTION howdah_internal.put_schedule(
    name text, queue text, kind text, payload json DEFAULT 'null', cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once',
    priority integer DEFAULT 0, starts_at timestamptz DEFAULT NULL, overlap text DEFAULT 'allow',
    jitter interval DEFAULT '0', catch_up interval DEFAULT NULL, key text DEFAULT NULL,
    calendar text DEFAULT NULL, on_holiday text DEFAULT 'skip', skipped_hour text DEFAULT 'run',
    doubled_hour text DEFAULT 'first', options jsonb DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    apart interval := $6;
BEGIN
    PERFORM howdah_internal.check_name('schedule', $1), howdah_internal.check_name('queue', $2),
        howdah_internal.check_name('kind', $3), howdah_internal.check_priority(COALESCE($9, 0));
    IF ($5 IS NULL) = ($6 IS NULL) THEN
        RAISE 'schedule %: it needs either cron or period', $1 USING ERRCODE = '22023',
            HINT = 'cron => ''0 3 * * *'', or period => ''10 minutes''';
    END IF;
    IF $5 IS NOT NULL THEN
        PERFORM howdah_internal.cron_plan($5, format('schedule %s: ', $1));
    END IF;
    IF $6 IS NOT NULL
        AND ($6 < interval '1 second' OR extract(year FROM $6) <> 0 OR extract(month FROM $6) <> 0
        OR $6 > interval '366000 days') THEN
        RAISE 'schedule %: a period of % cannot be kept', $1, $6 USING ERRCODE = '22023',
            HINT = 'a second or longer, a thousand years at most, in days, hours, minutes and '
                'seconds; for months there is cron';
    END IF;
    PERFORM howdah_internal.check_zone($7, format('schedule %s: ', $1));
    IF $10 < '0001-01-01 00:00:00+00' OR $10 >= '10000-01-01 00:00:00+00' THEN
        RAISE 'schedule %: starts_at %: it has to be in the years 1 to 9999', $1, $10
            USING ERRCODE = '22023';
    END IF;
    IF COALESCE($8, '') NOT IN ('skip', 'once', 'all') THEN
        RAISE 'schedule %: missed is ''%''', $1, $8
            USING ERRCODE = '22023', HINT = 'skip, once or all';
    END IF;
    IF COALESCE($11, '') NOT IN ('allow', 'skip', 'queue_one', 'cancel_old') THEN
        RAISE 'schedule %: overlap is ''%''', $1, $11
            USING ERRCODE = '22023', HINT = 'allow, skip, queue_one or cancel_old';
    END IF;
    IF $5 IS NOT NULL AND $12 > interval '0' THEN
        apart := (
            SELECT min(d.apart)
            FROM (
                SELECT r - lag(r) OVER (ORDER BY r) AS apart
                FROM howdah_internal.next_runs($5, $7, 10, COALESCE($10, now())) r) d);
    END IF;
    IF $12 IS NULL OR $12 < interval '0' OR extract(year FROM $12) <> 0
        OR extract(month FROM $12) <> 0 OR $12 > LEAST(apart, interval '366000 days') THEN
        RAISE 'schedule %: a jitter of % cannot be kept', $1, $12 USING ERRCODE = '22023',
            HINT = 'from 0 to the time between two of its times'
                || COALESCE(format(', which is %s', apart), '')
                || ', in days, hours, minutes and seconds';
    END IF;
    IF $13 < interval '0' OR extract(year FROM $13) <> 0 OR extract(month FROM $13) <> 0
        OR $13 > interval '366000 days' THEN
        RAISE 'schedule %: a catch_up of % cannot be kept', $1, $13 USING ERRCODE = '22023',
            HINT = '0 or longer, a thousand years at most, in days, hours, minutes and seconds';
    END IF;
    PERFORM howdah_internal.check_policies($17, $18, $15, $16, format('schedule %s: ', $1));
    IF $14 = '' OR length($14) > 400 THEN
        RAISE 'schedule %: a key has 1 to 400 characters, not %: "%"', $1, length($14),
            left($14, 40)
            USING ERRCODE = '22023';
    ELSIF ($14 IS NOT NULL OR $19 ? 'unique') AND $11 = 'queue_one' THEN
        RAISE 'schedule %: a key, and overlap queue_one: its jobs have one of the two', $1
            USING ERRCODE = '22023',
            HINT = 'With a key no job is added while one with that key waits or runs.';
    END IF;
    INSERT INTO howdah.schedule AS s (
        name, queue, kind, payload, cron, period, zone, missed, priority, starts_at, overlap,
        jitter, catch_up, key, calendar, on_holiday, skipped_hour, doubled_hour, options)
    VALUES (
        $1, $2, $3, COALESCE($4, 'null'), $5, $6, $7, $8, $9,
        COALESCE($10, now() + COALESCE($6, interval '0')), $11, $12, $13, $14, $15, $16, $17, $18,
        NULLIF(
            COALESCE(howdah_internal.check_options($19), '{}')
                || CASE WHEN $19 ? 'unique' THEN jsonb_build_object('unique', $19 -> 'unique')
                    ELSE '{}' END,
            '{}'))
    ON CONFLICT (name) DO UPDATE
    SET queue = EXCLUDED.queue,
        kind = EXCLUDED.kind,
        payload = EXCLUDED.payload,
        cron = EXCLUDED.cron,
        period = EXCLUDED.period,
        zone = EXCLUDED.zone,
        missed = EXCLUDED.missed,
        priority = EXCLUDED.priority,
        overlap = EXCLUDED.overlap,
        jitter = EXCLUDED.jitter,
        catch_up = EXCLUDED.catch_up,
        key = EXCLUDED.key,
        calendar = EXCLUDED.calendar,
        on_holiday = EXCLUDED.on_holiday,
        skipped_hour = EXCLUDED.skipped_hour,
        doubled_hour = EXCLUDED.doubled_hour,
        options = EXCLUDED.options,
        -- The same schedule again, as a program adds it at each of its starts, moves nothing.
        starts_at = CASE
            WHEN $10 IS NOT NULL
                OR s.cron IS DISTINCT FROM EXCLUDED.cron
                OR s.period IS DISTINCT FROM EXCLUDED.period
            THEN EXCLUDED.starts_at
            ELSE s.starts_at
        END;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.put_schedule(
    text, text, text, json, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) IS
    'A part of howdah.schedule.';

CREATE FUNCTION howdah_internal.schedule(
    name text, queue text, kind text, payload json DEFAULT 'null', cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once',
    priority integer DEFAULT 0, starts_at timestamptz DEFAULT NULL, overlap text DEFAULT 'allow',
    jitter interval DEFAULT '0', catch_up interval DEFAULT NULL, key text DEFAULT NULL,
    calendar text DEFAULT NULL, on_holiday text DEFAULT 'skip', skipped_hour text DEFAULT 'run',
    doubled_hour text DEFAULT 'first', options jsonb DEFAULT NULL)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah_internal.put_schedule(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
$howdah$;
COMMENT ON FUNCTION howdah_internal.schedule(
    text, text, text, json, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) IS
    'Adds a job again and again, by cron or by period; a schedule that is there already is '
    'changed.';

CREATE FUNCTION howdah.unschedule(name text)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (DELETE FROM howdah.schedule s WHERE s.name = $1 RETURNING 1)
    SELECT EXISTS (SELECT FROM gone)
$howdah$;
COMMENT ON FUNCTION howdah.unschedule(text) IS
    'Ends a schedule; says whether there was one. Jobs that it has added stay.';

CREATE FUNCTION howdah.pause_schedule(name text)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH changed AS (
        UPDATE howdah.schedule s
        SET paused = COALESCE(s.paused, now())
        WHERE s.name = $1
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM changed)
$howdah$;
COMMENT ON FUNCTION howdah.pause_schedule(text) IS
    'From now on a schedule adds nothing; says whether there is one.';

CREATE FUNCTION howdah.resume_schedule(name text)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH changed AS (UPDATE howdah.schedule s SET paused = NULL WHERE s.name = $1 RETURNING 1)
    SELECT EXISTS (SELECT FROM changed)
$howdah$;
COMMENT ON FUNCTION howdah.resume_schedule(text) IS
    'A schedule goes on with its next time; what was planned while it was paused is not made up '
    'for. Says whether there is one.';

CREATE FUNCTION howdah.run_schedule(name text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    job bigint := (
        SELECT a.id
        FROM howdah.schedule s,
            LATERAL howdah_internal.add(
                s.queue, s.kind, s.payload, s.priority::integer, key => s.key,
                options => s.options) a
        WHERE s.name = $1);
BEGIN
    IF job IS NULL THEN
        RAISE 'there is no schedule "%"', $1 USING ERRCODE = 'undefined_object';
    END IF;
    RETURN job;
END
$howdah$;
COMMENT ON FUNCTION howdah.run_schedule(text) IS
    'Adds one job of a schedule now, whether it is paused or its last job has ended or not; its '
    'number, or that of the job that has its key. The times of the schedule stay as they are.';

-- For nodes: adds the job of a schedule with a key. Not added, and no id: another transaction is
-- adding one with that key, for which a node does not wait; or there is a problem.
CREATE FUNCTION howdah_internal.add_scheduled(
    queue text, kind text, payload json, priority integer, run_at timestamptz, key text,
    options jsonb, OUT id bigint, OUT added boolean, OUT problem text)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
AS $howdah$
BEGIN
    SELECT a.id, a.added INTO add_scheduled.id, add_scheduled.added
    FROM howdah_internal.add($1, $2, $3, $4, run_at => $5, key => $6, options => $7) a;
EXCEPTION
    WHEN lock_not_available THEN
        added := false;
    WHEN OTHERS THEN
        added := false;
        problem := SQLERRM;
END
$howdah$;
