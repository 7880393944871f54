-- The public functions and views that commands of howdah job call and read. Reading and changing
-- single jobs is done through the library. All columns that people read come as text.

-- name: command_add
-- $1 the queue, $2 the kind, $3 the payload, $4 the priority, $5 the time, $6 the delay, $7 the
-- key, $8 the options.
SELECT a.id, a.added
FROM howdah.add(
    $1, $2, $3::json, priority => $4::integer, run_at => $5::timestamptz, delay => $6::interval,
    key => $7, options => $8::jsonb) a;

-- name: command_job_tables
-- The version of the tables of jobs; 0: there are none.
SELECT coalesce(max(m.version), 0)
FROM howdah.migration m
WHERE m.feature = 'job';

-- name: command_wait(job, millis)
-- :millis for how many milliseconds at most.
SELECT w.state, w.result::text, w.error
FROM howdah.wait_job(:job, :millis::bigint * interval '1 millisecond') w;

-- name: command_stats(queue, hours)
-- :queue the queue or NULL, :hours how many hours back.
SELECT s.hour, s.queue, s.kind, s.done, s.retried, s.failed, s.cancelled, s.run_average,
    s.run_longest
FROM howdah.stats_hourly s
WHERE s.queue = COALESCE(:queue, s.queue) AND s.hour > now() - :hours::integer * interval '1 hour'
ORDER BY s.hour DESC, s.queue, s.kind;

-- name: command_sql_role
-- What a role is that jobs of kind sql are to run as.
SELECT r.rolcanlogin, r.rolsuper, pg_has_role(r.oid, c.relowner, 'MEMBER'),
    has_schema_privilege(r.oid, 'howdah', 'USAGE')
        AND has_schema_privilege(r.oid, 'howdah_internal', 'USAGE')
        AND has_function_privilege(r.oid, 'howdah_internal.begin_own(integer, bigint, bigint)',
            'EXECUTE')
FROM pg_roles r
CROSS JOIN pg_class c
WHERE r.rolname = :role AND c.oid = 'howdah_internal.job'::regclass;

-- name: command_allow_handler
SELECT howdah.allow(:role::text::regrole, 'handler')::text;

-- name: command_delegate(queues, role)
SELECT howdah.delegate(q.queue, 'sql', :role)::text
FROM unnest(:queues::text[]) AS q (queue);

-- name: command_who
SELECT session_user::text;

-- name: command_schedule_put
-- $1 the name, $2 the queue, $3 the kind, $4 the payload, $5 the cron or NULL, $6 the period or
-- NULL, $7 the zone, $8 what becomes of missed times, $9 the priority, $10 from when on, or NULL,
-- $11 what becomes of a time while the last job has not ended, $12 the jitter, $13 the longest
-- catch-up or NULL, $14 the key, $15 the calendar or NULL, $16 what becomes of a time on a holiday,
-- $17 of one that the clocks leave out, $18 of one that occurs twice; $19 the options of its jobs.
SELECT howdah.schedule(
    $1, $2, $3, $4::json, $5, $6::interval, $7, $8, $9::integer, $10::timestamptz, $11,
    $12::interval, $13::interval, $14, $15, $16, $17, $18, $19::jsonb) IS NOT NULL;

-- name: command_schedule_state
SELECT s.paused IS NOT NULL AS paused, s.error FROM howdah.schedule s WHERE s.name = :name;

-- name: command_schedule_next(name, most)
-- :most how many.
SELECT r AS run_at
FROM howdah.schedule_runs(:name, :most::integer, GREATEST(
    now(), (
        SELECT s.starts_at - interval '1 microsecond'
        FROM howdah.schedule s
        WHERE s.name = :name))) AS r;

-- name: command_cron_next
-- $1 the cron, $2 the zone, $3 how many; $4 what becomes of a time that the clocks leave out, $5 of
-- one that occurs twice, $6 the calendar or NULL, $7 what becomes of a time on a holiday.
SELECT r AS run_at
FROM howdah.next_runs($1, $2, $3::integer, now(), $4, $5, $6, $7) AS r;

-- name: command_calendar_show
SELECT h.day::text AS day FROM howdah.holiday h WHERE h.calendar = :calendar ORDER BY h.day;

-- name: command_tag_stats
-- :hours how many hours back.
SELECT date_trunc('hour', t.minute) AS hour, t.tag, sum(t.done)::bigint AS done,
    sum(t.retried)::bigint AS retried, sum(t.failed)::bigint AS failed,
    sum(t.cancelled)::bigint AS cancelled, sum(t.died)::bigint AS died
FROM howdah.tag_stats t
WHERE t.minute >= now() - :hours::integer * interval '1 hour'
GROUP BY 1, 2
ORDER BY 1 DESC, 2;

-- name: command_workflow_add_jobs(workflow, jobs)
SELECT a.id FROM howdah.add_to_workflow(:workflow, :jobs::json) AS a (id);

-- name: command_workflow_show
SELECT w.id, w.name, w.state, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks, w.created, w.ended
FROM howdah.workflows w
WHERE w.id = :workflow;

-- name: command_workflow_jobs
SELECT j.id, j.name, j.state, j.kind, array_to_string(j.after, ', ') AS after,
    left(j.result::text, 100) AS result, j.error
FROM howdah.workflow_jobs j
WHERE j.workflow = :workflow
ORDER BY j.id;

-- name: command_pipeline_put(name, stages)
SELECT howdah.put_pipeline(:name, :stages::json)::text;

-- name: command_pipeline_add(name, input)
SELECT howdah.add_to_pipeline(:name, :input::json) AS id;

