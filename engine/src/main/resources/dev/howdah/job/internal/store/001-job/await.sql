CREATE FUNCTION howdah_internal.await_jobs(jobs bigint[], as_waiter bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    DELETE FROM howdah_internal.awaited w
    WHERE w.ctid = ANY (
        ARRAY(
            SELECT o.ctid
            FROM howdah_internal.awaited o
            WHERE o.until < now()
            LIMIT 1000
            FOR UPDATE SKIP LOCKED));
    INSERT INTO howdah_internal.awaited AS w (job, waiter, until)
    SELECT DISTINCT j.job, as_waiter, now() + interval '5 minutes'
    FROM unnest(jobs) AS j (job)
    ON CONFLICT (job, waiter) DO UPDATE SET until = excluded.until;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.await_jobs(bigint[], bigint) IS
    'For the library: for five minutes the end of these jobs is notified on the channel '
    'howdah_job_ended.';

CREATE FUNCTION howdah_internal.await_over(jobs bigint[], as_waiter bigint)
RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    DELETE FROM howdah_internal.awaited w WHERE w.job = ANY (jobs) AND w.waiter = as_waiter
$howdah$;
COMMENT ON FUNCTION howdah_internal.await_over(bigint[], bigint) IS
    'For the library: takes back howdah_internal.await_jobs.';

-- A function hears no notification before its transaction ends, so this one looks, less and less
-- often. Each look has a snapshot of its own, in READ COMMITTED only.
CREATE FUNCTION howdah_internal.wait_job(id bigint, timeout interval DEFAULT '1 minute')
RETURNS TABLE (state text, result jsonb, error text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    until timestamptz := clock_timestamp() + wait_job.timeout;
    pause interval := interval '5 milliseconds';
BEGIN
    IF wait_job.timeout IS NULL OR wait_job.timeout < interval '0'
        OR wait_job.timeout > interval '1 day' THEN
        RAISE 'a timeout of %: it has to be from 0 to 1 day',
            COALESCE(wait_job.timeout::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE 'howdah.wait_job in a transaction that is %: it has to be READ COMMITTED, others do '
            'not see the end of the job', upper(current_setting('transaction_isolation'))
            USING ERRCODE = 'invalid_transaction_state';
    ELSIF EXISTS (
        SELECT
        FROM howdah_internal.job j
        WHERE j.id = wait_job.id
            AND j.xmin::text
                = (txid_current_if_assigned() % 4294967296)::text) THEN
        RAISE 'job % was added by this transaction, and does not run before that ends', wait_job.id
            USING ERRCODE = 'invalid_transaction_state',
                HINT = 'Commit, then call howdah.wait_job in the next transaction.';
    END IF;
    LOOP
        SELECT f.state, f.result, f.error INTO wait_job.state, wait_job.result, wait_job.error
        FROM howdah.find(wait_job.id) f;
        IF NOT FOUND THEN
            PERFORM howdah_internal.check_job(wait_job.id);
            CONTINUE;
        END IF;
        EXIT WHEN wait_job.state IN ('done', 'failed', 'cancelled') OR clock_timestamp() >= until;
        PERFORM pg_sleep_for(LEAST(pause, until - clock_timestamp()));
        pause := LEAST(pause * 1.5, interval '250 milliseconds');
    END LOOP;
    RETURN NEXT;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.wait_job(bigint, interval) IS
    'Waits until a job is done, failed or cancelled, or the time is over: its state then, its '
    'result, its error. An error, if there is no such job, or its history has been removed.';

-- Whether a payload contains that JSON, as the operator @> of jsonb says; false for what jsonb
-- cannot hold, such as the character 0.
CREATE FUNCTION howdah_internal.payload_contains(payload json, part jsonb)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    RETURN payload::jsonb @> part;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN false;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.payload_contains(json, jsonb) IS
    'Whether the payload of a job contains that JSON.';
