-- Log queues: jobs that are entries of a log. psql runs this file as it stands (\ir reads a file
-- beside it).

-- queues, segments, readers, leases
\ir 002-log/table.sql
-- segments, howdah.log_put
\ir 002-log/entry.sql
-- howdah.add, add_many, add_ordered
\ir 002-log/add.sql
-- claims from log queues
\ir 002-log/claim.sql
-- the end of leases
\ir 002-log/end.sql
-- howdah.queue, add_reader, seek_reader, drop_reader, log_readers
\ir 002-log/reader.sql
-- howdah.find, and statistics
\ir 002-log/view.sql
-- howdah.why_job
\ir 002-log/why.sql
-- new segments, and those that go
\ir 002-log/segment.sql
-- howdah.allow
\ir 002-log/privileges.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 2, '002-log.sql');
