-- What other schedulers keep in a database, for the commands that take it over.

-- name: command_import_session
-- Names lead to PostgreSQL's own functions and operators alone.
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false);

-- name: command_import_source(table, extension)
-- Whether the table :table belongs to the extension :extension: one of another role's making could
-- name any role and any SQL. Also which role asks, and whether it sees all rows.
SELECT c.oid IS NOT NULL AS present,
       EXISTS (
           SELECT
           FROM pg_depend d
           JOIN pg_extension e ON e.oid = d.refobjid
           WHERE d.classid = 'pg_class'::regclass
               AND d.objid = c.oid
               AND d.refclassid = 'pg_extension'::regclass
               AND d.deptype = 'e'
               AND e.extname = :extension::text) AS genuine,
       current_user::text AS role,
       r.rolsuper OR r.rolbypassrls OR NOT COALESCE(c.relrowsecurity, false)
           OR pg_has_role(c.relowner, 'USAGE') AS sees_all
FROM (SELECT to_regclass(:table::text) AS oid) t
JOIN pg_roles r ON r.rolname = current_user
LEFT JOIN pg_class c ON c.oid = t.oid;

-- name: command_import_pg_cron
-- Older versions of pg_cron have neither jobname nor active, nor a time zone of their own.
SELECT j.jobid, to_jsonb(j) ->> 'jobname' AS name, j.username AS owner, j.schedule, j.command,
    j.database,
    CASE WHEN j.nodename IN ('localhost', '127.0.0.1', '::1', '') OR j.nodename LIKE '/%'
        THEN CASE WHEN j.nodeport <> current_setting('port')::integer
            THEN format('port %s', j.nodeport) END
        ELSE format('%s:%s', j.nodename, j.nodeport) END AS elsewhere,
    COALESCE((to_jsonb(j) ->> 'active')::boolean, true) AS active,
    COALESCE(NULLIF(current_setting('cron.timezone', true), ''), 'GMT') AS zone
FROM cron.job j
ORDER BY j.jobid;

-- name: command_import_pg_cron_disable
SELECT cron.alter_job(:job::bigint, active => false);

-- name: command_import_pgagent_schedules
-- The schedules of all jobs, with the dates and times that they leave out.
SELECT j.jobid, j.jobname AS job, j.jobhostagent AS host, s.jscid, s.jscname AS name,
    j.jobenabled AND s.jscenabled AS active, s.jscstart AS start, s.jscend AS ends,
    COALESCE(s.jscend <= now(), false) AS ended, s.jscstart > now() AS lies_ahead,
    s.jscminutes AS minutes, s.jschours AS hours,
    s.jscweekdays AS weekdays, s.jscmonthdays AS monthdays, s.jscmonths AS months,
    (SELECT string_agg(concat_ws(' ', e.jexdate, e.jextime), ', ' ORDER BY e.jexdate, e.jextime)
     FROM pgagent.pga_exception e WHERE e.jexscid = s.jscid) AS exceptions
FROM pgagent.pga_job j
JOIN pgagent.pga_schedule s ON s.jscjobid = j.jobid
ORDER BY j.jobid, s.jscid;

-- name: command_import_pgagent_steps
-- In the order in which pgAgent runs them. A string to connect with may have a password in it.
SELECT t.jstjobid AS jobid, t.jstname AS name, t.jstkind AS kind, t.jstcode AS code,
    format('%L, %L, %L', j.jobname, t.jstname, t.jstcode) AS literals,
    t.jstconnstr <> '' AS elsewhere, t.jstdbname AS database, t.jstonerror AS on_error
FROM pgagent.pga_jobstep t
JOIN pgagent.pga_job j ON j.jobid = t.jstjobid
WHERE t.jstenabled
ORDER BY t.jstjobid, t.jstname, t.jstid;

-- name: command_import_pgagent_disable
UPDATE pgagent.pga_schedule SET jscenabled = false WHERE jscid = :schedule::integer;

-- name: command_import_db_scheduler_table
-- Its table is where the search path of the session leads.
SELECT to_regclass('scheduled_tasks') IS NOT NULL AS present;

-- name: command_import_db_scheduler(task, after)
-- The executions of the task :task after the instance :after, or from the first on; none of them
-- begins while they are locked.
SELECT e.task_instance AS instance, e.task_data AS data, e.execution_time AS due, e.picked
FROM scheduled_tasks e
WHERE e.task_name = :task::text
    AND (:after::text IS NULL OR e.task_instance > :after::text)
ORDER BY e.task_instance
LIMIT 500
FOR UPDATE;

-- name: command_import_db_scheduler_move(queue, kind, payload, at, instance, task)
-- :instance becomes the key. The execution stays where a job has that key already.
WITH added AS MATERIALIZED (
    SELECT a.added
    FROM howdah.add(:queue, :kind, :payload::json, run_at => :at::timestamptz,
        key => :instance::text) a
), gone AS (
    DELETE FROM scheduled_tasks e
    USING added
    WHERE added.added AND e.task_name = :task::text AND e.task_instance = :instance::text
)
SELECT added.added
FROM added;
