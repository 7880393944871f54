-- What a program does that waits for the end of jobs.

-- name: await_jobs
-- $1 the jobs, $2 the waiter.
SELECT howdah.await_jobs($1::bigint[], $2::bigint)::text;

-- name: await_over
-- $1 the jobs, $2 the waiter.
SELECT howdah.await_over($1::bigint[], $2::bigint)::text;
