-- Waiting for the end of jobs ---------------------------------------------------------------------
--
-- A program that waits for a job notes it here and listens; each statement that ends a job notifies
-- it, if it is here. A statement whose snapshot is older than the note does not see it: for that
-- the program looks once more a moment later.

CREATE TABLE howdah_internal.awaited (
    job bigint NOT NULL,
    waiter bigint NOT NULL,
    until timestamptz NOT NULL,
    noted timestamptz,
    look timestamptz,
    PRIMARY KEY (job, waiter)
);
CREATE INDEX awaited_until ON howdah_internal.awaited (until);
CREATE INDEX awaited_look ON howdah_internal.awaited (look) WHERE look IS NOT NULL;
CREATE INDEX awaited_waiter ON howdah_internal.awaited (waiter) WHERE look IS NOT NULL;
COMMENT ON TABLE howdah_internal.awaited IS
    'Jobs whose end programs and handlers wait for. Empty while none waits.';
COMMENT ON COLUMN howdah_internal.awaited.waiter IS
    'drawn at random by the program; or the job whose handler waits';
COMMENT ON COLUMN howdah_internal.awaited.until IS 'the program moves it on while it waits';
COMMENT ON COLUMN howdah_internal.awaited.noted IS 'since when a handler waits';
COMMENT ON COLUMN howdah_internal.awaited.look IS
    'of a handler: when a node looks whether the job has ended, though no statement that ended it '
    'has said so, since its snapshot was older than the note; less and less often. NULL: of a '
    'program, which looks by itself';

-- Not unique, so that two transactions that write here never wait for each other.
CREATE TABLE howdah_internal.awaited_end (
    job bigint NOT NULL,
    waiter bigint NOT NULL
);
ALTER TABLE howdah_internal.awaited_end REPLICA IDENTITY FULL;
COMMENT ON TABLE howdah_internal.awaited_end IS
    'Jobs for whose end a handler waits, and which may have ended: marks for the node that looks.';

-- Notifies programs and handlers that wait for some of these jobs. A job that has not ended after
-- all is looked at in vain.
CREATE FUNCTION howdah_internal.tell_ended(jobs bigint[])
RETURNS bigint
LANGUAGE sql
AS $howdah$
    WITH marked AS (
        INSERT INTO howdah_internal.awaited_end (job, waiter)
        SELECT w.job, w.waiter
        FROM howdah_internal.awaited w
        WHERE w.job = ANY (jobs) AND w.look IS NOT NULL
    )
    SELECT count(CASE WHEN w.look IS NULL
        THEN howdah_internal.tell('howdah_job_ended', w.job::text)
        ELSE howdah_internal.tell('howdah_job_signal', '') END)
    FROM howdah_internal.awaited w
    WHERE w.job = ANY (jobs)
$howdah$;

CREATE FUNCTION howdah_internal.failed_awaited()
RETURNS trigger
LANGUAGE plpgsql
AS $howdah$
BEGIN
    IF EXISTS (SELECT FROM howdah_internal.awaited) THEN
        PERFORM howdah_internal.tell_ended(array_agg(e.id)) FROM ended e;
    END IF;
    RETURN NULL;
END
$howdah$;
CREATE TRIGGER failed_awaited AFTER INSERT ON howdah_internal.failed
    REFERENCING NEW TABLE AS ended
    FOR EACH STATEMENT EXECUTE FUNCTION howdah_internal.failed_awaited();

-- Keys: one job of a queue and kind at a time -----------------------------------------------------
--
-- A transaction that adds a job with a key locks the row of the key until it ends, which can be an
-- hour later. The end of a job must not wait for that: it passes over keys that are locked, and
-- leaves a row in key_late, in the transaction that ends the job. Nodes look there every two
-- seconds, and so does each add with the key.

CREATE TABLE howdah_internal.key (
    queue integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL CHECK (key <> '' AND length(key) <= 400),
    job bigint NOT NULL,
    version timestamptz CHECK (isfinite(version)),
    next bigint,
    ended timestamptz,
    until timestamptz,
    -- The key first: that is where two rows differ.
    PRIMARY KEY (key, kind, queue)
);
CREATE INDEX key_job ON howdah_internal.key (job);
CREATE INDEX key_next ON howdah_internal.key (next) WHERE next IS NOT NULL;
CREATE INDEX key_ended ON howdah_internal.key (ended) WHERE ended IS NOT NULL;
CREATE INDEX key_until ON howdah_internal.key (until) WHERE until IS NOT NULL;
COMMENT ON TABLE howdah_internal.key IS
    'The keys that jobs wait or run with, and those whose version is remembered.';
