-- Cron --------------------------------------------------------------------------------------------
--
-- The same as package dev.howdah.internal.schedule in Java, with which nodes keep schedules. A cron
-- is read once into a plan, which is an array of bits (value n is bit n) and numbers: 1 seconds, 2
-- minutes, 3 hours, 4 days of the month, 5 months, 6 days of the week, 7 flags (1: the hours have a
-- star or a step; 2: a day has to meet both fields of days; 4: times that the clocks leave out are
-- left out; 8: times that occur twice count twice), from 8 on days that no bit tells:
-- 1000 + 10 * n for L-n, 2000 for LW, 3000 + 10 * n for nW, 4000 + 10 * n for nL, and
-- 5000 + 10 * n + m for n#m.

-- The smallest value of bits from start on; NULL: there is none.
CREATE FUNCTION howdah_internal.cron_bit(bits bigint, start integer)
RETURNS integer
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT CASE WHEN $1 >> $2 <> 0
        THEN $2 + round(ln((($1 >> $2) & -($1 >> $2))::float8) / ln(2::float8))::integer
    END
$howdah$;

-- A number, or a name of which the first is the lowest value; without bounds any number.
CREATE FUNCTION howdah_internal.cron_value(
    word text, names text[], lowest integer, highest integer, field text, head text, tail text)
RETURNS integer
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    value integer := array_position(names, word) - 1 + lowest;
BEGIN
    IF value IS NULL THEN
        IF word !~ '^[0-9]{1,4}$' THEN
            RAISE '%', head
                || CASE word WHEN '' THEN ', where something is missing' WHEN field THEN ''
                    ELSE format(', where ''%s'' is no number', word) END
                || tail
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        value := word::integer;
    END IF;
    IF value NOT BETWEEN lowest AND highest THEN
        RAISE '%', head
            || CASE word WHEN field THEN '' ELSE format(', where ''%s'' is none of these', word) END
            || tail
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN value;
END
$howdah$;

-- Reads a field: its bits, its flags (1: it begins with a star; 2: it has a star or a step), and
-- days that no bit tells. what begins the message of an error.
CREATE FUNCTION howdah_internal.cron_field(label text, field text, what text)
RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    of_month CONSTANT boolean := label = 'day of month';
    of_week CONSTANT boolean := label = 'day of week';
    lowest CONSTANT integer := CASE WHEN label IN ('day of month', 'month') THEN 1 ELSE 0 END;
    highest CONSTANT integer := CASE label WHEN 'hour' THEN 23 WHEN 'day of month' THEN 31
        WHEN 'month' THEN 12 WHEN 'day of week' THEN 7 ELSE 59 END;
    names CONSTANT text[] := CASE label
        WHEN 'month' THEN '{JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC}'
        WHEN 'day of week' THEN '{SUN,MON,TUE,WED,THU,FRI,SAT}' END;
    head CONSTANT text := format('%sthe %s field is ''%s''', what, label, field);
    tail CONSTANT text := format(
        '; it takes %s to %s, *, lists (1,2), ranges (1-5), steps (*/2)%s', lowest, highest,
        CASE label
            WHEN 'day of month' THEN
                ', L (the last), L-3, LW (the last weekday), 15W (the weekday nearest to the 15th)'
            WHEN 'month' THEN ', names (JAN)'
            WHEN 'day of week' THEN
                ', names (MON), 5L (the last Friday), MON#1 (the first Monday)' END);
    bits bigint := 0;
    flags bigint := CASE WHEN field ~ '^[*?]' THEN 1 ELSE 0 END;
    rules bigint[] := '{}';
    item text;
    parts text[];
    ends text[];
    step integer;
    low integer;
    high integer;
