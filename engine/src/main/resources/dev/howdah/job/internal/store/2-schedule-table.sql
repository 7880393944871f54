-- Jobs, version 2: schedules.

-- name: up
CREATE TABLE howdah.schedule (
    name text PRIMARY KEY CHECK (name <> '' AND length(name) <= 200),
    queue text NOT NULL CHECK (queue <> '' AND length(queue) <= 200),
    kind text NOT NULL CHECK (kind <> '' AND length(kind) <= 200),
    priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100),
    payload json NOT NULL DEFAULT 'null',
    cron text,
    period interval,
    zone text NOT NULL DEFAULT 'UTC',
    missed text NOT NULL DEFAULT 'once' CHECK (missed IN ('skip', 'once', 'all')),
    starts_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(starts_at)),
    paused timestamptz,
    next_at timestamptz,
    last_at timestamptz,
    error text,
    CONSTRAINT schedule_cron_or_period CHECK ((cron IS NULL) <> (period IS NULL)),
    -- A month has no fixed length, so the next run could not be counted from the planned one.
    CONSTRAINT schedule_period CHECK (period >= interval '1 second'
        AND extract(year FROM period) = 0 AND extract(month FROM period) = 0)
);
CREATE INDEX schedule_due ON howdah.schedule (next_at NULLS FIRST) WHERE paused IS NULL AND error IS NULL;
COMMENT ON TABLE howdah.schedule IS 'Jobs that are added again and again. May be changed at any time: nodes hear of it.';
COMMENT ON COLUMN howdah.schedule.period IS 'between two jobs; counted from the planned time, so that nothing drifts';
COMMENT ON COLUMN howdah.schedule.zone IS 'in which the cron is meant';
COMMENT ON COLUMN howdah.schedule.missed IS
    'what becomes of times at which no node was there: skip them, once for all of them together, or all of them';
COMMENT ON COLUMN howdah.schedule.starts_at IS 'nothing is added for times before this; with a period also its first time';
COMMENT ON COLUMN howdah.schedule.paused IS 'since when nothing is added; NULL: it is not paused';
COMMENT ON COLUMN howdah.schedule.next_at IS 'the next time; NULL: a node has yet to find it';
COMMENT ON COLUMN howdah.schedule.last_at IS 'the last time for which a job was added';
COMMENT ON COLUMN howdah.schedule.error IS 'why it cannot be kept; NULL: it can';

CREATE FUNCTION howdah.schedule_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A node finds the next time, and says what is wrong. What was planned while it was paused is not missed.
    NEW.next_at := CASE WHEN NEW.period IS NOT NULL AND NEW.starts_at >= now() THEN NEW.starts_at END;
    NEW.error := NULL;
    PERFORM pg_notify('howdah_job_schedule', '');
    RETURN NEW;
END $$;
CREATE TRIGGER schedule_added BEFORE INSERT ON howdah.schedule
    FOR EACH ROW WHEN (NEW.next_at IS NULL) EXECUTE FUNCTION howdah.schedule_changed();
CREATE TRIGGER schedule_changed BEFORE UPDATE ON howdah.schedule
    FOR EACH ROW WHEN (NEW.cron IS DISTINCT FROM OLD.cron OR NEW.period IS DISTINCT FROM OLD.period OR NEW.zone <> OLD.zone
        OR NEW.starts_at <> OLD.starts_at OR NEW.paused IS DISTINCT FROM OLD.paused)
    EXECUTE FUNCTION howdah.schedule_changed();

