-- Workflows: what nodes write when jobs of them end, and what programs ask.

-- name: workflow_count
-- Before the statement that ends these batches, in its transaction: the jobs of workflows that are
-- done in them are counted, if the batches are still this node's. They stay so until the end of the
-- transaction. $1 the node; for each batch and workflow: $2 the batch, $3 its token, $4 the
-- workflow, $5 how many of its jobs are done, $6 those that have names, with their results.
WITH counted AS (
    INSERT INTO howdah_internal.workflow_event (workflow, done, jobs)
    SELECT e.workflow, e.done, e.jobs::jsonb
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::text[])
        AS e (batch, token, workflow, done, jobs)
    CROSS JOIN LATERAL (
        SELECT b.id
        FROM howdah_internal.batch b
        WHERE b.id = e.batch
            AND b.node = $1
            AND b.token = e.token
            AND COALESCE(b.ended, 'infinity') = 'infinity'
        FOR UPDATE) b
    RETURNING 1
)
SELECT pg_notify('howdah_job_workflow', '')::text FROM (SELECT FROM counted LIMIT 1) c;

-- name: workflow_count_own
-- In the job's own transaction, behind its end. $1 the workflow, $2 the job with its result, if it
-- has a name.
INSERT INTO howdah_internal.workflow_event (workflow, done, jobs)
VALUES ($1, 1, $2::text::jsonb)
RETURNING pg_notify('howdah_job_workflow', '')::text;

-- name: workflow_settle_events
-- $1 how many events at a time.
SELECT howdah_internal.workflow_settle($1);

-- name: workflow_add
-- $1 the jobs with names, $2 the name, $3 whether it stays open, $4 the callbacks.
SELECT howdah_internal.put_workflow($1::text::json, $2::text, $3::boolean, $4::text::json);

-- name: workflow_check_open
-- $1 the workflow.
SELECT howdah_internal.workflow_keep($1::bigint)::text;

-- name: workflow_add_jobs
-- $1 the workflow, $2 how many jobs, $3 the first and $4 the last of them.
SELECT howdah_internal.workflow_added($1::bigint, $2::integer, $3::bigint, $4::bigint)::text;

-- name: workflow_join
-- Jobs with names that join an open workflow. $1 the workflow, $2 the jobs.
SELECT a.id FROM howdah.add_to_workflow($1::bigint, $2::text::json) AS a (id);

-- name: workflow_close
-- $1 the workflow.
SELECT howdah.close_workflow($1::bigint);

-- name: workflow_cancel
-- $1 the workflow.
SELECT howdah.cancel_workflow($1::bigint);

-- name: workflow_find
-- $1 the workflow.
SELECT w.id, w.name, w.state, w.created, w.ended, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks
FROM howdah.workflows w
WHERE w.id = $1;

-- name: workflow_list
-- The newest first. $1 the name or NULL, $2 only those that have not ended, $3 the ids are less
-- than this, $4 how many at most.
SELECT w.id, w.name, w.state, w.created, w.ended, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks
FROM howdah.workflows w
WHERE ($1::text IS NULL OR w.name = $1::text)
    AND (NOT $2::boolean OR w.ended IS NULL)
    AND w.id < $3::bigint
ORDER BY w.id DESC
LIMIT $4;

-- name: workflow_list_oldest
-- The other way round: $3 the ids are larger than this.
SELECT w.id, w.name, w.state, w.created, w.ended, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks
FROM howdah.workflows w
WHERE ($1::text IS NULL OR w.name = $1::text)
    AND (NOT $2::boolean OR w.ended IS NULL)
    AND w.id > $3::bigint
ORDER BY w.id
LIMIT $4;

-- name: workflow_list_jobs
-- $1 the workflow.
SELECT j.id, j.name, j.state, j.after, j.kind, j.result::text, j.error
FROM howdah.workflow_jobs j
WHERE j.workflow = $1 AND NOT j.callback
ORDER BY j.id;

-- name: workflow_list_before
-- What a job has waited for. $1 the job.
SELECT j.name, j.state, j.result::text, j.error
FROM howdah_internal.workflow_edge e
JOIN howdah_internal.workflow_job j ON j.id = e.before
WHERE e.after = $1
ORDER BY j.id;

-- name: workflow_list_pipelines
SELECT p.name, p.changed, p.stages::text FROM howdah.pipeline p ORDER BY p.name;

-- name: workflow_remove_pipeline
-- $1 the name. Whether there was one.
SELECT howdah.remove_pipeline($1::text);

-- name: workflow_delete_old
-- Workflows are kept for as long as failed jobs. $1 how many days, $2 how many go at most.
WITH gone AS (
    DELETE FROM howdah_internal.workflow w
    WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.workflow o
        WHERE o.ended < now() - $1::integer * interval '1 day'
        ORDER BY o.ended
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING w.id
), jobs AS (
    DELETE FROM howdah_internal.workflow_job j
    WHERE j.workflow IN (SELECT g.id FROM gone g)
    RETURNING j.id, j.state
), edges AS (
    DELETE FROM howdah_internal.workflow_edge e WHERE e.before IN (SELECT j.id FROM jobs j)
), bodies AS (
    DELETE FROM howdah_internal.body b
    WHERE b.job IN (SELECT j.id FROM jobs j WHERE j.state = 'held')
)
SELECT count(*) FROM gone;
