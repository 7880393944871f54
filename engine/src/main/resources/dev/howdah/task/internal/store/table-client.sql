-- What a client of the table `task` asks of it: people at a command line, programs that add tasks.
-- The scheduler's own statements are not here.

-- name: client_count
-- How many tasks meet a query, :most at most. Its condition is that of all statements with a query:
-- each value is NULL for any; :schedules whether schedules that wait or run are meant as well.
-- Columns that a table may lack are NULL then. Types are compared as text, for which no other
-- operator can be meant than PostgreSQL's own.
SELECT count(*)
FROM /*=missing:*/(
    SELECT NULL::text AS owner, NULL::text AS "sqlstate", NULL::text AS schedule
) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT
    FROM /*table*/task t
    WHERE /*=filter:*/
        (:state::text IS NULL OR t."state"::text = :state::text)
        AND (:group::text IS NULL OR t."group" = :group::text)
        AND (:owner::text IS NULL OR owner::text = :owner::text)
        AND (:text::text IS NULL
            OR position(:text::text IN t."input") > 0
            OR position(:text::text IN t."output") > 0
            OR position(:text::text IN t."error") > 0)
        AND (:input::text IS NULL OR position(:input::text IN t."input") > 0)
        AND (:error::text IS NULL OR position(:error::text IN t."error") > 0)
        AND (:sqlstate::text IS NULL OR "sqlstate"::text = :sqlstate::text)
        AND (:remote::text IS NULL OR position(:remote::text IN t."remote") > 0)
        AND (:schedule::text IS NULL OR schedule::text = :schedule::text)
        AND (:from::timestamptz IS NULL OR COALESCE(t."stop", t."plan") >= :from::timestamptz)
        AND (:until::timestamptz IS NULL OR COALESCE(t."stop", t."plan") < :until::timestamptz)
        AND (:schedules::boolean
            OR schedule IS NULL
            OR t."cron" IS NULL
            OR t."state"::text NOT IN ('PLAN', 'TAKE', 'WORK'))
        /*:filter*/
    LIMIT :most
) f;

-- name: client_last_id
-- What is added from now on is not meant by a change of all that meet a query: the attempts of
-- what it retries, above all.
SELECT COALESCE(max("id"), 0) FROM /*table*/task;

-- name: client_all_retry
-- One step: of the tasks that meet the query those after the id :after, up to :last, :rows at most.
-- Those that another session changes at this moment are left.
WITH found AS MATERIALIZED (
    /*=found:*/
    SELECT f."id"
    FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
    CROSS JOIN LATERAL (
        SELECT t."id"
        FROM /*table*/task t
        WHERE t."id" > :after AND t."id" <= :last AND /*filter:*/true/*:filter*/
        ORDER BY t."id"
        LIMIT :rows
        /*lock:*/FOR UPDATE SKIP LOCKED/*:lock*/) f
    /*:found*/
), planned AS (
    UPDATE /*table*/task AS t
    SET /*=again:*/
        -- Setting plan is what rings for the scheduler. What repeats has its next run already.
        "state" = 'PLAN', "plan" = statement_timestamp(), "start" = NULL, "stop" = NULL,
        "pid" = NULL, "output" = NULL, "error" = NULL,
        "repeat" = CASE WHEN t."state"::text = 'STOP' THEN t."repeat" ELSE '0' END,
        "cron" = CASE WHEN t."state"::text = 'STOP' THEN t."cron" END
        /*:again*/
    FROM found
    WHERE t."id" = found."id"
    RETURNING t."id"
)
SELECT (SELECT count(*) FROM found) AS seen, (SELECT count(*) FROM planned) AS changed,
    (SELECT max(f."id") FROM found f) AS next;

-- name: client_all_stop
-- As client_all_retry, of tasks that wait.
WITH found AS MATERIALIZED (
    /*found:*/SELECT 1 AS "id"/*:found*/
), stopped AS (
    UPDATE /*table*/task AS t SET "state" = 'STOP' FROM found WHERE t."id" = found."id"
    RETURNING t."id"
)
SELECT (SELECT count(*) FROM found) AS seen, (SELECT count(*) FROM stopped) AS changed,
    (SELECT max(f."id") FROM found f) AS next;

