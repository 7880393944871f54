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
-- :most how many events at a time.
SELECT howdah_internal.workflow_settle(:most);

-- name: workflow_add(names, name, open, callbacks)
-- :names the jobs with names, :open whether it stays open.
SELECT howdah_internal.put_workflow(:names::text::json, :name::text, :open::boolean,
    :callbacks::text::json);

-- name: workflow_check_open
SELECT howdah_internal.workflow_keep(:workflow::bigint)::text;

-- name: workflow_add_jobs(workflow, jobs, first, last)
-- :jobs how many jobs, :first the first and :last the last of them.
SELECT howdah_internal.workflow_added(:workflow::bigint, :jobs::integer, :first::bigint,
    :last::bigint)::text;

-- name: workflow_join(workflow, jobs)
-- Jobs with names that join an open workflow.
SELECT a.id FROM howdah.add_to_workflow(:workflow::bigint, :jobs::text::json) AS a (id);

-- name: workflow_close
SELECT howdah.close_workflow(:workflow::bigint);

-- name: workflow_cancel
SELECT howdah.cancel_workflow(:workflow::bigint);

-- name: workflow_find
SELECT w.id, w.name, w.state, w.created, w.ended, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks
FROM howdah.workflows w
WHERE w.id = :workflow;

-- name: workflow_list(name, open, below, most)
-- The newest first. :name the name or NULL, :open only those that have not ended, :below the ids
-- are less than this, :most how many at most.
SELECT w.id, w.name, w.state, w.created, w.ended, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks
FROM howdah.workflows w
WHERE (:name::text IS NULL OR w.name = :name::text)
    AND (NOT :open::boolean OR w.ended IS NULL)
    AND w.id < :below::bigint
ORDER BY w.id DESC
LIMIT :most;

-- name: workflow_list_oldest(name, open, above, most)
-- The other way round: :above the ids are larger than this.
SELECT w.id, w.name, w.state, w.created, w.ended, w.total, w.done, w.failed, w.cancelled, w.waiting,
    w.callbacks
FROM howdah.workflows w
WHERE (:name::text IS NULL OR w.name = :name::text)
    AND (NOT :open::boolean OR w.ended IS NULL)
    AND w.id > :above::bigint
ORDER BY w.id
LIMIT :most;

-- name: workflow_list_jobs
SELECT j.id, j.name, j.state, j.after, j.kind, j.result::text, j.error
FROM howdah.workflow_jobs j
WHERE j.workflow = :workflow AND NOT j.callback
ORDER BY j.id;

-- name: workflow_list_before
-- What a job has waited for.
SELECT j.name, j.kind, j.state, j.result::text, j.error
FROM howdah_internal.workflow_edge e
JOIN howdah_internal.workflow_job j ON j.id = e.before
WHERE e.after = :job
ORDER BY j.id;

-- name: workflow_list_pipelines
SELECT p.name, p.changed, p.stages::text FROM howdah.pipeline p ORDER BY p.name;

-- name: workflow_remove_pipeline
-- Whether there was one.
SELECT howdah.remove_pipeline(:name::text);

-- name: workflow_delete_old(days, most)
-- Workflows are kept for as long as failed jobs. :days how many days, :most how many go at most.
WITH gone AS (
    DELETE FROM howdah_internal.workflow w
    WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.workflow o
        WHERE o.ended < now() - :days::integer * interval '1 day'
        ORDER BY o.ended
        LIMIT :most
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