CREATE FUNCTION howdah.schedule(name text, queue text, kind text, payload json DEFAULT 'null', cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once', priority integer DEFAULT 0,
    starts_at timestamptz DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE fields integer := array_length(regexp_split_to_array(btrim($5), '\s+'), 1);
BEGIN
    IF ($5 IS NULL) = ($6 IS NULL) THEN
        RAISE 'schedule %: it needs either cron or period', $1 USING ERRCODE = '22023',
            HINT = 'cron => ''0 3 * * *'', or period => ''10 minutes''';
    END IF;
    IF $5 !~ '^\s*@' AND fields NOT IN (5, 6) THEN
        RAISE 'schedule %: cron ''%'' has % fields', $1, $5, fields USING ERRCODE = '22023',
            HINT = '5 are right (minute, hour, day of month, month, day of week), or 6 with seconds in front';
    END IF;
    IF $6 IS NOT NULL AND ($6 < interval '1 second' OR extract(year FROM $6) <> 0 OR extract(month FROM $6) <> 0) THEN
        RAISE 'schedule %: a period of % cannot be kept', $1, $6 USING ERRCODE = '22023',
            HINT = 'a second or longer, in days, hours, minutes and seconds; for months there is cron';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_timezone_names z WHERE lower(z.name) = lower(btrim($7))) THEN
        RAISE 'schedule %: there is no zone ''%''', $1, $7 USING ERRCODE = '22023',
            HINT = 'names such as Europe/Berlin, America/New_York or UTC are known';
    END IF;
    IF $8 NOT IN ('skip', 'once', 'all') THEN
        RAISE 'schedule %: missed is ''%''', $1, $8 USING ERRCODE = '22023', HINT = 'skip, once or all';
    END IF;
    INSERT INTO howdah.schedule AS s (name, queue, kind, payload, cron, period, zone, missed, priority, starts_at)
    VALUES ($1, $2, $3, COALESCE($4, 'null'), $5, $6, $7, $8, $9, COALESCE($10, now() + COALESCE($6, interval '0')))
    ON CONFLICT (name) DO UPDATE SET queue = EXCLUDED.queue, kind = EXCLUDED.kind, payload = EXCLUDED.payload, cron = EXCLUDED.cron,
        period = EXCLUDED.period, zone = EXCLUDED.zone, missed = EXCLUDED.missed, priority = EXCLUDED.priority,
        -- Whoever says the same again, as a program does at each of its starts, moves nothing.
        starts_at = CASE WHEN $10 IS NOT NULL OR s.cron IS DISTINCT FROM EXCLUDED.cron OR s.period IS DISTINCT FROM EXCLUDED.period
                         THEN EXCLUDED.starts_at ELSE s.starts_at END;
END $$;
COMMENT ON FUNCTION howdah.schedule(text, text, text, json, text, interval, text, text, integer, timestamptz) IS
    'Adds a job again and again, by cron or by period; a schedule that is there already is changed.';

CREATE FUNCTION howdah.unschedule(name text) RETURNS boolean LANGUAGE sql AS $$
    WITH gone AS (DELETE FROM howdah.schedule s WHERE s.name = $1 RETURNING 1) SELECT EXISTS (SELECT FROM gone)
$$;
COMMENT ON FUNCTION howdah.unschedule(text) IS 'Ends a schedule; says whether there was one. Jobs that it has added stay.';

CREATE FUNCTION howdah.pause_schedule(name text) RETURNS boolean LANGUAGE sql AS $$
    WITH changed AS (UPDATE howdah.schedule s SET paused = COALESCE(s.paused, now()) WHERE s.name = $1 RETURNING 1)
    SELECT EXISTS (SELECT FROM changed)
$$;
COMMENT ON FUNCTION howdah.pause_schedule(text) IS 'From now on a schedule adds nothing; says whether there is one.';

CREATE FUNCTION howdah.resume_schedule(name text) RETURNS boolean LANGUAGE sql AS $$
    WITH changed AS (UPDATE howdah.schedule s SET paused = NULL WHERE s.name = $1 RETURNING 1)
    SELECT EXISTS (SELECT FROM changed)
$$;
COMMENT ON FUNCTION howdah.resume_schedule(text) IS
    'A schedule goes on with its next time; what was planned while it was paused is not made up for. Says whether there is one.';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 2);