-- name: client_all_delete
-- As client_all_retry.
WITH found AS MATERIALIZED (
    /*found:*/SELECT 1 AS "id"/*:found*/
), deleted AS (
    DELETE FROM /*table*/task AS t USING found WHERE t."id" = found."id" RETURNING t."id"
)
SELECT (SELECT count(*) FROM found) AS seen, (SELECT count(*) FROM deleted) AS changed,
    (SELECT max(f."id") FROM found f) AS next;

-- name: client_all_running
-- The tasks of a step that run on this server, and are cancelled one by one.
/*found:*/SELECT 1 AS "id"/*:found*/;

-- name: client_page
-- Tasks that meet the query before the id :place, or after it where the oldest come first, up to
-- :limit, with :characters of their texts: a list is for looking at. Looks at the next :looked_at
-- tasks from there at most, and returns how far it has looked, in a row of its own.
SELECT t.*, s.searched
FROM (
    SELECT /*last:*/min(n."id")/*:last*/ AS last,
        CASE WHEN count(*) = :looked_at THEN /*last:*/min(n."id")/*:last*/ ELSE 0 END AS searched
    FROM (
        SELECT "id"
        FROM /*table*/task
        WHERE "id" /*past:*/</*:past*/ :place
        ORDER BY "id" /*way:*/DESC/*:way*/
        LIMIT :looked_at) n
) s
LEFT JOIN LATERAL (
    SELECT p.*
    FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
    CROSS JOIN LATERAL (
        SELECT /*=listed:*/
            /*=columns:*/
            "id", "parent", "plan"::timestamptz, "start"::timestamptz, "stop"::timestamptz,
            "active"::text, "repeat"::text, "timeout"::text,
            "max", "pid", "state"::text, "group", "remote", "cron", "zone", "attempts",
            "backoff"::text, "after"::text, "retry", "once", "notify", owner AS "owner"
            /*:columns*/,
            left("data", :characters) AS "data", left("input", :characters) AS "input",
            left("output", :characters) AS "output", left("error", :characters) AS "error",
            '{}' AS "others"
            /*:listed*/
        FROM /*table*/task t
        WHERE t."id" /*past:*/</*:past*/ :place
            AND t."id" /*upto:*/>=/*:upto*/ s.last
            AND /*filter:*/true/*:filter*/
        ORDER BY t."id" /*way:*/DESC/*:way*/
        LIMIT :limit) p
) t ON true
ORDER BY t."id" /*way:*/DESC/*:way*/;

-- name: client_page_planned
-- As client_page, of tasks that are planned, those after the plan :plan and the id :place: the next
-- first, or the last.
SELECT t.*, 0::bigint AS searched
FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT /*listed:*/"id", "plan"/*:listed*/
    FROM (
        SELECT *
        FROM /*table*/task
        WHERE "state" = 'PLAN' AND ("plan", "id") /*past:*/>/*:past*/ (:plan::timestamptz, :place)
        ORDER BY "plan" /*way:*/ASC/*:way*/, "id" /*way:*/ASC/*:way*/
        LIMIT :looked_at) t
    WHERE /*filter:*/true/*:filter*/
    ORDER BY t."plan" /*way:*/ASC/*:way*/, t."id" /*way:*/ASC/*:way*/
    LIMIT :limit) t
ORDER BY t."plan" /*way:*/ASC/*:way*/, t."id" /*way:*/ASC/*:way*/;

-- name: client_counts(planned, newest)
-- :planned how many planned tasks are counted at most, :newest among how many of the newest the
-- others are.
WITH newest AS MATERIALIZED (
    SELECT n."state" FROM /*table*/task n ORDER BY n."id" DESC LIMIT :newest
)
SELECT 'PLAN' AS "state", count(*) AS tasks, (SELECT count(*) FROM newest) AS newest
FROM (SELECT FROM /*table*/task WHERE "state" = 'PLAN' LIMIT :planned) p
UNION ALL
SELECT b."state"::text, count(*), 0
FROM /*table*/task b
WHERE b."state" IN ('TAKE', 'WORK')
GROUP BY b."state"
UNION ALL
SELECT n."state"::text, count(*), 0
FROM newest n
WHERE n."state" NOT IN ('PLAN', 'TAKE', 'WORK')
GROUP BY n."state";

