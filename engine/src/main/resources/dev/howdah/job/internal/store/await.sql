-- What a program does that waits for the end of jobs.

-- name: job_await_add(jobs, waiter)
SELECT howdah_internal.await_jobs(:jobs::bigint[], :waiter::bigint)::text;

-- name: job_await_remove(jobs, waiter)
SELECT howdah_internal.await_over(:jobs::bigint[], :waiter::bigint)::text;
