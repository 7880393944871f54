-- What the commands of howdah job ask. All columns that people read come as text.

-- name: command_add
-- $1 the queue, $2 the kind, $3 the payload, $4 the priority, $5 the time, $6 the delay, $7 the
-- key.
SELECT a.id, a.added
FROM howdah.add(
    $1, $2, $3::json, priority => $4::integer, run_at => $5::timestamptz, delay => $6::interval,
    key => $7) a;

-- name: command_list
-- $1 the state or NULL: all but what is done, $2 the queue or NULL, $3 the kind or NULL, $4 how
-- many at most, $5 the day of what is done, or NULL: today and yesterday.
SELECT j.id, j.state, j.queue, j.kind, j.priority, j.attempt, j.run_at, j.ended,
    split_part(j.error, E'\n', 1) AS error, left(j.payload::text, 200) AS payload
FROM howdah.jobs j
WHERE j.state = $1
    AND (
        j.state <> 'done'
            OR j.day BETWEEN COALESCE(
                $5::date, CURRENT_DATE - 1) AND COALESCE($5::date, CURRENT_DATE + 1))
    AND j.queue = COALESCE($2, j.queue)
    AND j.kind = COALESCE($3, j.kind)
ORDER BY j.id DESC LIMIT $4;

-- name: command_show
SELECT j.id, j.state, j.queue, j.kind, j.priority, j.attempt, j.created, j.run_at, j.begun, j.ended,
    j.node, j.error, j.result, j.payload
FROM howdah.find($1) j;

-- name: command_cancel
SELECT $1::bigint AS id, howdah.cancel($1) AS state;

-- name: command_state
SELECT j.state FROM howdah.find($1) j;

-- name: command_retry
-- An id that does not exist is no error of the statement: the other ids go on.
SELECT $1::bigint AS id,
    CASE WHEN EXISTS (SELECT FROM howdah.find($1)) THEN howdah.retry($1) ELSE false END AS retried;

-- name: command_pause
SELECT howdah.pause($1, $2) AS changed;

-- name: command_resume
SELECT howdah.resume($1, $2) AS changed;

-- name: command_errors
-- $1 the queue or NULL, $2 how many at most.
SELECT e.jobs, e.state, e.queue, e.kind, e.error
FROM howdah.errors e
WHERE e.queue = COALESCE($1, e.queue)
ORDER BY e.jobs DESC, e.error LIMIT $2;

-- name: command_stats
-- $1 the queue or NULL, $2 how many hours back.
SELECT s.hour, s.queue, s.kind, s.done, s.retried, s.failed, s.cancelled, s.run_average,
    s.run_longest
FROM howdah.stats_hourly s
WHERE s.queue = COALESCE($1, s.queue) AND s.hour > now() - $2::integer * interval '1 hour'
ORDER BY s.hour DESC, s.queue, s.kind;

-- name: command_sql_role
-- What a role is that jobs of kind sql are to run as. $1 the role.
SELECT r.rolcanlogin, r.rolsuper, pg_has_role(r.oid, c.relowner, 'MEMBER'),
    has_schema_privilege(r.oid, 'howdah', 'USAGE')
        AND has_function_privilege(r.oid, 'howdah.begin_own(integer, bigint, bigint)', 'EXECUTE')
FROM pg_roles r
CROSS JOIN pg_class c
WHERE r.rolname = $1 AND c.oid = 'howdah.job'::regclass;

-- name: command_allow_handler
-- $1 the role.
SELECT howdah.allow($1::text::regrole, 'handler')::text;

-- name: command_delegate
-- $1 the queues, $2 the role.
SELECT howdah.delegate(q.queue, 'sql', $2)::text
FROM unnest($1::text[]) AS q (queue);

-- name: command_who
SELECT session_user::text;
