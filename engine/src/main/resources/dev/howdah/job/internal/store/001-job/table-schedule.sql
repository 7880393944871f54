-- Schedules ---------------------------------------------------------------------------------------

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
    paused_by text,
    next_at timestamptz,
    last_at timestamptz,
    overlap text NOT NULL DEFAULT 'allow'
        CHECK (overlap IN ('allow', 'skip', 'queue_one', 'cancel_old')),
    last_job bigint,
    skipped bigint NOT NULL DEFAULT 0,
    jitter interval NOT NULL DEFAULT '0',
    catch_up interval,
    error text,
    key text CHECK (key <> '' AND length(key) <= 400),
    calendar text CHECK (calendar <> '' AND length(calendar) <= 200),
    on_holiday text NOT NULL DEFAULT 'skip' CHECK (on_holiday IN ('skip', 'next_day')),
    skipped_hour text NOT NULL DEFAULT 'run' CHECK (skipped_hour IN ('run', 'skip')),
    doubled_hour text NOT NULL DEFAULT 'first' CHECK (doubled_hour IN ('first', 'both')),
    options jsonb,
    CONSTRAINT schedule_cron_or_period CHECK ((cron IS NULL) <> (period IS NULL)),
    -- A month has no fixed length, so the next run could not be counted from the planned one.
    CONSTRAINT schedule_period CHECK (
        period >= interval '1 second'
        AND extract(year FROM period) = 0
        AND extract(month FROM period) = 0),
    CONSTRAINT schedule_jitter CHECK (
        jitter BETWEEN interval '0' AND interval '366000 days'
        AND extract(year FROM jitter) = 0
        AND extract(month FROM jitter) = 0),
    CONSTRAINT schedule_catch_up CHECK (
        catch_up BETWEEN interval '0' AND interval '366000 days'
        AND extract(year FROM catch_up) = 0
        AND extract(month FROM catch_up) = 0)
);
CREATE INDEX schedule_due ON howdah.schedule (next_at NULLS FIRST)
    WHERE paused IS NULL AND error IS NULL;
COMMENT ON TABLE howdah.schedule IS
    'Jobs that are added again and again. May be changed at any time: nodes hear of it.';
COMMENT ON COLUMN howdah.schedule.period IS
    'between two jobs; counted from the planned time, so that nothing drifts';
COMMENT ON COLUMN howdah.schedule.zone IS 'the time zone of the cron';
COMMENT ON COLUMN howdah.schedule.missed IS
    'times at which no node was there: skip them, once for all of them together, or all of them';
COMMENT ON COLUMN howdah.schedule.starts_at IS
    'nothing is added for times before this; with a period also its first time';
COMMENT ON COLUMN howdah.schedule.paused IS 'since when nothing is added; NULL: it is not paused';
COMMENT ON COLUMN howdah.schedule.paused_by IS
    'who paused it: the setting howdah.actor, or else the role of the session';
COMMENT ON COLUMN howdah.schedule.next_at IS 'the next time; NULL: a node has yet to find it';
COMMENT ON COLUMN howdah.schedule.last_at IS 'the last time for which a job was added';
COMMENT ON COLUMN howdah.schedule.overlap IS
    'what becomes of a time while the last job has not ended: allow adds another job, skip adds '
    'none, queue_one lets one wait while one runs, cancel_old cancels the last one and adds '
    'another';
COMMENT ON COLUMN howdah.schedule.jitter IS
    'by how much at most run_at of a job is later than its planned time, at random';
COMMENT ON COLUMN howdah.schedule.catch_up IS
    'missed times that are longer ago are left out; NULL: none is';
COMMENT ON COLUMN howdah.schedule.last_job IS 'the last job that was added';
COMMENT ON COLUMN howdah.schedule.skipped IS 'for how many times overlap has added no job';
COMMENT ON COLUMN howdah.schedule.error IS 'why it cannot be kept; NULL: it can';
COMMENT ON COLUMN howdah.schedule.key IS
    'the key of its jobs: no job is added while one with that key waits or runs';
COMMENT ON COLUMN howdah.schedule.calendar IS
    'on the days of howdah.holiday with this calendar no job is added; NULL: none';
COMMENT ON COLUMN howdah.schedule.on_holiday IS
    'whether such a time is left out, or moves to the same time of the next day that is none of '
    'these';
COMMENT ON COLUMN howdah.schedule.skipped_hour IS
    'a time of a cron with fixed hours that the clocks leave out: run at the change, or skip it';
COMMENT ON COLUMN howdah.schedule.doubled_hour IS
    'a time of a cron with fixed hours that occurs twice: the first, or both';
COMMENT ON COLUMN howdah.schedule.options IS 'of its jobs, as howdah.add takes them';

CREATE TABLE howdah.holiday (
    calendar text NOT NULL CHECK (calendar <> '' AND length(calendar) <= 200),
    day date NOT NULL CHECK (day BETWEEN '0001-01-02' AND '9999-12-30'),
    PRIMARY KEY (calendar, day)
);
COMMENT ON TABLE howdah.holiday IS
    'Days on which schedules with that calendar add no job. May be changed at any time.';

-- Times that are planned and have not come are found anew. At the end of the transaction: until
-- then no schedule is locked. A time that has come is checked when its job is added.
CREATE FUNCTION howdah_internal.holiday_changed()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    UPDATE howdah.schedule s
    SET next_at = NULL
    WHERE s.calendar IN (
            CASE WHEN TG_OP <> 'INSERT' THEN OLD.calendar END,
            CASE WHEN TG_OP <> 'DELETE' THEN NEW.calendar END)
        AND s.next_at > now();
    IF FOUND THEN
        PERFORM howdah_internal.tell('howdah_job_schedule', '');
    END IF;
    RETURN NULL;
