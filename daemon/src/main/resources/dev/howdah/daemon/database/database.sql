-- About the database itself.

-- name: database_number
-- What tells the work of this database from that of others.
SELECT s.system_identifier || '-' || d.oid
FROM pg_control_system() s
CROSS JOIN pg_database d
WHERE d.datname = current_database();

-- name: database_processes
-- Whether the tables of processes are there.
SELECT to_regclass('howdah.process') IS NOT NULL;

-- name: database_snapshot_and_time
-- The snapshot is another one when anything has been written in the meantime.
SELECT txid_current_snapshot()::text AS snapshot, now() AS time;
