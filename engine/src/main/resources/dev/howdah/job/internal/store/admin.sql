-- Admin operations on jobs and queues; the functions of the migrations carry them out.

-- name: job_cancel
-- $1 the job.
SELECT howdah.cancel($1::bigint);

-- name: job_retry
-- $1 the job.
SELECT howdah.retry($1::bigint);

-- name: job_delete
-- $1 the job.
SELECT howdah.delete_job($1::bigint);

-- name: job_run_now
-- $1 the job.
SELECT howdah.hurry($1::bigint);

-- name: queue_run_retries_now
-- $1 the queue, $2 the error, or NULL.
SELECT howdah.hurry($1::text, $2::text);

-- name: job_set_tags
-- $1 the job, $2 its tags.
SELECT howdah.set_tags($1::bigint, $2::text[]);

-- name: job_set_priority
-- $1 the job, $2 the priority.
SELECT howdah.reprioritize($1::bigint, $2::integer);

-- name: queue_pause
-- $1 the queue, $2 the kind, or NULL.
SELECT howdah.pause($1::text, $2::text);

-- name: queue_resume
-- $1 the queue, $2 the kind, or NULL.
SELECT howdah.resume($1::text, $2::text);

-- name: queue_limit
-- $1 the queue, $2 how many, or NULL, $3 the kind, or NULL.
SELECT howdah.limit($1::text, $2::integer, $3::text)::text;

-- name: job_change_check
-- Says when the change begins. $1 the action, $2 the state, $3 the queue to move to, or NULL.
SELECT howdah_internal.check_change($1::text, $2::text, $3::text)::text, clock_timestamp() AS begun;

-- name: job_change_step
-- $1 the action, $2 the state, $3 the queue, $4 the kind, $5 the key, $6 a part of the error, $7
-- JSON that the payload contains, $8 from and $9 until when, $10 tags that the job has, $11
-- JSON that the metadata contain, $12 the pattern of the error, each NULL for any; $13 the queue to
-- move to, or NULL; $14 the job after which to go on, $15 how many at most, $16 the bound that the
-- first step has answered, or NULL.
SELECT c.seen, c.changed, c.next, c.bound
FROM howdah_internal.change_step(
    $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text::jsonb, $8::timestamptz,
    $9::timestamptz, $10::text[], $11::text::jsonb, $12::text, $13::text, $14::bigint,
    $15::integer, $16::bigint) c;

-- name: job_change_each
-- $1 the action, $2 the jobs, in the order in which they are locked.
SELECT count(*) FILTER (WHERE c.changed)
FROM (
    SELECT CASE $1::text WHEN 'retry' THEN howdah.retry(i.id)
            WHEN 'run_now' THEN howdah.hurry(i.id)
            WHEN 'cancel' THEN howdah.cancel(i.id) IN ('cancelled', 'asked')
            WHEN 'delete' THEN howdah.delete_job(i.id) END AS changed
    FROM unnest($2::bigint[]) WITH ORDINALITY AS i (id, place)
    OFFSET 0) c;

-- name: job_move
-- $1 the jobs, $2 the queue.
SELECT howdah.move_jobs($1::bigint[], $2::text);

-- name: job_why
-- Why a job does not run, the answer first. $1 the job.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_job($1) w;

-- name: schedule_why
-- The same of a schedule. $1 its name.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_schedule($1) w;