-- name: client_course(newest, step, first, group)
-- Of the newest :newest tasks: how many began and ended in each step of :step seconds from the
-- second :first on, and how long those that began had been due: half of them at most, and 95 of 100
-- of them; of :group, or NULL for all. Each row says how many tasks were looked at; one row without
-- a time: none began or ended.
WITH looked AS MATERIALIZED (
    SELECT t."group" AS name, t.plan, t.start, t.stop, t.state::text AS state
    FROM /*table*/public.task t
    ORDER BY t.id DESC
    LIMIT :newest
), seen AS (
    SELECT l.* FROM looked l WHERE :group::text IS NULL OR l.name = :group
), steps AS (
    SELECT floor(extract(epoch FROM e.at) / :step::integer) * :step AS second,
        count(*) FILTER (WHERE e.state IS NULL) AS started,
        count(*) FILTER (WHERE e.state IN ('DONE', 'GONE')) AS done,
        count(*) FILTER (WHERE e.state = 'FAIL') AS failed,
        count(*) FILTER (WHERE e.state = 'STOP') AS stopped,
        percentile_cont('{0.5, 0.95}'::float8[]) WITHIN GROUP (ORDER BY e.waited) AS waited
    FROM (
        SELECT s.start AS at, NULL AS state,
            GREATEST(extract(epoch FROM s.start - s.plan), 0)::float8 AS waited
        FROM seen s
        WHERE s.start >= to_timestamp(:first::bigint) AND isfinite(s.plan)
        UNION ALL
        SELECT s.stop, s.state, NULL FROM seen s WHERE s.stop >= to_timestamp(:first::bigint)) e
    GROUP BY 1
)
SELECT (SELECT count(*) FROM looked) AS looked, to_timestamp(p.second) AS time, p.started, p.done,
    p.failed, p.stopped, p.waited
FROM (SELECT) one
LEFT JOIN steps p ON true
ORDER BY p.second;

-- name: client_groups(due, most)
-- Groups with tasks that run, or are among the first :due that are due; those with the most due
-- ones first. :most how many groups.
SELECT g."group", g."remote", sum(g.running)::bigint AS running, sum(g.due)::bigint AS due,
    min(g.oldest) AS oldest, max(g."max") AS "max"
FROM (
    SELECT b."group", b."remote", count(*) AS running, 0 AS due, NULL::timestamptz AS oldest,
        max(b."max") AS "max"
    FROM /*table*/task b
    WHERE b."state" IN ('TAKE', 'WORK')
    GROUP BY b."group", b."remote"
    UNION ALL
    SELECT d."group", d."remote", 0, count(*), min(d."plan"), max(d."max")
    FROM (
        SELECT "group", "remote", "plan", "max"
        FROM /*table*/task
        WHERE "state" = 'PLAN' AND "plan" <= now()
        ORDER BY "plan", "id"
        LIMIT :due) d
    GROUP BY d."group", d."remote") g
GROUP BY g."group", g."remote"
ORDER BY sum(g.due) DESC, sum(g.running) DESC, g."group", g."remote"
LIMIT :most;

-- name: client_events(open, floors, seen, tasks, most)
-- The states of tasks with ids after :floors of those of the transactions :open that have ended, of
-- which one is 0, without what was written before any transaction that ran at the snapshot :seen
-- began: they are added; :most at most. And of 200 that run, of 200 that are due within seconds,
-- and of the tasks :tasks.
WITH since AS MATERIALIZED (
    SELECT txid_snapshot_xmin(s.seen) AS xmin, txid_snapshot_xmax(txid_current_snapshot()) AS upto,
        (
            SELECT min(o.floor)
            FROM unnest(:open::bigint[], :floors::bigint[]) AS o (number, floor)
            WHERE txid_visible_in_snapshot(o.number, txid_current_snapshot())) AS after
    FROM (SELECT :seen::txid_snapshot AS seen) s
)
SELECT m.last, e.id, e.state, e.added,
    txid_current_snapshot()::text AS seen,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis
