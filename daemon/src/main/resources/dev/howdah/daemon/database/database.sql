-- About the database itself.

-- name: command_doctor_server
-- The version of the server, and its time in milliseconds.
SELECT current_setting('server_version_num')::integer AS number,
    split_part(current_setting('server_version'), ' ', 1) AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis;

-- name: command_doctor_migrations
-- Whether it is known which versions the tables have.
SELECT to_regclass('howdah.migration') IS NOT NULL AS present;

-- name: command_doctor_tables
-- Which versions the tables of the features have.
SELECT m.feature, max(m.version) AS version
FROM howdah.migration m
GROUP BY m.feature;

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
