-- Tables and statements like those of valitydev/progressor, written anew from its specification,
-- for one namespace.

-- name: tables
CREATE TYPE process_status AS ENUM ('running', 'error', 'init');
CREATE TYPE task_status AS ENUM ('waiting', 'running', 'blocked', 'error', 'finished', 'cancelled');
CREATE TYPE task_type AS ENUM ('init', 'timeout', 'call', 'notify', 'repair', 'remove');
CREATE TABLE ns_processes (
    process_id varchar(256) PRIMARY KEY, status process_status NOT NULL, detail text,
    aux_state bytea,
    created_at timestamptz NOT NULL DEFAULT now(), metadata jsonb, corrupted_by bigint,
    previous_status process_status NOT NULL,
    status_changed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE ns_tasks (
    task_id bigserial PRIMARY KEY, process_id varchar(256) NOT NULL REFERENCES ns_processes,
    task_type task_type NOT NULL,
    status task_status NOT NULL, scheduled_time timestamptz NOT NULL, running_time timestamptz,
    finished_time timestamptz, args bytea,
    metadata jsonb, idempotency_key varchar(80) UNIQUE, response bytea,
    blocked_task bigint REFERENCES ns_tasks,
    last_retry_interval int NOT NULL, attempts_count smallint NOT NULL, context bytea);
ALTER TABLE ns_processes ADD FOREIGN KEY (corrupted_by) REFERENCES ns_tasks;
CREATE TABLE ns_schedule (
    task_id bigint PRIMARY KEY REFERENCES ns_tasks,
    process_id varchar(256) NOT NULL REFERENCES ns_processes, task_type task_type NOT NULL,
    status task_status NOT NULL, scheduled_time timestamptz NOT NULL, args bytea, metadata jsonb,
    last_retry_interval int NOT NULL,
    attempts_count smallint NOT NULL, context bytea);
CREATE TABLE ns_running (
    process_id varchar(256) PRIMARY KEY REFERENCES ns_processes,
    task_id bigint NOT NULL REFERENCES ns_tasks, task_type task_type NOT NULL,
    status task_status NOT NULL, scheduled_time timestamptz NOT NULL,
    running_time timestamptz NOT NULL, args bytea, metadata jsonb,
    last_retry_interval int NOT NULL, attempts_count smallint NOT NULL, context bytea);
CREATE TABLE ns_events (
    process_id varchar(256) NOT NULL REFERENCES ns_processes,
    task_id bigint NOT NULL REFERENCES ns_tasks, event_id smallint NOT NULL,
    "timestamp" timestamptz NOT NULL DEFAULT now(), metadata jsonb, payload bytea NOT NULL,
    PRIMARY KEY (process_id, event_id));
CREATE INDEX ns_events_process_idx ON ns_events USING hash (process_id);
CREATE INDEX ns_tasks_process_idx ON ns_tasks USING hash (process_id);
CREATE INDEX ns_schedule_process_idx ON ns_schedule USING hash (process_id);
CREATE INDEX ns_running_task_idx ON ns_running USING hash (task_id);

-- name: process
-- $1 the process.
WITH made AS (
    INSERT INTO ns_processes (process_id, status, previous_status)
    VALUES ($1, 'running', 'running')
    RETURNING process_id
), task AS (
    INSERT INTO ns_tasks (
        process_id, task_type, status, scheduled_time, last_retry_interval, attempts_count, context)
    SELECT m.process_id, 'timeout', 'running', now(), 0, 0, ''
    FROM made m
    RETURNING task_id, process_id
), running AS (
    INSERT INTO ns_running (
        process_id, task_id, task_type, status, scheduled_time, running_time, last_retry_interval,
        attempts_count, context)
    SELECT t.process_id, t.task_id, 'timeout', 'running', now(), now(), 0, 0, ''
    FROM task t
)
SELECT t.task_id FROM task t;

-- name: event
-- $1 the process, $2 the task, $3 the event, $4 its payload.
INSERT INTO ns_events (process_id, task_id, event_id, "timestamp", metadata, payload)
VALUES ($1, $2, $3, now(), '{"format_version":1}', $4);

-- name: cancel
-- $1 the process.
WITH deleted AS (
    DELETE FROM ns_schedule
    WHERE process_id = $1
        AND task_type IN ('timeout', 'remove')
        AND status IN ('waiting', 'blocked')
    RETURNING task_id
)
UPDATE ns_tasks
SET status = 'cancelled'
WHERE task_id IN (SELECT task_id FROM deleted);

-- name: next
-- $1 the process.
INSERT INTO ns_tasks (
    process_id, task_type, status, scheduled_time, last_retry_interval, attempts_count, context)
VALUES ($1, 'timeout', 'running', now(), 0, 0, '') RETURNING task_id;

-- name: complete
-- $1 the process, $2 the task.
WITH deleted AS (
    DELETE FROM ns_running WHERE process_id = $1
)
UPDATE ns_tasks
SET status = 'finished', response = 'ok', finished_time = now()
WHERE task_id = $2;

-- name: calls
-- $1 the process.
WITH call AS (
    DELETE FROM ns_schedule
    WHERE task_id = (SELECT min(task_id) FROM ns_schedule
                                             WHERE process_id = $1
                                                 AND status = 'waiting'
                                                 AND task_type IN ('call', 'repair'))
    RETURNING *
)
INSERT INTO ns_running (
    process_id, task_id, task_type, status, scheduled_time, running_time, args, metadata,
    last_retry_interval, attempts_count, context)
SELECT process_id, task_id, task_type, 'running', scheduled_time, now(), args, metadata,
    last_retry_interval, attempts_count, context
FROM call
RETURNING task_id;

-- name: run
-- $1 the process, $2 the task.
INSERT INTO ns_running (
    process_id, task_id, task_type, status, scheduled_time, running_time, last_retry_interval,
    attempts_count, context)
VALUES ($1, $2, 'timeout', 'running', now(), now(), 0, 0, '') RETURNING task_id;

-- name: step
-- All of it as one statement: what upstream could reach with its tables. $1 the process, $2 the
-- task, $3 the event, $4 its payload.
WITH event AS (
    INSERT INTO ns_events (process_id, task_id, event_id, "timestamp", metadata, payload)
    VALUES ($1, $2, $3, now(), '{"format_version":1}', $4)
), deleted AS (
    DELETE FROM ns_schedule
    WHERE process_id = $1
        AND task_type IN ('timeout', 'remove')
        AND status IN ('waiting', 'blocked')
    RETURNING task_id
), cancelled AS (
    UPDATE ns_tasks
    SET status = 'cancelled'
    WHERE task_id IN (SELECT task_id FROM deleted)
), next AS (
    INSERT INTO ns_tasks (
        process_id, task_type, status, scheduled_time, last_retry_interval, attempts_count, context)
    VALUES ($1, 'timeout', 'running', now(), 0, 0, '') RETURNING task_id
), finished AS (
    UPDATE ns_tasks
    SET status = 'finished', response = 'ok', finished_time = now()
    WHERE task_id = $2
), call AS (
    SELECT min(task_id) AS task_id
    FROM ns_schedule
    WHERE process_id = $1 AND status = 'waiting' AND task_type IN ('call', 'repair')
)
UPDATE ns_running r
SET task_id = n.task_id, scheduled_time = now(), running_time = now()
FROM next n
CROSS JOIN call c
WHERE r.process_id = $1 AND c.task_id IS NULL RETURNING r.task_id;