FROM (SELECT COALESCE((SELECT max(a."id") FROM /*table*/task a), 0) AS last) m
LEFT JOIN (
    (
        SELECT n."id" AS id, n."state"::text AS state, true AS added
        FROM /*table*/task n
        CROSS JOIN since s
        WHERE n."id" > (SELECT g.after FROM since g)
            AND s.upto - ((s.upto - n.xmin::text::bigint) & 4294967295) >= s.xmin
        ORDER BY n."id"
        LIMIT :most)
    UNION ALL
    (
        SELECT b."id", b."state"::text, false
        FROM /*table*/task b
        WHERE b."state" IN ('TAKE', 'WORK')
        ORDER BY b."id" DESC
        LIMIT 200)
    UNION ALL
    (
        SELECT d."id", d."state"::text, false
        FROM /*table*/task d
        WHERE d."state" = 'PLAN' AND d."plan" <= now() + interval '15 seconds'
        ORDER BY d."plan", d."id"
        LIMIT 200)
    UNION ALL
    SELECT w."id", w."state"::text, false
    FROM /*table*/task w
    WHERE w."id" = ANY (:tasks::bigint[])) e ON true;

-- name: client_children(task, most, characters)
-- :most how many at most.
SELECT t.*
FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT /*listed:*/"id"/*:listed*/
    FROM /*table*/task
    WHERE "parent" = :task
    ORDER BY "id" DESC
    LIMIT :most) t
ORDER BY t."id" DESC;

-- name: client_named(tasks, characters)
-- The tasks :tasks.
SELECT t.*
FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT /*listed:*/"id"/*:listed*/
    FROM /*table*/task
    WHERE "id" = ANY (:tasks::bigint[])) t
ORDER BY t."id";

-- name: client_dependents(task, most, characters)
-- The tasks that wait for task :task, by its index. :most how many at most.
SELECT t.*
FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT /*listed:*/"id"/*:listed*/
    FROM /*table*/task
    WHERE "state" = 'PLAN' AND "after" IS NOT NULL AND "after" @> ARRAY[:task::bigint]
    ORDER BY "id"
    LIMIT :most) t
ORDER BY t."id";

-- name: client_runs(schedule, most, characters)
-- The runs of the schedule :schedule, by their index. :most how many at most.
SELECT t.*
FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT /*listed:*/"id"/*:listed*/
    FROM /*table*/task
    WHERE "schedule" = :schedule
    ORDER BY "id" DESC
    LIMIT :most) t
ORDER BY t."id" DESC;

-- name: client_delete
DELETE FROM /*table*/task
WHERE "id" = $1 AND "state" IN ('DONE', 'FAIL', 'GONE', 'STOP')
RETURNING "id";

-- name: client_find
-- others: all further columns, those of the user among them.
SELECT t.*
FROM /*missing:*/(SELECT NULL::text AS owner) missing/*:missing*/
CROSS JOIN LATERAL (
    SELECT /*columns:*/"id"/*:columns*/, "data", "input", "output", "error",
        (
            to_jsonb(k) - ARRAY[
                'id', 'parent', 'plan', 'start', 'stop', 'active', 'repeat', 'timeout', 'max',
                'pid', 'state', 'group', 'remote', 'cron', 'zone', 'attempts', 'backoff', 'after',
                'retry', 'once', 'notify', 'owner', 'data', 'input', 'output', 'error', 'hash']
        )::text AS "others"
FROM /*table*/task AS k
WHERE "id" = $1) t;

-- name: client_state
SELECT "state"::text FROM /*table*/task WHERE "id" = $1;

-- name: client_add
-- Only the columns that were given are named, so that all others take their defaults, wherever
-- these were set. The values come as text and are read by the input functions of the columns'
-- types.
INSERT INTO /*table*/task (/*columns*/input)
SELECT /*columns*/input
FROM jsonb_populate_record(NULL::/*table*/task, jsonb_object($1::text[], $2::text[]))
RETURNING "id";

-- name: client_change
-- Only the columns that were given are set. $1 the task, $2 their names, $3 their values as text.
UPDATE /*table*/task AS t
SET (/*columns*/input) = ROW (/*values*/given.input)
FROM jsonb_populate_record(NULL::/*table*/task, jsonb_object($2::text[], $3::text[])) AS given
WHERE t."id" = $1 AND t."state" IN ('PLAN', 'STOP')
RETURNING t."id";

