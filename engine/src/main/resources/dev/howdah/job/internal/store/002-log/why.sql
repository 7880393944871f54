-- Why a job does not run: as before, and of log queues --------------------------------------------

CREATE OR REPLACE FUNCTION howdah.why_job(id bigint)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    waiting howdah.job;
    holder xid;
    own howdah.lane;
    home howdah.lane;
    causes integer := 0;
    entry record;
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN QUERY
        SELECT 'standby', 'This server is a standby: nothing runs here, and nodes are seen on the '
            'primary only.', '{}'::jsonb, 'Ask the primary.';
        RETURN;
    END IF;
    SELECT j.* INTO waiting FROM howdah.job j WHERE j.id = why_job.id;
    IF FOUND THEN
        SELECT j.xmax INTO holder FROM howdah.job j WHERE j.id = why_job.id;
        RETURN QUERY SELECT * FROM howdah.why_locked(holder);
        causes := causes + CASE WHEN FOUND THEN 1 ELSE 0 END;
        SELECT l.* INTO own FROM howdah.lane l WHERE l.id = waiting.lane;
        home := own;
        IF own.home IS NOT NULL THEN
            SELECT l.* INTO home FROM howdah.lane l WHERE l.id = own.home;
        END IF;
        RETURN QUERY SELECT * FROM howdah.why_waits(waiting, home, own.group_name);
        IF NOT FOUND AND causes = 0 THEN
            RETURN QUERY
            SELECT 'due', 'It is due, since ' || howdah.why_span(clock_timestamp() - waiting.run_at)
                || ', and nothing known stands in its way.',
                jsonb_build_object('run_at', waiting.run_at), NULL;
        END IF;
        RETURN;
    END IF;
    SELECT f.state, f.kind, f.run_at, f.node, l.id AS lane INTO entry
    FROM howdah.log_find(why_job.id) f
    JOIN howdah.lane l ON l.queue = f.queue AND l.kind IS NULL AND l.home IS NULL;
    IF entry.state = 'waiting' THEN
        waiting.id := why_job.id;
        waiting.lane := entry.lane;
        waiting.kind := entry.kind;
        waiting.run_at := entry.run_at;
        waiting.priority := 0;
        waiting.attempt := 0;
        waiting.deaths := 0;
        SELECT l.* INTO home FROM howdah.lane l WHERE l.id = entry.lane;
        RETURN QUERY SELECT * FROM howdah.why_waits(waiting, home, NULL);
        IF NOT FOUND THEN
            RETURN QUERY
            SELECT 'due', 'It is an entry of a log queue, since '
                    || howdah.why_span(clock_timestamp() - entry.run_at)
                    || ', and begins when those before it have begun.',
                jsonb_build_object('run_at', entry.run_at), NULL;
        END IF;
        RETURN;
    ELSIF entry.state = 'running' THEN
        RETURN QUERY
        SELECT 'runs', 'Node ' || entry.node || ' has claimed it from the log queue.',
            jsonb_build_object('node', entry.node), NULL;
        RETURN;
    ELSIF entry.state = 'done' THEN
        RETURN QUERY
        SELECT 'ended', 'It is done. A log queue does not keep when.', '{}'::jsonb, NULL;
        RETURN;
    END IF;
    RETURN QUERY SELECT * FROM howdah.why_claimed(why_job.id);
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM howdah.why_follows(why_job.id);
        IF NOT FOUND THEN
            RETURN QUERY SELECT * FROM howdah.why_ended(why_job.id);
        ELSE
            RETURN QUERY
            SELECT u.*
            FROM howdah.workflow_job w
            JOIN howdah.lane l ON l.id = w.lane
            CROSS JOIN LATERAL howdah.why_unserved(l.queue, w.kind) u
            WHERE w.id = why_job.id AND w.state = 'held';
        END IF;
    END IF;
END
$howdah$;