END
$howdah$;
CREATE CONSTRAINT TRIGGER holiday_changed AFTER INSERT OR UPDATE OR DELETE ON howdah.holiday
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION howdah_internal.holiday_changed();

CREATE FUNCTION howdah_internal.schedule_changed()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    -- A node finds the next time, and says what is wrong. What was planned while it was paused is
    -- not missed.
    NEW.next_at := CASE
        WHEN NEW.period IS NOT NULL AND NEW.starts_at >= now() THEN NEW.starts_at
    END;
    NEW.error := NULL;
    NEW.paused_by := CASE
        WHEN NEW.paused IS NULL THEN NULL
        WHEN TG_OP = 'UPDATE' AND OLD.paused IS NOT NULL THEN OLD.paused_by
        ELSE COALESCE(NULLIF(current_setting('howdah.actor', true), ''), session_user)
    END;
    PERFORM howdah_internal.tell('howdah_job_schedule', '');
    RETURN NEW;
END
$howdah$;
CREATE TRIGGER schedule_added BEFORE INSERT ON howdah.schedule
    FOR EACH ROW WHEN (NEW.next_at IS NULL)
    EXECUTE FUNCTION howdah_internal.schedule_changed();
CREATE TRIGGER schedule_changed BEFORE UPDATE ON howdah.schedule
    FOR EACH ROW WHEN (
        NEW.cron IS DISTINCT FROM OLD.cron
        OR NEW.period IS DISTINCT FROM OLD.period
        OR NEW.zone <> OLD.zone
        OR NEW.starts_at <> OLD.starts_at
        OR NEW.calendar IS DISTINCT FROM OLD.calendar
        OR NEW.on_holiday <> OLD.on_holiday
        OR NEW.skipped_hour <> OLD.skipped_hour
        OR NEW.doubled_hour <> OLD.doubled_hour
        OR NEW.paused IS DISTINCT FROM OLD.paused)
    EXECUTE FUNCTION howdah_internal.schedule_changed();

-- Retention ---------------------------------------------------------------------------------------

CREATE TABLE howdah.retention (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text CHECK (queue <> '' AND length(queue) <= 200),
    outcome text NOT NULL CHECK (outcome IN ('done', 'failed', 'cancelled')),
    keep interval NOT NULL,
    archive text,
    by_default boolean NOT NULL DEFAULT false,
    upto bigint NOT NULL DEFAULT 0,
    removed bigint NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    error text
);
CREATE UNIQUE INDEX retention_of ON howdah.retention (COALESCE(queue, ''), outcome);
COMMENT ON TABLE howdah.retention IS
    'The retention of ended jobs, where it is not that of the nodes. howdah.retain writes here.';
COMMENT ON COLUMN howdah.retention.queue IS 'NULL: all queues that have no row of their own';
COMMENT ON COLUMN howdah.retention.archive IS
    'the table or the function that gets what is removed; NULL: none';
COMMENT ON COLUMN howdah.retention.by_default IS
    'a node has added it for what the nodes say, since there is a rule for another queue';
COMMENT ON COLUMN howdah.retention.upto IS
    'of what is done: all batches up to this one have been removed, or belong to other queues, or '
    'are in howdah_internal.retention_late';
COMMENT ON COLUMN howdah.retention.removed IS 'how many jobs it has removed so far';
COMMENT ON COLUMN howdah.retention.next_at IS 'when a node looks again for what is to be removed';
COMMENT ON COLUMN howdah.retention.error IS
    'why nothing is removed at present; NULL: nothing is wrong';

CREATE TABLE howdah_internal.retention_late (
    rule integer NOT NULL,
    batch bigint NOT NULL,
    PRIMARY KEY (rule, batch)
);
COMMENT ON TABLE howdah_internal.retention_late IS
    'Batches before the mark of a row of howdah.retention that had not ended when it passed them.';

-- A statement that is planned once for all locks the tables of all days of the history, and their
-- indexes. The lock table is that of the whole server: where it is full, sessions of other
-- databases fail. So a day counts as 16 of its places, which leaves half of them to others while
-- four nodes claim.
CREATE FUNCTION howdah_internal.retention_fits()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    sessions CONSTANT integer := current_setting('max_connections')::integer
        + current_setting('max_prepared_transactions')::integer;
    each CONSTANT integer := current_setting('max_locks_per_transaction')::integer;
    days CONSTANT numeric := ceil(extract(epoch FROM NEW.keep) / 86400);
BEGIN
    IF days * 16 > each::bigint * sessions THEN
        RAISE 'a retention of % days: there is a table for each day, and the lock table of this '
            'server bears % of them', days, each::bigint * sessions / 16
            USING ERRCODE = 'configuration_limit_exceeded',
                HINT = format(
                    'Set max_locks_per_transaction to %s or more, instead of %s, and restart the '
                    'server.', ceil(days * 16 / sessions), each);
    END IF;
    RETURN NEW;
END
$howdah$;
CREATE TRIGGER retention_fits BEFORE INSERT OR UPDATE OF keep ON howdah.retention
    FOR EACH ROW WHEN (NEW.outcome = 'done' AND NOT NEW.by_default)
    EXECUTE FUNCTION howdah_internal.retention_fits();
