-- Changes of jobs that wait -----------------------------------------------------------------------

CREATE FUNCTION howdah_internal.set_payload(id bigint, payload json, was json DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    place text;
    old json;
    about jsonb;
    kept json;
    known integer;
BEGIN
    -- In the order in which a job moves on.
    FOREACH place IN ARRAY ARRAY['ordered', 'follower', 'job'] LOOP
        EXECUTE format('SELECT payload, more FROM howdah_internal.%I WHERE id = $1 FOR UPDATE',
            place)
        INTO old, about
        USING set_payload.id;
        GET DIAGNOSTICS known = ROW_COUNT;
        EXIT WHEN known > 0;
    END LOOP;
    IF known = 0 THEN
        PERFORM howdah_internal.check_job(set_payload.id);
        RETURN false;
    END IF;
    old := COALESCE(
        old,
        (SELECT b.payload FROM howdah_internal.body b WHERE b.job = set_payload.id));
    IF about ? 'waits'
        OR EXISTS (SELECT FROM howdah_internal.job_step s WHERE s.job = set_payload.id) THEN
        RAISE 'job % has recorded what it has done with its payload, which stays as it is',
            set_payload.id
            USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF about ->> 'key' = howdah_internal.payload_key(old) THEN
        RAISE 'job % is unique by its payload, which stays as it is: cancel it, and add another '
            'one', set_payload.id
            USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF set_payload.was IS NOT NULL AND howdah_internal.payload_jsonb(set_payload.was)
        <> howdah_internal.payload_jsonb(old) THEN
        RAISE 'the payload of job % has been changed meanwhile', set_payload.id
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    DELETE FROM howdah_internal.body b WHERE b.job = set_payload.id;
    kept := howdah_internal.put_body(set_payload.id, COALESCE(set_payload.payload, 'null'));
    EXECUTE format('UPDATE howdah_internal.%I SET payload = $2 WHERE id = $1', place)
    USING set_payload.id, kept;
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.set_payload(bigint, json, json) IS
    'Gives a job that waits another payload; false, if it does not wait; an error, if there is no '
    'such job, if it has records or is unique by its payload, or if its payload is another one '
    'than was says.';

CREATE FUNCTION howdah_internal.reschedule(id bigint, run_at timestamptz)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    in_lane integer;
    wait text;
    numbered integer;
BEGIN
    IF reschedule.run_at IS NULL
        OR reschedule.run_at > now() + interval '400 years'
        OR reschedule.run_at = '-infinity' THEN
        RAISE 'job % is to be due at %: it has to be within 400 years', reschedule.id,
            COALESCE(reschedule.run_at::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- In the order in which a job moves on.
    UPDATE howdah_internal.follower f
    SET run_at = reschedule.run_at
    WHERE f.id = reschedule.id;
    IF FOUND THEN
        RETURN true;
    END IF;
    UPDATE howdah_internal.ordered o
    SET run_at = reschedule.run_at
    WHERE o.id = reschedule.id;
    IF FOUND THEN
        RETURN true;
    END IF;
    UPDATE howdah_internal.job j
    SET run_at = reschedule.run_at,
        more = COALESCE(j.more, '{}') || jsonb_build_object(
            'created', COALESCE(j.more -> 'created', to_jsonb(j.run_at)))
    WHERE j.id = reschedule.id
        -- A wait without a time has none that could be another one.
        AND (j.more -> 'wait' IS NULL OR j.run_at <= now() + interval '500 years')
    RETURNING j.lane, j.more -> 'wait' ->> 'type', (j.more ->> 'waits')::integer
    INTO in_lane, wait, numbered;
    IF FOUND THEN
        IF wait NOT IN ('diverged', 'version') THEN
            UPDATE howdah_internal.job_record r
            SET until = reschedule.run_at
            WHERE r.job = reschedule.id AND r.number = numbered AND r.closed IS NULL;
            UPDATE howdah_internal.awaited w
            SET until = GREATEST(w.until, reschedule.run_at + interval '1 day')
            WHERE w.waiter = reschedule.id;
        END IF;
        PERFORM howdah_internal.ring(in_lane);
        RETURN true;
    END IF;
    PERFORM howdah_internal.check_job(reschedule.id);
    RETURN false;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.reschedule(bigint, timestamptz) IS
    'Makes a job that waits due at another time; of one that waits in its handler, the end of its '
    'time; false, if it does not wait, or waits for something that has no time; an error, if there '
    'is no such job.';
