-- Recovery of the jobs of crashed nodes, and retention.

-- name: job_watch
-- What a node asks from time to time: whether lanes were made, whether something is left of keys
-- or of cancelled jobs, in how many milliseconds a schedule is due, whether a job waits to be let
-- in, which limits there are, whether something is left to do for workflows or for signals, whether
-- a retention is due, and whether transactions have left notifications.
-- Nothing here grows with lanes: a number that another one follows when a lane is made, or when a
-- log is read there, and a lane may commit long after its number was taken.
SELECT howdah_internal.lanes_made() + (SELECT count(*) FROM howdah_internal.log_reader) AS lanes,
    EXISTS (SELECT FROM howdah_internal.key_late)
        OR EXISTS (SELECT FROM howdah_internal.cancellation) AS by_hand,
    (
        SELECT GREATEST(
            COALESCE(extract(epoch FROM s.next_at - clock_timestamp()) * 1000, 0), 0)::bigint
        FROM howdah.schedule s
        WHERE s.paused IS NULL AND s.error IS NULL
        ORDER BY s.next_at NULLS FIRST
        LIMIT 1) AS schedule_in,
    EXISTS (SELECT FROM howdah_internal.ordered o WHERE o.fresh)
        OR EXISTS (SELECT FROM howdah_internal.order_key k WHERE k.job IS NULL) AS ordered,
    howdah_internal.limits_known() AS limits,
    EXISTS (SELECT FROM howdah_internal.workflow_event)
        OR EXISTS (
            SELECT
            FROM howdah_internal.workflow w
            WHERE w.ended IS NULL
                AND (
                    w.cancel_asked IS NOT NULL
                    OR NOT w.open AND w.total = w.done + w.failed + w.cancelled)) AS workflows,
    EXISTS (SELECT FROM howdah_internal.job_signal s WHERE s.fresh)
        OR EXISTS (SELECT FROM howdah_internal.job_record r WHERE r.fresh)
        OR EXISTS (SELECT FROM howdah_internal.child_end e WHERE e.fresh)
        OR EXISTS (SELECT FROM howdah_internal.awaited_end)
        OR EXISTS (SELECT FROM howdah_internal.job_event e WHERE e.fresh)
        OR EXISTS (
            SELECT FROM howdah_internal.awaited w WHERE w.look <= clock_timestamp()) AS signals,
    EXISTS (SELECT FROM howdah.retention r WHERE r.next_at <= clock_timestamp()) AS retention,
    EXISTS (SELECT FROM howdah_internal.log_queue) AS log_queues,
    howdah_internal.bell_waits() AS bells;

-- name: bell_answer
SELECT howdah_internal.bell_answer();

-- name: transaction_end_own
-- Handlers of a dead node that are in the middle of their job's transaction keep the job from going
-- on elsewhere. $1 the node.
SELECT count(pg_terminate_backend(l.pid))
FROM pg_locks l
WHERE l.locktype = 'advisory'
    AND l.classid = 1215264880
    AND l.objid = $1
    AND l.objsubid = 2
    AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());

-- name: batch_orphans
-- Open batches of nodes that have none according to their rows: the node claimed them in the moment
-- it was declared dead.
SELECT DISTINCT b.node
FROM howdah_internal.batch b
WHERE b.ended IS NULL
    AND NOT EXISTS (
        SELECT
        FROM howdah_internal.node n
        WHERE n.id = b.node AND n.features @> ARRAY['job'])
UNION
SELECT l.node
FROM howdah_internal.log_lease l
WHERE l.node IS NOT NULL
    AND NOT EXISTS (
        SELECT
        FROM howdah_internal.node n
        WHERE n.id = l.node AND n.features @> ARRAY['job']);

-- name: day_make
SELECT howdah.make_days();

-- name: day_may_make
-- Who only adds may not, and need not.
SELECT has_function_privilege('howdah.make_days()', 'EXECUTE');

-- name: day_drop
SELECT howdah_internal.drop_day(:table)::text;

-- name: day_lock
-- One keeps house at a time; until the end of the transaction.
SELECT pg_try_advisory_xact_lock(1215264876, 0);

-- name: day_list_old
-- Tables of days that are older than :days days and have no open batch. What is open that long
-- moves on by itself. A day that is to be archived stays until that is done.
SELECT c.relname
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'howdah_internal.batch'::regclass AND c.relname ~ '^batch_[0-9]{8}$'
    AND to_date(substr(c.relname, 7), 'YYYYMMDD') < CURRENT_DATE - :days::integer
    AND NOT EXISTS (SELECT FROM howdah_internal.batch b
                    WHERE b.day = to_date(substr(c.relname, 7), 'YYYYMMDD') AND b.ended IS NULL)
    AND NOT EXISTS (
        SELECT
        FROM howdah.retention r
        WHERE r.outcome = 'done'
            AND r.archive IS NOT NULL
            AND (
                r.upto < (
                    SELECT max(b.id)
                    FROM howdah_internal.batch b
                    WHERE b.day = to_date(substr(c.relname, 7), 'YYYYMMDD'))
                OR EXISTS (
                    SELECT
                    FROM howdah_internal.retention_late t
                    JOIN howdah_internal.batch b ON b.id = t.batch
                    WHERE t.rule = r.id AND b.day = to_date(substr(c.relname, 7), 'YYYYMMDD'))));

