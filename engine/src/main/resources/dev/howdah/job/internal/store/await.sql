-- What a program does that waits for the end of jobs.

-- name: job_await_add
-- $1 the jobs, $2 the waiter.
SELECT howdah_internal.await_jobs($1::bigint[], $2::bigint)::text;

-- name: job_await_remove
-- $1 the jobs, $2 the waiter.
SELECT howdah_internal.await_over($1::bigint[], $2::bigint)::text;
