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
    type text NOT NULL
        CHECK (
            type IN (
                'sleep', 'signal', 'patch', 'child', 'any', 'among', 'thrown', 'job', 'event')),
    name text NOT NULL CHECK (name <> '' AND length(name) <= 200),
    nth integer NOT NULL,
    at timestamptz NOT NULL,
    until timestamptz,
    closed timestamptz,
    fresh boolean NOT NULL DEFAULT false,
    fatal boolean NOT NULL DEFAULT false,
    signal bigint,
    child bigint,
    child_kind text,
    winner integer,
    thrown text,
    problem text,
    parent_end text CHECK (parent_end IN ('leave', 'cancel_always')),
    node integer NOT NULL,
    awaited bigint,
    ended text,
    result jsonb,
    event bigint,
    event_key text,
    filter jsonb,
    since timestamptz,
    sender text,
    sent timestamptz,
    PRIMARY KEY (job, kind, type, name, nth)
);
CREATE INDEX job_record_event ON howdah_internal.job_record (name, event_key)
    WHERE event_key IS NOT NULL AND closed IS NULL;
CREATE INDEX job_record_at ON howdah_internal.job_record (at);
CREATE INDEX job_record_fresh ON howdah_internal.job_record (job) WHERE fresh;
CREATE INDEX job_record_child ON howdah_internal.job_record (child) WHERE child IS NOT NULL;
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
COMMENT ON COLUMN howdah_internal.job_record.child IS 'the job that the handler has added';
COMMENT ON COLUMN howdah_internal.job_record.winner IS
    'which of several that a handler waited for was the first to end, from 1';
COMMENT ON COLUMN howdah_internal.job_record.thrown IS
    'the class of the exception of a step that its handler has caught';
COMMENT ON COLUMN howdah_internal.job_record.problem IS
    'the message of that exception, or the error of the job that was waited for';
COMMENT ON COLUMN howdah_internal.job_record.awaited IS
    'a job whose end the handler has waited for; child_kind says its kind';
COMMENT ON COLUMN howdah_internal.job_record.ended IS
    'how that job has ended; NULL: it has not, or not in time';
COMMENT ON COLUMN howdah_internal.job_record.event IS
    'the event that has ended the wait; its payload is in result, and stays when that is removed';
COMMENT ON COLUMN howdah_internal.job_record.event_key IS
    'the key of events that the wait is for, whose topic is its name; a record of the type among '
    'is an event that is waited for together with others: its number is that of the wait';
COMMENT ON COLUMN howdah_internal.job_record.filter IS
    'what the payload of such an event contains; NULL: anything';
COMMENT ON COLUMN howdah_internal.job_record.since IS 'events of before do not end the wait';
COMMENT ON COLUMN howdah_internal.job_record.parent_end IS
    'leave: the child goes on when its parent ends in any way; cancel_always: it is cancelled '
    'also when its parent is done; NULL: when its parent fails or is cancelled';
COMMENT ON COLUMN howdah_internal.job_record.node IS 'the node that wrote it';

-- The ends of children, which their parents read. As a signal does, each leaves a mark (fresh).
CREATE TABLE howdah_internal.child_end (
    child bigint PRIMARY KEY,
    parent bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('done', 'failed', 'cancelled')),
    kind text NOT NULL,
    result jsonb,
    error text,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    fresh boolean NOT NULL DEFAULT true,
    seen boolean NOT NULL DEFAULT false
);
CREATE INDEX child_end_fresh ON howdah_internal.child_end (child) WHERE fresh;
CREATE INDEX child_end_parent ON howdah_internal.child_end (parent);
CREATE INDEX child_end_at ON howdah_internal.child_end (at);
COMMENT ON TABLE howdah_internal.child_end IS
    'How jobs have ended that handlers have added as children: the first end of each. They are '
    'kept as long as their parents can come back.';
COMMENT ON COLUMN howdah_internal.child_end.kind IS
    'of the child when it ended: the stages of a pipeline have kinds of their own';
COMMENT ON COLUMN howdah_internal.child_end.fresh IS
    'no node has yet looked whether the parent waits for it';
COMMENT ON COLUMN howdah_internal.child_end.seen IS
    'whether its failure was thrown in the parent: each later run throws it again';

-- What stands beside the jobs of a batch (howdah_internal.batch.rest), with more of one of them.
CREATE FUNCTION howdah_internal.rest_with(rest jsonb, of_job bigint, further jsonb)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT COALESCE(rest, '{}') || jsonb_build_object(
        of_job::text,
        COALESCE(rest -> of_job::text, '{"p": 0, "a": 0, "d": 0}') || jsonb_build_object(
            'm', COALESCE(NULLIF(rest -> of_job::text -> 'm', 'null'), '{}') || further))
