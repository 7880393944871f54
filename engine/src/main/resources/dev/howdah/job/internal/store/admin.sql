-- Admin operations on jobs and queues; the functions of the migrations carry them out.

-- name: job_cancel
SELECT howdah.cancel(:job::bigint);

-- name: job_retry
SELECT howdah.retry(:job::bigint);

-- name: job_delete
SELECT howdah.delete_job(:job::bigint);

-- name: job_run_now
SELECT howdah.hurry(:job::bigint);

-- name: queue_run_retries_now(queue, error)
-- or NULL.
SELECT howdah.hurry(:queue::text, :error::text);

-- name: job_rerun(job, step)
-- :step or NULL.
SELECT howdah.rerun(:job::bigint, :step::text);

-- name: job_drop_record(job, type, name, nth)
-- :nth which of that name, or NULL.
SELECT howdah.drop_record(:job::bigint, :type::text, :name::text, :nth::integer);

-- name: job_set_payload(job, payload, was)
SELECT howdah.set_payload(:job::bigint, :payload::text::json, :was::text::json);

-- name: job_reschedule(job, at)
SELECT howdah.reschedule(:job::bigint, :at::text::timestamptz);

-- name: job_set_tags(job, tags)
SELECT howdah.set_tags(:job::bigint, :tags::text[]);

-- name: job_set_priority(job, priority)
SELECT howdah.reprioritize(:job::bigint, :priority::integer);

-- name: queue_pause(queue, kind)
-- or NULL.
SELECT howdah.pause(:queue::text, :kind::text);

-- name: queue_resume(queue, kind)
-- or NULL.
SELECT howdah.resume(:queue::text, :kind::text);

-- name: queue_limit(queue, limit, kind)
-- :limit how many, or NULL.
SELECT howdah.limit(:queue::text, :limit::integer, :kind::text)::text;

-- name: job_change_check(action, state, target)
-- Says when the change begins. :target the queue to move to, or NULL.
SELECT howdah_internal.check_change(:action::text, :state::text, :target::text)::text,
    clock_timestamp() AS begun;

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

-- name: job_change_each(action, jobs)
-- in the order in which they are locked.
SELECT count(*) FILTER (WHERE c.changed)
FROM (
    SELECT CASE :action::text WHEN 'retry' THEN howdah.retry(i.id)
            WHEN 'run_now' THEN howdah.hurry(i.id)
            WHEN 'cancel' THEN howdah.cancel(i.id) IN ('cancelled', 'asked')
            WHEN 'delete' THEN howdah.delete_job(i.id) END AS changed
    FROM unnest(:jobs::bigint[]) WITH ORDINALITY AS i (id, place)
    OFFSET 0) c;

-- name: job_move(jobs, queue)
SELECT howdah.move_jobs(:jobs::bigint[], :queue::text);

-- name: job_why
-- Why a job does not run, the answer first.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_job(:job) w;

-- name: schedule_why
-- The same of a schedule. :schedule its name.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_schedule(:schedule) w;