-- name: retention_days
-- For how many days the history of what is done is kept, in whole days: where a queue keeps it
-- longer, for as long as that. :days for how many days the nodes say.
SELECT GREATEST(
    CASE WHEN bool_or(r.queue IS NULL) THEN 0 ELSE :days::integer END,
    max(ceil(extract(epoch FROM r.keep) / 86400)))::integer
FROM howdah.retention r
WHERE r.outcome = 'done';

-- name: retention_rest(days, failed_days)
-- Where a queue keeps what is done longer than the nodes say, the others have a rule as well: their
-- part of a day goes before the table of that day. Where there are rules for failed or cancelled
-- jobs, all others of both have one, so that those that are kept longer are not read again and
-- again. :days for how many days the nodes say, :failed_days the same for failed jobs.
WITH needed AS (
    SELECT 'done' AS outcome, (:days::integer + 1) * interval '1 day' AS keep
    WHERE EXISTS (
        SELECT
        FROM howdah.retention r
        WHERE r.outcome = 'done'
            AND r.queue IS NOT NULL
            AND r.keep > :days::integer * interval '1 day')
    UNION ALL
    SELECT o.outcome, :failed_days::integer * interval '1 day'
    FROM unnest('{failed,cancelled}'::text[]) AS o (outcome)
    WHERE EXISTS (
        SELECT
        FROM howdah.retention r
        WHERE r.outcome <> 'done' AND NOT r.by_default)
), gone AS (
    DELETE FROM howdah.retention r
    WHERE r.by_default AND NOT EXISTS (SELECT FROM needed n WHERE n.outcome = r.outcome)
)
INSERT INTO howdah.retention AS r (queue, outcome, keep, by_default)
SELECT NULL, n.outcome, n.keep, true
FROM needed n
ON CONFLICT (COALESCE(queue, ''), outcome) DO UPDATE
SET keep = EXCLUDED.keep
WHERE r.by_default AND r.keep <> EXCLUDED.keep;

-- name: retention_step
-- :most how many batches or jobs at most.
SELECT s.rule, s.problem FROM howdah_internal.retention_step(:most::integer) s;

-- name: retention_put(queue, outcome, micros, archive)
-- :queue the queue or NULL, :micros in how many microseconds or NULL, :archive the archive or NULL.
SELECT howdah.retain(
    :queue::text, :outcome::text, :micros::bigint OPERATOR(pg_catalog.*) interval '1 microsecond',
    :archive::text)::text;

-- name: retention_list
SELECT r.queue, r.outcome,
    (extract(epoch FROM r.keep) OPERATOR(pg_catalog.*) 1000000)::bigint AS micros, r.archive,
    r.removed, r.error
FROM howdah.retention r
WHERE NOT r.by_default
ORDER BY r.queue NULLS FIRST, r.outcome;

-- name: failed_delete_old(days, most)
-- Where there are rules for some of them, rules remove all of them. :days how many days failed jobs
-- are kept, :most how many go at most.
WITH gone AS (
    DELETE FROM howdah_internal.failed f
    WHERE f.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.failed o
        WHERE o.ended < now() - :days::integer * interval '1 day'
            AND NOT EXISTS (SELECT FROM howdah.retention r WHERE r.outcome <> 'done')
        ORDER BY o.ended
        LIMIT :most
        FOR UPDATE OF o SKIP LOCKED))
    RETURNING f.id
), bodies AS (
    DELETE FROM howdah_internal.body b WHERE b.job IN (SELECT g.id FROM gone g)
)
SELECT count(*) FROM gone;