BEGIN
    FOREACH item IN ARRAY string_to_array(upper(field COLLATE "C"), ',') LOOP
        IF of_month AND item = 'LW' THEN
            rules := rules || 2000::bigint;
        ELSIF of_month AND item ~ '^L(-|$)' THEN
            low := CASE WHEN item = 'L' THEN 0 ELSE howdah_internal.cron_value(
                substr(item, 3), NULL, NULL, NULL, field, head, tail) END;
            IF low > 30 THEN
                RAISE '%, where ''%'' is before the month begins%', head, item, tail
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            rules := rules || 1000::bigint + low * 10;
        ELSIF of_month AND item LIKE '_%W' THEN
            rules := rules || 3000::bigint + 10 * howdah_internal.cron_value(
                left(item, -1), names, lowest, highest, field, head, tail);
        ELSIF of_week AND item = 'L' THEN
            bits := bits | 64;
        ELSIF of_week AND item LIKE '_%L' THEN
            rules := rules || 4000::bigint + 10 * (howdah_internal.cron_value(
                left(item, -1), names, lowest, highest, field, head, tail) % 7);
        ELSIF of_week AND strpos(item, '#') > 0 THEN
            low := howdah_internal.cron_value(
                split_part(item, '#', 1), names, lowest, highest, field, head, tail) % 7;
            step := howdah_internal.cron_value(
                substr(item, strpos(item, '#') + 1), NULL, NULL, NULL, field, head, tail);
            IF step NOT BETWEEN 1 AND 5 THEN
                RAISE '%, where the number behind # is 1 to 5%', head, tail
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            rules := rules || 5000::bigint + low * 10 + step;
        ELSE
            parts := regexp_split_to_array(item, '/');
            IF cardinality(parts) > 2 THEN
                RAISE '%, where ''%'' has more than one step%', head, item, tail
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            step := CASE WHEN cardinality(parts) = 1 THEN 1 ELSE howdah_internal.cron_value(
                parts[2], NULL, NULL, NULL, field, head, tail) END;
            IF step < 1 THEN
                RAISE '%, where the step of ''%'' has to be 1 or more%', head, item, tail
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            low := lowest;
            -- Seven is Sunday once more: in a wildcard it would be counted twice.
            high := CASE WHEN of_week THEN 6 ELSE highest END;
            IF parts[1] = '*' OR parts[1] = '?' AND (of_month OR of_week) THEN
                flags := flags | 2;
            ELSE
                IF cardinality(parts) = 2 THEN
                    flags := flags | 2;
                END IF;
                ends := regexp_split_to_array(parts[1], '-');
                IF cardinality(ends) > 2 THEN
                    RAISE '%, where ''%'' is no range%', head, item, tail
                        USING ERRCODE = 'invalid_parameter_value';
                END IF;
                low := howdah_internal.cron_value(ends[1], names, lowest, highest, field, head,
                    tail);
                IF cardinality(ends) = 2 THEN
                    high := howdah_internal.cron_value(ends[2], names, lowest, highest, field, head,
                        tail);
                ELSIF cardinality(parts) = 1 THEN
                    high := low;
                END IF;
                -- A range may end with a Sunday by its name.
                IF of_week AND high = 0 AND low > 0 THEN
                    high := 7;
                END IF;
                IF high < low THEN
                    RAISE '%', head || format(
                        ', where ''%s'' runs backwards: write it as two, such as %s-%s,%s-%s',
                        parts[1], low, highest, lowest, high) || tail
                        USING ERRCODE = 'invalid_parameter_value';
                END IF;
            END IF;
            FOR value IN low..high BY step LOOP
                bits := bits | (1::bigint << value);
            END LOOP;
        END IF;
    END LOOP;
    IF of_week THEN
        bits := (bits & 127) | (bits >> 7);
    END IF;
    RETURN ARRAY[bits, flags] || rules;
END
$howdah$;

-- The days of a plan in a month with so many days, the first of which is that day of the week:
-- day n is bit n.
CREATE FUNCTION howdah_internal.cron_days(plan bigint[], days integer, weekday integer)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    of_month bigint := plan[4];
    -- The week, written down six times one after the other.
    of_week bigint := ((plan[6] * 34630287489) >> weekday) << 1;
    rule bigint;
    wanted integer;
    day integer;
BEGIN
    FOREACH rule IN ARRAY plan[8:] LOOP
        wanted := rule % 1000 / 10;
        IF rule < 2000 THEN
            of_month := of_month | (1::bigint << greatest(days - wanted, 0));
        ELSIF rule < 4000 THEN
            day := CASE WHEN rule < 3000 THEN days ELSE wanted END;
            IF day <= days THEN
                -- The nearest weekday of the same month.
                day := day + CASE (weekday + day - 1) % 7
                    WHEN 6 THEN CASE WHEN day > 1 THEN -1 ELSE 2 END
                    WHEN 0 THEN CASE WHEN day < days THEN 1 ELSE -2 END
                    ELSE 0 END;
                of_month := of_month | (1::bigint << day);
            END IF;
        ELSIF rule < 5000 THEN
            of_week := of_week
                | (1::bigint << (days - (weekday + days - 1 - wanted) % 7));
        ELSE
            day := 1 + (wanted - weekday + 7) % 7 + (rule % 10 - 1) * 7;
            of_week := of_week | (1::bigint << day);
        END IF;
    END LOOP;
    RETURN CASE WHEN plan[7] & 2 <> 0 THEN of_month & of_week ELSE of_month | of_week END
        & ((1::bigint << (days + 1)) - 2);
END
$howdah$;

