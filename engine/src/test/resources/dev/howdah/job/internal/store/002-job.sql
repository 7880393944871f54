-- A version after the newest, of the kind that may be applied while nodes of the one before it
-- work: it adds, and takes nothing away.

ALTER TABLE howdah_internal.job ADD fresh text DEFAULT 'new';
ALTER TABLE howdah_internal.batch ADD fresh text;
ALTER TABLE howdah_internal.failed ADD fresh integer DEFAULT 7;
ALTER TABLE howdah_internal.lane ADD fresh integer;
CREATE INDEX job_fresh ON howdah_internal.job (fresh) WHERE fresh IS NULL;
CREATE TABLE howdah.fresh (a integer);
CREATE OR REPLACE FUNCTION howdah_internal.ring(at_lane integer)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    PERFORM pg_notify('howdah_job', at_lane::text);
END
$howdah$;

INSERT INTO howdah.migration (feature, version, file) VALUES ('job', 2, '002-job.sql');