-- name: client_cancel
WITH found AS MATERIALIZED (
    -- The lock makes the state final for this statement: a scheduler that takes the task waits, and
    -- finds it stopped.
    SELECT "id", "state"::text AS state, "pid", "input", "remote"
    FROM /*table*/task
    WHERE "id" = $1
    FOR UPDATE
), stopped AS (
    UPDATE /*table*/task AS t
    SET "state" = 'STOP'
    FROM found
    WHERE t."id" = found."id" AND found.state = 'PLAN'
    RETURNING t."id"
)
SELECT found.state, found."remote" IS NOT NULL AS remote, EXISTS (SELECT FROM stopped) AS stopped,
       coalesce((
           -- A session may have gone on to its next task before this row says so: only one that is
           -- executing this very text is asked to cancel. Its text is cut at
           -- track_activity_query_size, and hidden from some roles.
           SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity AS a
           WHERE found.state = 'WORK' AND found."remote" IS NULL AND a.pid = found."pid"
             -- Where the state is hidden the server says that the right to cancel is missing.
             AND (a.state = 'active' OR a.state IS NULL)
             AND (
                 a.query IN ('', '<insufficient privilege>')
                     OR position(left(a.query, 200) IN found."input") > 0
                  OR position(left(found."input", 200) IN a.query) > 0)
       ), false) AS cancelled
FROM found;

-- name: client_retry
WITH found AS MATERIALIZED (
    SELECT "id", "state"::text AS state
    FROM /*table*/task
    WHERE "id" = $1
    FOR UPDATE
), planned AS (
    UPDATE /*table*/task AS t
    SET /*again:*/"state" = 'PLAN'/*:again*/
    FROM found
    WHERE t."id" = found."id" AND found.state IN ('DONE', 'FAIL', 'GONE', 'STOP')
    RETURNING t."id"
)
SELECT found.state, EXISTS (SELECT FROM planned) AS planned FROM found;

-- name: client_retry_each
-- Those of the tasks :tasks that have ended, in the order of their ids; those that another session
-- changes at this moment are left. What repeats has its next run already.
WITH found AS MATERIALIZED (
    SELECT "id"
    FROM /*table*/task
    WHERE "id" = ANY (:tasks::bigint[]) AND "state" IN ('DONE', 'FAIL', 'GONE', 'STOP')
    ORDER BY "id"
    FOR UPDATE SKIP LOCKED
), planned AS (
    UPDATE /*table*/task AS t
    SET /*again:*/"state" = 'PLAN'/*:again*/
    FROM found
    WHERE t."id" = found."id"
    RETURNING t."id"
)
SELECT count(*) FROM planned;

-- name: client_stop_each
-- Those of the tasks :tasks that wait.
WITH found AS MATERIALIZED (
    SELECT "id"
    FROM /*table*/task
    WHERE "id" = ANY (:tasks::bigint[]) AND "state" = 'PLAN'
    ORDER BY "id"
    FOR UPDATE SKIP LOCKED
), stopped AS (
    UPDATE /*table*/task AS t
    SET "state" = 'STOP'
    FROM found
    WHERE t."id" = found."id"
    RETURNING t."id"
)
SELECT count(*) FROM stopped;

-- name: client_resume_each
-- Those of the tasks :tasks that were stopped before they had begun.
WITH found AS MATERIALIZED (
    SELECT "id"
    FROM /*table*/task
    WHERE "id" = ANY (:tasks::bigint[]) AND "state" = 'STOP' AND "start" IS NULL
    ORDER BY "id"
    FOR UPDATE SKIP LOCKED
), planned AS (
    UPDATE /*table*/task AS t
    -- Setting plan is what rings for the scheduler.
    SET "state" = 'PLAN', "plan" = t."plan"
    FROM found
    WHERE t."id" = found."id"
    RETURNING t."id"
)
SELECT count(*) FROM planned;

-- name: client_delete_each
-- Those of the tasks :tasks that have ended or were stopped.
WITH found AS MATERIALIZED (
    SELECT "id"
    FROM /*table*/task
    WHERE "id" = ANY (:tasks::bigint[]) AND "state" IN ('DONE', 'FAIL', 'GONE', 'STOP')
    ORDER BY "id"
    FOR UPDATE SKIP LOCKED
), deleted AS (
    DELETE FROM /*table*/task AS t USING found WHERE t."id" = found."id" RETURNING t."id"
)
SELECT count(*) FROM deleted;