$howdah$;

-- The job among a job and its ancestors that has an order key, itself or by the run of which it is;
-- NULL: none of them has.
CREATE FUNCTION howdah_internal.order_ancestor(of_job bigint, of_queue text, of_key text)
RETURNS bigint
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    current CONSTANT bigint := (
        SELECT k.job FROM howdah_internal.order_key k WHERE k.queue = of_queue AND k.key = of_key);
    ancestor bigint := of_job;
    above bigint;
    head bigint;
BEGIN
    WHILE current IS NOT NULL AND ancestor IS NOT NULL AND ancestor <> current LOOP
        SELECT f.parent, f.head INTO above, head
        FROM (
            SELECT (j.more ->> 'parent')::bigint AS parent, NULL::bigint AS head
            FROM howdah_internal.job j
            WHERE j.id = ancestor
            UNION ALL
            SELECT (b.rest -> ancestor::text -> 'm' ->> 'parent')::bigint,
                (b.rest -> ancestor::text ->> 'h')::bigint
            FROM howdah_internal.batch b
            WHERE b.ended IS NULL AND ancestor = ANY (b.ids)
            LIMIT 1) f;
        EXIT WHEN head = current;
        ancestor := above;
    END LOOP;
    RETURN CASE WHEN ancestor = current OR head = current THEN ancestor END;
END
$howdah$;

-- Writes the end of a child that is done.
CREATE FUNCTION howdah_internal.child_done(
    of_child bigint, of_parent bigint, of_kind text, with_result jsonb)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    INSERT INTO howdah_internal.child_end (child, parent, state, kind, result)
    VALUES (of_child, of_parent, 'done', of_kind, with_result)
    ON CONFLICT (child) DO NOTHING;
    PERFORM howdah_internal.tell('howdah_job_signal', '');
END
$howdah$;

CREATE FUNCTION howdah_internal.child_over()
RETURNS trigger
LANGUAGE plpgsql
AS $howdah$
BEGIN
    INSERT INTO howdah_internal.child_end (child, parent, state, kind, error)
    VALUES (
        NEW.id, (NEW.more ->> 'parent')::bigint, NEW.state, NEW.kind,
        split_part(NEW.error, E'\n', 1))
    ON CONFLICT (child) DO NOTHING;
    PERFORM howdah_internal.tell('howdah_job_signal', '');
    RETURN NULL;
END
$howdah$;
CREATE TRIGGER failed_child AFTER INSERT ON howdah_internal.failed
    FOR EACH ROW WHEN (NEW.more -> 'parent' IS NOT NULL)
    EXECUTE FUNCTION howdah_internal.child_over();

-- The children of a job that has failed or was cancelled are cancelled with it.
CREATE FUNCTION howdah_internal.parent_over()
RETURNS trigger
LANGUAGE plpgsql
AS $howdah$
BEGIN
    PERFORM howdah.cancel(r.child)
    -- By the index of children those of all jobs would be read.
    FROM (
        SELECT o.child, o.parent_end
        FROM howdah_internal.job_record o
        WHERE o.job = NEW.id
        OFFSET 0) r
    WHERE r.child IS NOT NULL
        AND r.parent_end IS DISTINCT FROM 'leave'
        AND NOT EXISTS (SELECT FROM howdah_internal.child_end e WHERE e.child = r.child);
    RETURN NULL;
END
$howdah$;
CREATE TRIGGER failed_parent AFTER INSERT ON howdah_internal.failed
    FOR EACH ROW WHEN (NEW.more -> 'children' IS NOT NULL)
    EXECUTE FUNCTION howdah_internal.parent_over();

-- Cancels the children of jobs that are done, as far as they are cancelled then: how many.
CREATE FUNCTION howdah_internal.parent_done(jobs bigint[])
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
BEGIN
    RETURN (
        SELECT count(howdah.cancel(r.child))
        FROM howdah_internal.job_record r
        WHERE r.job = ANY (jobs)
            AND r.parent_end = 'cancel_always'
            AND NOT EXISTS (SELECT FROM howdah_internal.child_end e WHERE e.child = r.child));
END
$howdah$;

-- What a job is suspended for, in words; NULL: it is not.
CREATE FUNCTION howdah_internal.waits_for(more jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT concat(
        CASE more -> 'wait' ->> 'type'
            WHEN 'diverged' THEN 'other code, without'
            WHEN 'version' THEN 'a handler of version'
            ELSE more -> 'wait' ->> 'type' END,
        ' "', more -> 'wait' ->> 'name', '"')
    WHERE more ? 'wait'
$howdah$;