COMMENT ON COLUMN howdah_internal.key.queue IS 'the lane of the whole queue';
COMMENT ON COLUMN howdah_internal.key.job IS 'the job that has it, or had it last';
COMMENT ON COLUMN howdah_internal.key.version IS 'the newest that was added; NULL: none had one';
COMMENT ON COLUMN howdah_internal.key.next IS
    'the job in howdah_internal.follower that runs when this one has ended, because it is newer';
COMMENT ON COLUMN howdah_internal.key.ended IS 'since when no job has it; NULL: one has';
COMMENT ON COLUMN howdah_internal.key.until IS
    'the end of the window in which no second job is added, whether the first has ended or not; '
    'NULL: it has none';

CREATE TABLE howdah_internal.follower (
    id bigint PRIMARY KEY,
    run_at timestamptz NOT NULL,
    lane integer NOT NULL,
    priority smallint NOT NULL,
    kind text NOT NULL,
    payload json,
    more jsonb
);
COMMENT ON TABLE howdah_internal.follower IS
    'Jobs that wait until the job with their key has ended; columns as in howdah_internal.job.';

-- Not unique, so that two transactions that write here never wait for each other.
CREATE TABLE howdah_internal.key_late (
    job bigint NOT NULL
);
ALTER TABLE howdah_internal.key_late REPLICA IDENTITY FULL;
CREATE INDEX key_late_job ON howdah_internal.key_late (job);
COMMENT ON TABLE howdah_internal.key_late IS
    'Jobs that have ended or gone back while another transaction had locked their key.';

-- Order keys: jobs that run one after the other ---------------------------------------------------

CREATE TABLE howdah_internal.order_key (
    queue text NOT NULL,
    key text NOT NULL,
    job bigint,
    PRIMARY KEY (queue, key)
);
CREATE UNIQUE INDEX order_key_job ON howdah_internal.order_key (job) WHERE job IS NOT NULL;
CREATE INDEX order_key_free ON howdah_internal.order_key (queue, key) WHERE job IS NULL;
COMMENT ON TABLE howdah_internal.order_key IS
    'The current job of each order key: the one that is in howdah_internal.job, or in a batch.';
COMMENT ON COLUMN howdah_internal.order_key.job IS
    'NULL: it has ended, and no other waited; or a node has yet to let the next one in';

CREATE TABLE howdah_internal.ordered (
    id bigint PRIMARY KEY,
    queue text NOT NULL,
    key text NOT NULL CHECK (key <> '' AND length(key) <= 200),
    fresh boolean NOT NULL DEFAULT true,
    run_at timestamptz NOT NULL,
    lane integer NOT NULL,
    priority smallint NOT NULL CHECK (priority BETWEEN -100 AND 100),
    kind text NOT NULL CHECK (kind <> '' AND length(kind) <= 200),
    payload json,
    more jsonb NOT NULL
) WITH (toast_tuple_target = 8160);
CREATE INDEX ordered_key ON howdah_internal.ordered (queue, key, id);
CREATE INDEX ordered_fresh ON howdah_internal.ordered (id) WHERE fresh;
COMMENT ON TABLE howdah_internal.ordered IS
    'Jobs with an order key that wait for an earlier one. The first of each key goes on to '
    'howdah_internal.job, the others in their order.';
COMMENT ON COLUMN howdah_internal.ordered.fresh IS
    'no node has looked yet whether it is its turn; of those of a key that were added together, '
    'the first one';

-- A job that ends in howdah_internal.failed ends its turn.
CREATE FUNCTION howdah_internal.order_over()
RETURNS trigger
LANGUAGE plpgsql
AS $howdah$
BEGIN
    UPDATE howdah_internal.order_key k SET job = NULL WHERE k.job = NEW.id;
    PERFORM howdah_internal.tell('howdah_job_order', '');
    RETURN NULL;
END
$howdah$;
CREATE TRIGGER failed_order AFTER INSERT ON howdah_internal.failed
    FOR EACH ROW WHEN (NEW.more -> 'ordered' IS NOT NULL)
    EXECUTE FUNCTION howdah_internal.order_over();
