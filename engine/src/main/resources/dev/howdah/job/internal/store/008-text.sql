-- Texts that are the same in each session and in each encoding.

-- patterns of errors in ASCII, for databases that were made before
\ir 001-job/pattern.sql
-- settings of sessions
\ir 008-text/settings.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 8, '008-text.sql');
