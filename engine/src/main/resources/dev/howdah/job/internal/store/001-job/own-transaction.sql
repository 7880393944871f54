-- Handlers in their job's transaction, as a role without privileges on these tables ---------------
--
-- Such a role calls two functions in its own session: one begins, the other ends the job, and both
-- check that the kind and the queue of the job were delegated to it.

CREATE FUNCTION howdah.delegate(queue text, kind text, role text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    PERFORM howdah_internal.check_name('queue', delegate.queue),
        howdah_internal.check_name('kind', delegate.kind);
    IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = delegate.role) THEN
        RAISE 'there is no role "%"', delegate.role USING ERRCODE = 'undefined_object';
    END IF;
    INSERT INTO howdah_internal.delegate (queue, kind, role)
    VALUES (delegate.queue, delegate.kind, delegate.role)
    ON CONFLICT ON CONSTRAINT delegate_pkey DO NOTHING;
END
$howdah$;
COMMENT ON FUNCTION howdah.delegate(text, text, text) IS
    'Lets a role, which needs the duty handler as well, end jobs of that kind in that queue in '
    'the transactions of their handlers.';

CREATE FUNCTION howdah.undelegate(queue text, kind text, role text)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah_internal.delegate d
        WHERE d.queue = $1 AND d.kind = $2 AND d.role = $3
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM gone)
$howdah$;
COMMENT ON FUNCTION howdah.undelegate(text, text, text) IS
    'Takes back howdah_internal.delegate; says whether there was something to take back.';

CREATE FUNCTION howdah_internal.begin_own(of_node integer, of_batch bigint, of_token bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    of_queue text;
    of_kind text;
BEGIN
    SELECT l.queue, b.kind INTO of_queue, of_kind
    FROM howdah_internal.batch b
    JOIN howdah_internal.lane l ON l.id = b.lane
    WHERE b.id = of_batch AND b.node = of_node AND b.token = of_token
        AND COALESCE(b.ended, 'infinity') = 'infinity' AND b.alone FOR UPDATE OF b;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF NOT EXISTS (
        SELECT
        FROM howdah_internal.delegate d
        WHERE d.queue = of_queue AND d.kind = of_kind AND d.role = session_user) THEN
        RAISE 'role "%" may not end jobs of kind "%" in queue "%"', session_user, of_kind, of_queue
            USING ERRCODE = 'insufficient_privilege',
            HINT = format('SELECT howdah.delegate(%L, %L, %L)', of_queue, of_kind, session_user);
    END IF;
    -- If the node dies this shows others whose session it is.
    PERFORM pg_advisory_xact_lock_shared(1215264880, of_node);
    PERFORM set_config('howdah.own_batch', concat_ws(' ', of_batch, of_token), true);
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.begin_own(integer, bigint, bigint) IS
    'Begins a job in this transaction, for a role to which that was delegated; false: its node '
    'does not have it any more.';

CREATE FUNCTION howdah_internal.end_own(
    of_node integer, of_batch bigint, of_job bigint, with_result jsonb, began integer, ran integer,
    of_token bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    more jsonb;
    of_kind text;
BEGIN
    -- A statement that ended the transaction in which the job began has lost the job.
    IF current_setting(
        'howdah.own_batch', true) IS DISTINCT FROM concat_ws(' ', of_batch, of_token) THEN
        RETURN false;
    END IF;
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(), begins = ARRAY[began], runs = ARRAY[ran],
        details = CASE WHEN with_result IS NOT NULL THEN jsonb_build_object(
            of_job, jsonb_build_object('result', with_result)) END
    FROM howdah_internal.lane l JOIN howdah_internal.delegate d ON d.queue = l.queue
    WHERE b.id = of_batch AND b.node = of_node AND b.token = of_token
        AND COALESCE(b.ended, 'infinity') = 'infinity' AND b.alone AND b.ids = ARRAY[of_job]
        AND l.id = b.lane AND d.kind = b.kind AND d.role = session_user
    RETURNING b.rest -> of_job::text -> 'm', b.kind INTO more, of_kind;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM howdah_internal.body y WHERE y.job = of_job;
    -- Of another isolation the snapshot is as old as the transaction, older than the note perhaps.
    PERFORM howdah_internal.tell('howdah_job_ended', of_job::text),
        howdah_internal.tell_ended(ARRAY[of_job])
    WHERE current_setting('transaction_isolation') <> 'read committed'
        OR EXISTS (SELECT FROM howdah_internal.awaited w WHERE w.job = of_job);
    UPDATE howdah_internal.order_key k SET job = NULL WHERE k.job = of_job;
    IF FOUND THEN
        PERFORM howdah_internal.tell('howdah_job_order', '');
    END IF;
    PERFORM howdah_internal.keys_settle(ARRAY[of_job], true);
    IF more ? 'flow' THEN
        INSERT INTO howdah_internal.workflow_event (workflow, done, jobs)
        VALUES ((more ->> 'flow')::bigint, 1, CASE WHEN more ? 'graph' THEN jsonb_build_array(
            jsonb_build_object('id', of_job, 'state', 'done', 'result', with_result)) END);
        PERFORM howdah_internal.tell('howdah_job_workflow', '');
    END IF;
    IF more ? 'parent' THEN
        PERFORM howdah_internal.child_done(
            of_job, (more ->> 'parent')::bigint, of_kind, with_result);
    END IF;
    IF more ->> 'children' = 'always' THEN
        PERFORM howdah_internal.parent_done(ARRAY[of_job]);
    END IF;
    RETURN true;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.end_own(integer, bigint, bigint, jsonb, integer, integer,
    bigint) IS
    'Ends a job as done, in the transaction that has begun it by howdah_internal.begin_own.';