-- name: job_log_delete_old(days, most)
-- Lines are kept as long as the history of what is done. :days how many days, :most how many go at
-- most.
WITH gone AS (
    DELETE FROM howdah.log l
    WHERE l.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah.log o
        WHERE o.at < now() - :days::integer * interval '1 day'
        ORDER BY o.at
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: job_progress_delete_old(days, most)
-- As job_log_delete_old.
WITH gone AS (
    DELETE FROM howdah.progress p
    WHERE p.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah.progress o
        WHERE o.at < now() - :days::integer * interval '1 day'
        ORDER BY o.at
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: job_notes_write
-- What handlers have said since the last time. For each job that is further: $1 its id, $2 the
-- token of its attempt, $3 how far it is, $4 the message or NULL, $5 how many milliseconds ago; for
-- each line: $6 the id of the job, $7 its attempt, $8 the text, $9 how many milliseconds ago.
WITH further AS (
    INSERT INTO howdah.progress AS p (job, token, at, done, message)
    SELECT a.job, a.token, clock_timestamp() - a.ago * interval '1 ms', a.done::double precision,
        a.message
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
        AS a (job, token, done, message, ago)
    ON CONFLICT (job) DO UPDATE
    SET token = excluded.token, at = excluded.at, done = excluded.done, message = excluded.message
    WHERE excluded.token >= p.token
)
INSERT INTO howdah.log (job, attempt, line, at)
SELECT a.job, a.attempt, a.line, clock_timestamp() - a.ago * interval '1 ms'
FROM unnest($6::bigint[], $7::bigint[], $8::text[], $9::bigint[])
    AS a (job, attempt, line, ago);

-- name: key_settle_late
SELECT howdah_internal.keys_late()::text;

-- name: key_delete_old(days, most)
-- Versions of keys are remembered for as long as failed jobs. :days how many days, :most how many
-- go at most.
WITH gone AS (
    DELETE FROM howdah_internal.key k
    WHERE k.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.key o
        WHERE o.ended < now() - :days::integer * interval '1 day'
        ORDER BY o.ended
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING k.job
)
SELECT count(*) FROM gone;

-- name: key_forget
-- Windows that are over are forgotten. :most how many go at most.
WITH gone AS (
    DELETE FROM howdah_internal.key k
    WHERE k.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.key o
        WHERE o.until < now() AND o.ended IS NOT NULL AND o.version IS NULL
        ORDER BY o.until
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING k.job
)
SELECT count(*) FROM gone;

-- name: cancellation_list
-- Jobs of a node whose cancellation was requested. $1 the node.
SELECT c.job FROM howdah_internal.cancellations($1) AS c (job);

-- name: job_count_left
-- Which jobs there are that have not ended; NULL: none.
SELECT 'jobs are still there: ' || NULLIF(concat_ws(', ',
    (
        SELECT count(*) || ' wait'
        FROM (
            SELECT
            FROM howdah_internal.job
            UNION ALL
            SELECT
            FROM howdah_internal.ordered
            UNION ALL
            SELECT
            FROM howdah_internal.follower
            UNION ALL
            SELECT
            FROM howdah_internal.workflow_job j
            WHERE j.state = 'held' AND NOT j.callback
            UNION ALL
            SELECT
            FROM howdah_internal.log_reader r
            CROSS JOIN LATERAL howdah_internal.log_behind(r.lane, 1000) b
            CROSS JOIN LATERAL generate_series(1, b.jobs)) w
     HAVING count(*) > 0),
    (
        SELECT sum(b.jobs) || ' run'
        FROM (
            SELECT o.jobs
            FROM howdah_internal.batch o
            WHERE o.ended IS NULL
            UNION ALL
            SELECT l.jobs
            FROM howdah_internal.log_lease l
            WHERE l.node IS NOT NULL) b
        HAVING count(*) > 0)), '');

-- name: job_serves
-- What a node takes, once when it starts. $1 the node, $2 its token, $3 the queues, $4 the kinds,
-- $5 how many jobs at the same time; $6, $7, $8 the queues, kinds and numbers of its own limits;
-- $9 the version of its program, or NULL.
UPDATE howdah_internal.node n
SET serves = n.serves || jsonb_build_object('job', jsonb_build_object(
    'queues', $3::text[], 'kinds', $4::text[], 'slots', $5::integer,
    'limits', (
        SELECT COALESCE(jsonb_agg(
            jsonb_build_object('queue', l.queue, 'kind', l.kind, 'most', l.most)), '[]')
        FROM unnest($6::text[], $7::text[], $8::integer[]) AS l (queue, kind, most))))
    || jsonb_strip_nulls(jsonb_build_object('version', $9::text))
WHERE n.id = $1 AND n.incarnation = $2::uuid;

-- name: schedule_list_unserved
-- Schedules whose jobs no node takes, for the log of a node that has said what it takes.
SELECT s.name, s.kind, s.queue
FROM howdah.schedule s
WHERE s.paused IS NULL
    AND NOT EXISTS (
        SELECT
        FROM howdah_internal.node n
        WHERE n.features @> '{job}'
            AND (n.serves -> 'job' IS NULL
                OR n.serves -> 'job' -> 'queues' @> to_jsonb(s.queue)
                    AND n.serves -> 'job' -> 'kinds' @> to_jsonb(s.kind)))
ORDER BY s.name
LIMIT 20;
