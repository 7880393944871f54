CREATE FUNCTION howdah.delete_job(id bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    DELETE FROM howdah_internal.failed f WHERE f.id = delete_job.id;
    IF FOUND THEN
        DELETE FROM howdah_internal.body b WHERE b.job = delete_job.id;
        RETURN true;
    END IF;
    PERFORM howdah_internal.check_job(delete_job.id);
    RETURN false;
END
$howdah$;
COMMENT ON FUNCTION howdah.delete_job(bigint) IS
    'Deletes a job that failed or was cancelled, so that it cannot be retried any more; false, if '
    'it has done neither: cancel it first; an error, if there is no such job.';

CREATE FUNCTION howdah_internal.reprioritize(id bigint, priority integer)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    level smallint := howdah_internal.check_priority(reprioritize.priority);
    in_lane integer;
BEGIN
    UPDATE howdah_internal.job j
    SET priority = level
    WHERE j.id = reprioritize.id
    RETURNING j.lane INTO in_lane;
    IF NOT FOUND THEN
        UPDATE howdah_internal.follower f
        SET priority = level
        WHERE f.id = reprioritize.id
        RETURNING f.lane INTO in_lane;
    END IF;
    IF in_lane IS NULL THEN
        UPDATE howdah_internal.ordered o
        SET priority = level
        WHERE o.id = reprioritize.id
        RETURNING o.lane INTO in_lane;
    END IF;
    IF in_lane IS NULL THEN
        PERFORM howdah_internal.check_job(reprioritize.id);
        RETURN false;
    END IF;
    PERFORM howdah_internal.lane_of(l.queue, l.kind, level) FROM howdah_internal.lane l
        WHERE l.id = in_lane;
    PERFORM howdah_internal.ring(in_lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.reprioritize(bigint, integer) IS
    'Gives a job that waits another priority, from the next take on; false, if it does not wait; '
    'an error, if there is no such job.';

CREATE FUNCTION howdah.set_tags(id bigint, tags text[])
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    checked jsonb := howdah_internal.check_tags(to_jsonb(COALESCE(set_tags.tags, '{}')));
    wanted jsonb := CASE checked WHEN '[]' THEN '{}' ELSE jsonb_build_object('tags', checked) END;
BEGIN
    UPDATE howdah_internal.job j
    SET more = NULLIF(COALESCE(j.more, '{}') - 'tags' || wanted, '{}')
    WHERE j.id = set_tags.id;
    IF NOT FOUND THEN
        UPDATE howdah_internal.follower f
        SET more = NULLIF(COALESCE(f.more, '{}') - 'tags' || wanted, '{}')
        WHERE f.id = set_tags.id;
    END IF;
    IF NOT FOUND THEN
        UPDATE howdah_internal.ordered o
        SET more = NULLIF(COALESCE(o.more, '{}') - 'tags' || wanted, '{}')
        WHERE o.id = set_tags.id;
    END IF;
    IF NOT FOUND THEN
        PERFORM howdah_internal.check_job(set_tags.id);
        RETURN false;
    END IF;
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.set_tags(bigint, text[]) IS
    'Gives a job that waits these tags in place of those that it has; false, if it does not wait; '
    'an error, if there is no such job.';

CREATE FUNCTION howdah.pause(queue text, kind text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    lanes integer[];
    actor text := COALESCE(NULLIF(current_setting('howdah.actor', true), ''), session_user);
BEGIN
    PERFORM howdah_internal.check_known('queue', pause.queue),
        howdah_internal.lane_of(pause.queue, COALESCE(pause.kind, ''), 0::smallint);
    lanes := howdah_internal.lanes_of(pause.queue);
    IF pause.kind IS NULL THEN
        UPDATE howdah_internal.lane l
        SET paused = now(), paused_by = actor
        WHERE l.id = lanes[1] AND l.paused IS NULL;
        RETURN FOUND;
    END IF;
    PERFORM howdah_internal.check_known('kind', pause.kind);
    UPDATE howdah_internal.lane l
    SET kinds_paused = array_append(l.kinds_paused, pause.kind)
    WHERE l.id = lanes[1] AND NOT pause.kind = ANY (COALESCE(l.kinds_paused, '{}'));
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM howdah_internal.kind_lane(pause.queue, pause.kind);
    UPDATE howdah_internal.lane l
    SET paused = COALESCE(l.paused, now()),
        paused_by = CASE WHEN l.paused IS NULL THEN actor ELSE l.paused_by END
    WHERE l.queue = pause.queue AND l.kind = pause.kind AND l.home IS NULL;
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.pause(text, text) IS
    'From now on no node takes a job of that queue, or of that kind in it; false, if it was '
    'paused already. The queue need not have had a job.';

CREATE FUNCTION howdah.resume(queue text, kind text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    lanes integer[] := howdah_internal.lanes_of(resume.queue);
BEGIN
    IF resume.kind IS NULL THEN
        UPDATE howdah_internal.lane l
        SET paused = NULL, paused_by = NULL
        WHERE l.id = lanes[1] AND l.paused IS NOT NULL;
    ELSE
        UPDATE howdah_internal.lane l
        SET kinds_paused = NULLIF(array_remove(l.kinds_paused, resume.kind), '{}')
        WHERE l.id = lanes[1] AND resume.kind = ANY (l.kinds_paused);
        UPDATE howdah_internal.lane l
        SET paused = NULL, paused_by = NULL
        WHERE l.queue = resume.queue
            AND l.kind = resume.kind
            AND l.home IS NULL
            AND l.paused IS NOT NULL;
    END IF;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Nodes that are awake have found nothing here, and look rarely.
    PERFORM howdah_internal.tell('howdah_job', l.lane::text) FROM unnest(lanes) AS l (lane);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah.resume(text, text) IS
    'Jobs of that queue, or of that kind in it, are taken again; false, if it was not paused. A '
    'kind stays paused when its queue is resumed.';
