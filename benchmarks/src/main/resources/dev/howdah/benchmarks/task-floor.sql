-- The least that tasks could cost: the statements of TaskFloor, without a scheduler between them.

-- name: floor_insert_table
CREATE TABLE IF NOT EXISTS floor_insert (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, input text NOT NULL);

-- name: floor_insert
INSERT INTO floor_insert (input) VALUES ('SELECT 1');

-- name: floor_table
-- As wide as the table of tasks, with its checks, generated column and indexes, without triggers.
CREATE TABLE IF NOT EXISTS floor_task (LIKE public.task INCLUDING ALL);

-- name: floor_clear
TRUNCATE floor_insert, floor_task;

-- name: floor_fill
INSERT INTO floor_task ("group", input, max)
SELECT 'group', 'SELECT 1', 4
FROM generate_series(1, $1::integer);

-- name: floor_ids
SELECT id FROM floor_task ORDER BY id;

-- name: floor_claim
UPDATE floor_task
SET state = 'WORK', start = clock_timestamp(), stop = NULL, pid = pg_backend_pid(), output = NULL,
    error = NULL
WHERE id = $1::bigint AND state IS NOT DISTINCT FROM 'PLAN'
RETURNING id, "group", input;

-- name: floor_end
UPDATE floor_task
SET state = 'DONE', output = '1', stop = clock_timestamp()
WHERE id = ANY ($1::bigint[]);
