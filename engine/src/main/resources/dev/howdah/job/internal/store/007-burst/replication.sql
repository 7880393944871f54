-- Logical replication -----------------------------------------------------------------------------
--
-- Under a publication FOR ALL TABLES a row of a table without a replica identity cannot be changed.

-- Instead of an index on the id alone, so that a row costs one entry as before. The whole row as
-- identity would write payloads a second time, and a subscriber cannot compare values of json.
-- Tables of days get the key of their parent.
DROP INDEX howdah.batch_id;
ALTER TABLE howdah.batch ADD PRIMARY KEY (id, day);

-- Small rows that may stand there more than once.
ALTER TABLE howdah.group_wake REPLICA IDENTITY FULL;
ALTER TABLE howdah.key_late REPLICA IDENTITY FULL;
ALTER TABLE howdah.lane_priority REPLICA IDENTITY FULL;
ALTER TABLE howdah.log REPLICA IDENTITY FULL;
ALTER TABLE howdah.queue_limit REPLICA IDENTITY FULL;
ALTER TABLE howdah.stat_mark REPLICA IDENTITY FULL;
-- It has no rows: segments have keys of their own.
ALTER TABLE howdah.log_entry REPLICA IDENTITY FULL;