-- Reads a cron into a plan. what begins the message of an error.
CREATE FUNCTION howdah_internal.cron_plan(cron text, what text)
RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    plain text := btrim(cron, E' \t\n\x0b\f\r\x1c\x1d\x1e\x1f');
    fields text[];
    seconds bigint[];
    minutes bigint[];
    hours bigint[];
    of_month bigint[];
    months bigint[];
    of_week bigint[];
    plan bigint[];
BEGIN
    IF plain LIKE '@%' THEN
        fields := CASE lower(plain COLLATE "C")
            WHEN '@yearly' THEN '{0,0,1,1,*}'
            WHEN '@annually' THEN '{0,0,1,1,*}'
            WHEN '@monthly' THEN '{0,0,1,*,*}'
            WHEN '@weekly' THEN '{0,0,*,*,0}'
            WHEN '@daily' THEN '{0,0,*,*,*}'
            WHEN '@midnight' THEN '{0,0,*,*,*}'
            WHEN '@hourly' THEN '{0,*,*,*,*}' END;
        IF fields IS NULL THEN
            RAISE '%''%'' is none of @annually, @daily, @hourly, @midnight, @monthly, @weekly, '
                '@yearly', what, plain USING ERRCODE = 'invalid_parameter_value';
        END IF;
    ELSE
        fields := CASE WHEN plain = '' THEN '{}'
            ELSE regexp_split_to_array(plain, E'[ \t\n\x0b\f\r]+') END;
    END IF;
    IF cardinality(fields) = 5 THEN
        fields := ARRAY['0'] || fields;
    ELSIF cardinality(fields) <> 6 THEN
        RAISE '%it has % fields, not the 5 (minute, hour, day of month, month, day of week) or the '
            '6 with seconds in front', what, cardinality(fields)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    seconds := howdah_internal.cron_field('second', fields[1], what);
    minutes := howdah_internal.cron_field('minute', fields[2], what);
    hours := howdah_internal.cron_field('hour', fields[3], what);
    of_month := howdah_internal.cron_field('day of month', fields[4], what);
    months := howdah_internal.cron_field('month', fields[5], what);
    of_week := howdah_internal.cron_field('day of week', fields[6], what);
    plan := ARRAY[seconds[1], minutes[1], hours[1], of_month[1], months[1], of_week[1],
        (hours[2] >> 1) | ((of_month[2] | of_week[2]) & 1) * 2] || of_month[3:] || of_week[3:];
    -- A month of each length begins with each day of the week some time.
    FOR month IN 1..12 LOOP
        CONTINUE WHEN (plan[5] >> month) & 1 = 0;
        FOR weekday IN 0..6 LOOP
            FOR days IN CASE month WHEN 2 THEN 28 WHEN 4 THEN 30 WHEN 6 THEN 30 WHEN 9 THEN 30
                    WHEN 11 THEN 30 ELSE 31 END
                .. CASE month WHEN 2 THEN 29 WHEN 4 THEN 30 WHEN 6 THEN 30 WHEN 9 THEN 30
                    WHEN 11 THEN 30 ELSE 31 END LOOP
                IF howdah_internal.cron_days(plan, days, weekday) <> 0 THEN
                    RETURN plan;
                END IF;
            END LOOP;
        END LOOP;
    END LOOP;
    RAISE '%there is no such day: the day of month, month and day of week fields never meet', what
        USING ERRCODE = 'invalid_parameter_value';
END
$howdah$;

-- The first local time of a plan from that one on.
CREATE FUNCTION howdah_internal.cron_ceiling(plan bigint[], local timestamp)
RETURNS timestamp
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    start timestamp := date_trunc('second', local);
    month timestamp;
    days bigint;
    today integer;
    day integer;
    hour integer;
    minute integer;
    second integer;
