-- Records of handlers that wait -------------------------------------------------------------------

CREATE FUNCTION howdah_internal.drop_record(
    id bigint, type text, name text, nth integer DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    in_lane integer;
    dropped bigint;
BEGIN
    IF drop_record.type NOT IN (
        'step', 'sleep', 'signal', 'patch', 'child', 'any', 'thrown', 'job', 'event') THEN
        RAISE 'a record of type "%" is not known: it has to be step, sleep, signal, child, any, '
            'job, event, thrown or patch', drop_record.type
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- A run that has read its records goes on with them: none may begin meanwhile.
    SELECT j.lane INTO in_lane
    FROM howdah_internal.job j
    WHERE j.id = drop_record.id
    FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM FROM howdah_internal.failed f WHERE f.id = drop_record.id FOR UPDATE;
        IF NOT FOUND THEN
            PERFORM howdah_internal.check_job(drop_record.id);
            RAISE 'job % neither waits nor has it failed: its records stay', drop_record.id
                USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
    END IF;
    IF drop_record.type = 'step' THEN
        DELETE FROM howdah_internal.job_step s
        WHERE s.job = drop_record.id AND s.name = drop_record.name;
    ELSE
        DELETE FROM howdah_internal.job_record r
        WHERE r.job = drop_record.id
            AND r.type = drop_record.type
            AND r.name = drop_record.name
            AND r.nth = COALESCE(drop_record.nth, r.nth);
    END IF;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    -- What it is suspended for is gone, or its code may fit what is left.
    UPDATE howdah_internal.job j
    SET run_at = now()
    WHERE j.id = drop_record.id
        AND dropped > 0
        AND j.run_at > now()
        AND (
            j.more -> 'wait' ->> 'type' IN ('diverged', 'version')
            OR j.more -> 'wait' ->> 'name' = drop_record.name
                AND j.more -> 'wait' ->> 'type' IN (drop_record.type, 'children'));
    IF FOUND THEN
        PERFORM howdah_internal.ring(in_lane);
    END IF;
    RETURN dropped;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.drop_record(bigint, text, text, integer) IS
    'Drops what a job that waits or has failed has recorded under that type (step, sleep, signal, '
    'child, any, job, event, thrown, patch) and name: how many records. For one that the code of '
    'its handler does not ask for any more; of waits of one name nth says which, or all go.';

CREATE FUNCTION howdah.set_version(kind text, version text, other text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    changed bigint;
    lanes integer[];
BEGIN
    WITH seen AS (
        SELECT j.id
        FROM howdah_internal.job j
        WHERE j.kind = set_version.kind AND j.more ->> 'handler' = set_version.version
        FOR UPDATE
    ), moved AS (
        UPDATE howdah_internal.job j
        SET more = jsonb_set(j.more, '{handler}', to_jsonb(set_version.other)),
            run_at = CASE WHEN j.more -> 'wait' ->> 'type' = 'version'
                THEN LEAST(j.run_at, now()) ELSE j.run_at END
        FROM seen s
        WHERE j.id = s.id
        RETURNING j.lane
    )
    SELECT count(*), array_agg(DISTINCT m.lane) INTO changed, lanes FROM moved m;
    PERFORM howdah_internal.ring(l.lane) FROM unnest(lanes) AS l (lane);
    RETURN changed;
END
$howdah$;
COMMENT ON FUNCTION howdah.set_version(text, text, text) IS
    'Lets jobs of a kind that have waited under a version of its handler go on under another one: '
    'how many. Reads all jobs that wait.';

-- The priority of a job whose handler has another one for all runs but the first: claims look for
-- jobs of it.
CREATE FUNCTION howdah_internal.resume_level(of_lane integer, of_kind text, priority smallint)
RETURNS smallint
LANGUAGE plpgsql
AS $howdah$
BEGIN
    -- In the lane of the job itself, although its kind may have one of its own by now.
    PERFORM howdah_internal.lane_of(l.queue, l.kind, priority)
    FROM howdah_internal.lane l
    WHERE l.id = of_lane;
    RETURN priority;
END
$howdah$;
