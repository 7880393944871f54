-- Jobs that have ended, once more as new ones -----------------------------------------------------

-- Gives a new job what another one has recorded before a moment: its steps, what it has waited for,
-- and its children that have ended, as results. A child that has not ended is awaited, and goes on
-- whatever becomes of the new job.
CREATE FUNCTION howdah_internal.copy_records(
    of_job bigint, of_kind text, new_job bigint, before timestamptz)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    last integer;
    each record;
    copied bigint;
BEGIN
    INSERT INTO howdah_internal.job_step (job, kind, name, attempt, at, result, problem, stretch)
    SELECT new_job, s.kind, s.name, 1, s.at, s.result, s.problem, s.stretch
    FROM howdah_internal.job_step s
    WHERE s.job = of_job AND s.kind = of_kind AND s.at < before;
    INSERT INTO howdah_internal.job_record (
        job, number, kind, type, name, nth, at, until, closed, signal, child, child_kind, winner,
        thrown, problem, parent_end, node, awaited, ended, result, event, event_key, filter, sender,
        sent)
    SELECT new_job, r.number, r.kind, r.type, r.name, r.nth, r.at, r.until, r.closed, r.signal,
        r.child, r.child_kind, r.winner, r.thrown, COALESCE(e.error, r.problem),
        CASE WHEN r.child IS NOT NULL THEN 'leave' END, r.node, r.awaited,
        COALESCE(e.state, r.ended), COALESCE(e.result, r.result), r.event, r.event_key, r.filter,
        r.sender, r.sent
    FROM howdah_internal.job_record r
    LEFT JOIN howdah_internal.child_end e ON e.child = r.child
    WHERE r.job = of_job AND r.kind = of_kind AND r.at < before AND r.type <> 'among';
    FOR each IN
        SELECT r.type, r.name, r.nth, s.name AS signal, s.payload, s.given, s.sender, s.sent, s.read
        FROM howdah_internal.job_record r
        JOIN howdah_internal.job_signal s ON s.id = r.signal
        WHERE r.job = new_job
    LOOP
        INSERT INTO howdah_internal.job_signal (
            job, name, payload, given, sender, sent, fresh, read)
        VALUES (
            new_job, each.signal, each.payload, each.given, each.sender, each.sent, false,
            COALESCE(each.read, clock_timestamp()))
        RETURNING id INTO copied;
        UPDATE howdah_internal.job_record r
        SET signal = copied
        WHERE r.job = new_job
            AND r.kind = of_kind
            AND r.type = each.type
            AND r.name = each.name
            AND r.nth = each.nth;
    END LOOP;
    -- The ends of these are told to their parent, and to whatever else waits for them.
    INSERT INTO howdah_internal.awaited (job, waiter, until, noted, look)
    SELECT r.child, new_job, now() + interval '1000 years', now(), now() + interval '1 second'
    FROM howdah_internal.job_record r
    WHERE r.job = new_job AND r.child IS NOT NULL AND r.ended IS NULL
    ON CONFLICT (job, waiter) DO NOTHING;
    SELECT max(r.number) INTO last FROM howdah_internal.job_record r WHERE r.job = new_job;
    UPDATE howdah_internal.job j
    SET more = COALESCE(j.more, '{}') || jsonb_build_object('waits', COALESCE(last, 0))
    WHERE j.id = new_job;
    UPDATE howdah_internal.ordered o
    SET more = o.more || jsonb_build_object('waits', COALESCE(last, 0))
    WHERE o.id = new_job;
END
$howdah$;

CREATE FUNCTION howdah.rerun(id bigint, from_step text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    old howdah.jobs;
    more jsonb;
    about jsonb;
    before timestamptz;
    new_job bigint;
    is_added boolean := true;
BEGIN
    SELECT f.* INTO old FROM howdah.find(rerun.id) f LIMIT 1;
    IF old.id IS NULL THEN
        PERFORM howdah_internal.check_job(rerun.id);
    ELSIF old.state NOT IN ('done', 'failed', 'cancelled') THEN
        RAISE 'job % has not ended: it is %', rerun.id, old.state
            USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF old.payload IS NULL THEN
        RAISE 'job % is done, and its payload was too large to be kept', rerun.id
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF rerun.from_step IS NOT NULL THEN
        SELECT s.at INTO before
        FROM howdah_internal.job_step s
        WHERE s.job = rerun.id AND s.kind = old.kind AND s.name = rerun.from_step;
        IF NOT FOUND THEN
            RAISE 'job % has not recorded a step "%"', rerun.id, rerun.from_step
                USING ERRCODE = 'undefined_object';
        END IF;
    END IF;
    more := COALESCE(
        (SELECT f.more FROM howdah_internal.failed f WHERE f.id = rerun.id),
        (
            SELECT t.rest -> rerun.id::text -> 'm'
            FROM howdah.taken t
            WHERE t.first_id <= rerun.id
                AND t.last_id >= rerun.id
                AND t.ended IS NOT NULL
                AND t.id = rerun.id
                AND t.letter = 'd'
            LIMIT 1),
        '{}');
    about := jsonb_strip_nulls(jsonb_build_object(
        'tags', more -> 'tags', 'group', more -> 'group', 'weight', more -> 'weight',
        'metadata', COALESCE(NULLIF(more -> 'metadata', 'null'), '{}')
            || jsonb_build_object('rerun_of', rerun.id)));
    more := more || jsonb_strip_nulls(jsonb_build_object('ordered', more -> 'released'));
    IF more ->> 'ordered' IS NOT NULL THEN
        new_job := howdah_internal.add_ordered(
            old.queue, old.kind, old.payload, more ->> 'ordered', old.priority, about);
    ELSE
        SELECT a.id, a.added INTO new_job, is_added
        FROM howdah_internal.add(
            old.queue, old.kind, old.payload, old.priority, NULL, NULL, more ->> 'key', NULL,
            (more ->> 'attempts')::integer,
            (more ->> 'timeout')::double precision * interval '1 second', about) a;
    END IF;
    IF NOT is_added THEN
        RAISE 'job % is not run again: job % has its key "%" now', rerun.id, new_job, more ->> 'key'
            USING ERRCODE = 'unique_violation';
    END IF;
    IF before IS NOT NULL THEN
        PERFORM howdah_internal.copy_records(rerun.id, old.kind, new_job, before);
    END IF;
    RETURN new_job;
END
$howdah$;
COMMENT ON FUNCTION howdah.rerun(bigint, text) IS
    'Adds a job with the payload, key, tags and options of one that has ended, and returns its id. '
    'With from_step it has what that one had recorded before that step, which it does again.';
