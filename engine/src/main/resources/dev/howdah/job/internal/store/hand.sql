-- What is done with jobs by hand; howdah's functions in the migrations do it.

-- name: job_cancel
-- $1 the job.
SELECT howdah.cancel($1::bigint);

-- name: job_retry
-- $1 the job.
SELECT howdah.retry($1::bigint);

-- name: job_hurry
-- $1 the job.
SELECT howdah.hurry($1::bigint);

-- name: queue_hurry
-- $1 the queue, $2 the error, or NULL.
SELECT howdah.hurry($1::text, $2::text);

-- name: job_reprioritize
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

-- name: job_find
-- $1 the job.
SELECT j.id, j.queue, j.kind, j.state, j.priority, j.attempt, j.created, j.run_at, j.begun, j.ended,
    j.node, j.error, j.result::text, j.payload::text
FROM howdah.find($1) j;
