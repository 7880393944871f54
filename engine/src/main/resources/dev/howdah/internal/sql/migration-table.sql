-- Which versions of Howdah's tables a database has.

-- name: lock
-- One brings tables up to date at a time.
SELECT pg_advisory_xact_lock(1215264877, 0);

-- name: schema
CREATE SCHEMA IF NOT EXISTS howdah;

-- name: table
CREATE TABLE IF NOT EXISTS howdah.migration (
    feature text NOT NULL,
    version integer NOT NULL,
    applied timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (feature, version)
);
COMMENT ON TABLE howdah.migration IS 'Which versions of Howdah''s tables this database has.';
