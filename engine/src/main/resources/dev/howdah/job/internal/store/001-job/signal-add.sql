-- Signals to the job that has a key, or to a new one ----------------------------------------------
--
-- The sender locks the key until it commits, as an add does. So either the end of the job that has
-- it comes first, and the sender adds a new one; or the end sees the signal, now or when it looks
-- at the key later, and the job that it adds has the signals which were not read.

CREATE FUNCTION howdah_internal.signal_or_add(
    queue text, kind text, key text, name text, payload json DEFAULT 'null',
    job json DEFAULT 'null', id text DEFAULT NULL, once boolean DEFAULT false,
    priority integer DEFAULT 0, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL, OUT of_job bigint, OUT result text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    more CONSTANT jsonb := howdah_internal.unusual(
        now(), signal_or_add.attempts, signal_or_add.timeout, signal_or_add.key, NULL,
        signal_or_add.options);
    level CONSTANT smallint := howdah_internal.check_priority(COALESCE(signal_or_add.priority, 0));
    known howdah_internal.key;
    number bigint;
BEGIN
    IF signal_or_add.options ? 'unique' THEN
        RAISE 'the option unique of a job that is added for a signal: its key alone counts'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Others may add the job, or end it, meanwhile.
    FOR look IN 1..100 LOOP
        SELECT k.* INTO known
        FROM howdah_internal.lane l
        JOIN howdah_internal.key k ON k.queue = l.id
        WHERE l.queue = signal_or_add.queue
            AND COALESCE(l.kind, '') = ''
            AND l.home IS NULL
            AND k.kind = signal_or_add.kind
            AND k.key = signal_or_add.key
        FOR UPDATE OF k;
        IF NOT FOUND OR known.ended IS NOT NULL THEN
            SELECT a.id, CASE WHEN a.added THEN 'created' END INTO of_job, result
            FROM howdah_internal.add(
                signal_or_add.queue, signal_or_add.kind, signal_or_add.job,
                signal_or_add.priority, NULL, signal_or_add.delay, signal_or_add.key, NULL,
                signal_or_add.attempts, signal_or_add.timeout, signal_or_add.options) a;
            CONTINUE WHEN result IS NULL;
            PERFORM howdah_internal.signal(
                of_job, signal_or_add.name, signal_or_add.payload, signal_or_add.id,
                signal_or_add.once);
        ELSE
            IF EXISTS (SELECT FROM howdah_internal.key_late t WHERE t.job = known.job) THEN
                PERFORM howdah_internal.keys_settle(ARRAY[known.job], false);
                CONTINUE WHEN NOT EXISTS (
                    SELECT FROM howdah_internal.key k
                    WHERE k.queue = known.queue AND k.kind = known.kind AND k.key = known.key
                        AND k.job = known.job AND k.ended IS NULL);
            END IF;
            of_job := known.job;
            result := howdah_internal.signal(
                of_job, signal_or_add.name, signal_or_add.payload, signal_or_add.id,
                signal_or_add.once);
            IF result IN ('ended', 'unknown') THEN
                PERFORM howdah_internal.keys_settle(ARRAY[of_job], false);
                CONTINUE;
            END IF;
        END IF;
        IF result <> 'duplicate' THEN
            -- Not in the statement, which would call it for each row.
            number := currval('howdah_internal.job_signal_id_seq');
            UPDATE howdah_internal.job_signal s
            SET creates = jsonb_build_object(
                'lane', howdah_internal.lane_for(
                    howdah_internal.lane_of(signal_or_add.queue, signal_or_add.kind, level), more),
                'kind', signal_or_add.kind, 'priority', level,
                -- As a text, which is as it was given.
                'payload', COALESCE(signal_or_add.job, 'null')::text,
                'delay', signal_or_add.delay, 'more', more)
            WHERE s.id = number;
        END IF;
        RETURN;
    END LOOP;
    RAISE 'signal "%" was not sent: the job with key "%" of queue % changes all the time',
        signal_or_add.name, signal_or_add.key, signal_or_add.queue
        USING ERRCODE = 'lock_not_available';
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.signal_or_add(
    text, text, text, text, json, json, text, boolean, integer, interval, integer, interval, jsonb)
    IS
    'Signals the job that has a key, as howdah.signal does; created, if none has it, for a job '
    'that is added with that key. If the job ends without having read the signal, such a job is '
    'added then, and reads it.';

-- The signals that jobs with keys have not read, and for which jobs are to be added, become those
-- of the job that has the key next, which is made if there is none. Behind the end of these jobs,
-- by the session that has locked their keys.
CREATE FUNCTION howdah_internal.signals_pass_on(jobs bigint[])
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    each record;
    next_job bigint;
BEGIN
    FOR each IN
        SELECT k.queue, k.kind, k.key, k.job, k.next, s.creates
        FROM howdah_internal.key k
        CROSS JOIN LATERAL (
            SELECT u.creates
            FROM howdah_internal.signals_unread(k.job) u
            WHERE u.creates IS NOT NULL
            ORDER BY u.id
            LIMIT 1) s
        WHERE k.job = ANY (jobs)
    LOOP
        next_job := each.next;
        IF next_job IS NULL THEN
            next_job := nextval('howdah_internal.job_id_seq');
            INSERT INTO howdah_internal.follower (id, run_at, lane, priority, kind, payload, more)
            VALUES (
                next_job, now() + COALESCE((each.creates ->> 'delay')::interval, '0'),
                (each.creates ->> 'lane')::integer, (each.creates ->> 'priority')::smallint,
                each.kind,
                howdah_internal.put_body(next_job, (each.creates ->> 'payload')::json),
                each.creates -> 'more');
            UPDATE howdah_internal.key k
            SET next = next_job
            WHERE k.queue = each.queue AND k.kind = each.kind AND k.key = each.key;
        END IF;
        UPDATE howdah_internal.job_signal s
        SET job = next_job, fresh = true
        WHERE s.job = each.job AND s.read IS NULL AND s.creates IS NOT NULL;
    END LOOP;
    PERFORM howdah_internal.tell('howdah_job_signal', '');
END
$howdah$;
