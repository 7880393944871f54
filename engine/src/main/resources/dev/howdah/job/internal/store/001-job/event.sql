-- Events: what jobs wait for that are not addressed -----------------------------------------------
--
-- An event leaves a mark (fresh), as a signal does, and so does the record of a wait for one. A
-- node wakes the jobs that an event meets, some at a time; the mark stays until it has woken all.

CREATE TABLE howdah_internal.job_event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL CHECK (topic <> '' AND length(topic) <= 200),
    key text NOT NULL CHECK (length(key) <= 200),
    payload jsonb NOT NULL,
    sender text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    until timestamptz NOT NULL,
    fresh boolean NOT NULL DEFAULT true
);
CREATE INDEX job_event_topic ON howdah_internal.job_event (topic, key, id);
CREATE INDEX job_event_fresh ON howdah_internal.job_event (id) WHERE fresh;
CREATE INDEX job_event_until ON howdah_internal.job_event (until);
COMMENT ON TABLE howdah_internal.job_event IS
    'What has happened, for jobs that wait for it. Kept until its time is over.';
COMMENT ON COLUMN howdah_internal.job_event.key IS 'what it is about; empty: nothing in particular';
COMMENT ON COLUMN howdah_internal.job_event.fresh IS
    'not all suspended jobs that wait for it are known to be woken';

-- The events that a wait of a job may read, those that it has not read yet.
CREATE FUNCTION howdah_internal.events_unread(
    of_job bigint, of_topic text, of_key text, with_filter jsonb, since timestamptz)
RETURNS SETOF howdah_internal.job_event
LANGUAGE sql STABLE
AS $howdah$
    SELECT e.*
    FROM howdah_internal.job_event e
    WHERE e.topic = of_topic
        AND e.key = of_key
        AND e.at > since
        AND e.until > now()
        AND (with_filter IS NULL OR e.payload @> with_filter)
        AND NOT EXISTS (
            SELECT FROM howdah_internal.job_record r WHERE r.job = of_job AND r.event = e.id)
$howdah$;

CREATE FUNCTION howdah_internal.emit(
    topic text, key text DEFAULT '', payload jsonb DEFAULT 'null',
    keep interval DEFAULT interval '7 days')
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    emitted bigint;
BEGIN
    PERFORM howdah_internal.check_name('topic', emit.topic);
    IF length(emit.key) > 200 THEN
        RAISE 'the key of an event has 200 characters at most, not %', length(emit.key)
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF octet_length(emit.payload::text) > 65536 THEN
        RAISE 'the payload of event "%" has % bytes: it may have 65536 at most',
            emit.topic, octet_length(emit.payload::text)
            USING ERRCODE = 'program_limit_exceeded';
    ELSIF emit.keep < interval '0' OR emit.keep > interval '1000 years' THEN
        RAISE 'event "%" is kept for %: it has to be from 0 to 1000 years', emit.topic, emit.keep
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO howdah_internal.job_event (topic, key, payload, sender, until)
    VALUES (
        emit.topic, COALESCE(emit.key, ''), COALESCE(emit.payload, 'null'),
        COALESCE(NULLIF(current_setting('howdah.actor', true), ''), session_user),
        clock_timestamp() + COALESCE(emit.keep, interval '7 days'))
    RETURNING id INTO emitted;
    PERFORM howdah_internal.tell('howdah_job_signal', '');
    RETURN emitted;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.emit(text, text, jsonb, interval) IS
    'Says that something has happened: all jobs that wait for that topic and key go on, and those '
    'that ask later, as long as it is kept. Returns the number of the event.';