BEGIN
    IF start < local THEN
        start := start + interval '1 second';
    END IF;
    month := date_trunc('month', start);
    today := extract(day FROM start);
    day := today;
    LOOP
        IF (plan[5] >> extract(month FROM month)::integer) & 1 = 1 THEN
            days := howdah_internal.cron_days(
                plan, extract(day FROM month + interval '1 month' - interval '1 day')::integer,
                extract(dow FROM month)::integer);
            day := howdah_internal.cron_bit(days, day);
            IF day = today THEN
                hour := extract(hour FROM start);
                IF (plan[3] >> hour) & 1 = 1 THEN
                    minute := extract(minute FROM start);
                    IF (plan[2] >> minute) & 1 = 1 THEN
                        second := howdah_internal.cron_bit(plan[1],
                            extract(second FROM start)::integer);
                        IF second IS NOT NULL THEN
                            RETURN date_trunc('minute', start) + make_interval(secs => second);
                        END IF;
                    END IF;
                    minute := howdah_internal.cron_bit(plan[2], minute + 1);
                    IF minute IS NOT NULL THEN
                        RETURN date_trunc('hour', start)
                            + make_interval(mins => minute,
                                secs => howdah_internal.cron_bit(plan[1], 0));
                    END IF;
                END IF;
                hour := howdah_internal.cron_bit(plan[3], hour + 1);
                IF hour IS NOT NULL THEN
                    RETURN date_trunc('day', start)
                        + make_interval(
                            hours => hour, mins => howdah_internal.cron_bit(plan[2], 0),
                            secs => howdah_internal.cron_bit(plan[1], 0));
                END IF;
                day := howdah_internal.cron_bit(days, today + 1);
            END IF;
            IF day IS NOT NULL THEN
                RETURN month
                    + make_interval(
                        days => day - 1, hours => howdah_internal.cron_bit(plan[3], 0),
                        mins => howdah_internal.cron_bit(plan[2], 0),
                        secs => howdah_internal.cron_bit(plan[1], 0));
            END IF;
        END IF;
        month := month + interval '1 month';
        today := 0;
        day := 1;
    END LOOP;
END
$howdah$;

-- When the clocks of the session's time zone change: the first second, in UTC as the bounds, with
-- another offset than low has. High has another one.
CREATE FUNCTION howdah_internal.cron_change(low timestamp, high timestamp)
RETURNS timestamp
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    offset_then CONSTANT interval := timezone('UTC', low)::timestamp - low;
    middle timestamp;
BEGIN
    WHILE high - low > interval '1 second' LOOP
        middle := low + make_interval(secs => floor(extract(epoch FROM high - low) / 2));
        IF timezone('UTC', middle)::timestamp - middle = offset_then THEN
            low := middle;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN high;
END
$howdah$;

-- When the clocks of the session's time zone show that local time: right after the gap that it is
-- in, or the first time.
CREATE FUNCTION howdah_internal.cron_moment(local timestamp)
RETURNS timestamp
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    -- More than any change of the clocks.
    far CONSTANT interval := interval '26 hours';
    result timestamp := timezone('UTC', local::timestamptz);
    shown timestamp := timezone('UTC', result)::timestamp;
    earlier timestamp;
BEGIN
    IF shown <> local THEN
        RETURN howdah_internal.cron_change(result - (shown - local), result);
    END IF;
    earlier := result - (timezone('UTC', result - far)::timestamp + far - local);
    IF earlier < result AND timezone('UTC', earlier)::timestamp = local THEN
        RETURN earlier;
    END IF;
    RETURN result;
END
$howdah$;

-- The first time of a plan after that one, in the session's time zone. Moments are timestamps in
-- UTC here: adding to a timestamptz would follow the clocks of the zone.
CREATE FUNCTION howdah_internal.cron_next(plan bigint[], after timestamp)
RETURNS timestamp
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    -- More than any change of the clocks.
    far CONSTANT interval := interval '26 hours';
    at timestamp := after;
    local timestamp;
    result timestamp;
    until timestamp;
BEGIN
    IF plan[7] & 13 = 8 THEN
        -- Those by the clock, and those in a gap.
        plan[7] := plan[7] & 2;
        result := howdah_internal.cron_next(plan, after);
        plan[7] := plan[7] | 1;
        RETURN least(result, howdah_internal.cron_next(plan, after));
    ELSIF plan[7] & 1 = 0 AND plan[7] & 12 <> 12 THEN
        -- Each local time occurs once.
        local := howdah_internal.cron_ceiling(plan, timezone('UTC', after)::timestamp);
        LOOP
            result := howdah_internal.cron_moment(local);
            EXIT WHEN result > after
                AND (plan[7] & 4 = 0 OR timezone('UTC', result)::timestamp = local);
            local := howdah_internal.cron_ceiling(plan, local + interval '1 microsecond');
        END LOOP;
        RETURN result;
    END IF;
    -- Whatever the clock shows: from one change of the clocks to the next. A change farther away
    -- than far leads back to no local time that was passed over.
    at := after + interval '1 microsecond';
    LOOP
        local := timezone('UTC', at)::timestamp;
        result := howdah_internal.cron_ceiling(plan, local) - (local - at);
        until := least(result, date_trunc('second', at) + far);
        IF timezone('UTC', until)::timestamp - until <> local - at THEN
            at := howdah_internal.cron_change(date_trunc('second', at), until);
        ELSIF until = result THEN
            RETURN result;
        ELSE
            at := greatest(at + interval '25 hours', result + (local - at) - interval '30 hours');
        END IF;
    END LOOP;
END
$howdah$;
