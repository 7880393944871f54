-- Jobs that wait in the middle of their handlers --------------------------------------------------
--
-- A job whose handler waits is suspended: a row of howdah_internal.job that is due at the end of
-- the wait, with more.wait, which says what it waits for. Nothing looks at it before. Later the
-- handler runs again from its top, and reads there what stands here. A handler whose code has
-- changed so that its records do not fit is suspended as diverged, without a record.

CREATE TABLE howdah_internal.job_record (
    job bigint NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    type text NOT NULL CHECK (type IN ('sleep', 'signal', 'patch')),
    name text NOT NULL CHECK (name <> '' AND length(name) <= 200),
    nth integer NOT NULL,
    at timestamptz NOT NULL,
    until timestamptz,
    closed timestamptz,
    fresh boolean NOT NULL DEFAULT false,
    fatal boolean NOT NULL DEFAULT false,
    signal bigint,
    node integer NOT NULL,
    PRIMARY KEY (job, kind, type, name, nth)
);
CREATE INDEX job_record_at ON howdah_internal.job_record (at);
CREATE INDEX job_record_fresh ON howdah_internal.job_record (job) WHERE fresh;
COMMENT ON TABLE howdah_internal.job_record IS
    'What handlers have waited for, or wait for. The steps of a handler are in '
    'howdah_internal.job_step.';
COMMENT ON COLUMN howdah_internal.job_record.number IS 'the place among those of the job, from 1';
COMMENT ON COLUMN howdah_internal.job_record.kind IS
    'of the job then: the stages of a pipeline have records of their own';
COMMENT ON COLUMN howdah_internal.job_record.nth IS
    'which of this type and name, from 1, in the order of the calls of a run';
COMMENT ON COLUMN howdah_internal.job_record.until IS 'the end of its time, fixed once';
COMMENT ON COLUMN howdah_internal.job_record.closed IS
    'when the wait ended; NULL: it is open, or it is a sleep, whose time says that';
COMMENT ON COLUMN howdah_internal.job_record.fresh IS
    'no node has yet looked whether the job has such a signal';
COMMENT ON COLUMN howdah_internal.job_record.fatal IS
    'whether the job has failed because of it: the job does not have it when it is retried';
COMMENT ON COLUMN howdah_internal.job_record.signal IS
    'the signal that has ended the wait; NULL: it is open, or has ended by its time';
COMMENT ON COLUMN howdah_internal.job_record.node IS 'the node that wrote it';

-- What a job is suspended for, in words; NULL: it is not.
CREATE FUNCTION howdah_internal.waits_for(more jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT concat(
        CASE more -> 'wait' ->> 'type'
            WHEN 'diverged' THEN 'other code, without'
            ELSE more -> 'wait' ->> 'type' END,
        ' "', more -> 'wait' ->> 'name', '"')
    WHERE more ? 'wait'
$howdah$;
