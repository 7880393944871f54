-- The nodes of jobs and processes: the part of the tables that these features share. Do not write
-- to it directly: use the library.

CREATE TABLE howdah_internal.node (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    features text[] NOT NULL CHECK (features <> '{}'),
    started timestamptz NOT NULL DEFAULT now(),
    incarnation uuid NOT NULL
        DEFAULT md5(
            random()::text || random() || clock_timestamp() || pg_backend_pid())::uuid,
    returned integer NOT NULL DEFAULT 0,
    replaced boolean NOT NULL DEFAULT false,
    serves jsonb NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE howdah_internal.node IS
    'The nodes: each holds the advisory lock (1215264874, id) while it runs.';
COMMENT ON COLUMN howdah_internal.node.features IS
    'what the node runs (job, process). After a crash the nodes of each feature recover its claims '
    'and remove it from here; the row is deleted with the last one';
COMMENT ON COLUMN howdah_internal.node.incarnation IS
    'random: two nodes never have the same, even if they have the same id, which is given again '
    'after a failover that lost WAL or after a restore';
COMMENT ON COLUMN howdah_internal.node.returned IS
    'how often it has taken its lock again after its session was lost';
COMMENT ON COLUMN howdah_internal.node.replaced IS
    'whether its program goes on as another node: then its end does not count as a crash';
COMMENT ON COLUMN howdah_internal.node.serves IS
    'by feature, what the node takes: of job the queues, kinds, slots (how many at the same time) '
    'and limits of its own; of process the slots by namespace. Written when the feature starts';

-- Nodes that have ended. Written by a trigger, as the owner: a role of nodes needs no privilege for
-- it, and cannot change it.
CREATE TABLE howdah_internal.node_end (
    incarnation uuid PRIMARY KEY,
    id integer NOT NULL,
    name text NOT NULL,
    features text[] NOT NULL,
    version text,
    started timestamptz NOT NULL,
    ended timestamptz NOT NULL DEFAULT now(),
    reason text NOT NULL CHECK (reason IN ('stopped', 'lost', 'replaced')),
    serves jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX node_end_ended ON howdah_internal.node_end (ended);
COMMENT ON TABLE howdah_internal.node_end IS 'The nodes that have ended in the last 31 days.';
COMMENT ON COLUMN howdah_internal.node_end.reason IS
    'stopped: it has left by itself; lost: others have recovered its claims, after a crash or a '
    'lost connection; replaced: its program has gone on as another node';
COMMENT ON COLUMN howdah_internal.node_end.serves IS 'what the node took, as in the table of nodes';

-- A node for workers by HTTP ends a minute after the last request for its queues and kinds. Workers
-- that ask every few minutes therefore have no node most of the time, and are there all the same.
-- The median: one long pause, as of a night, says nothing of the next one.
CREATE VIEW howdah_internal.worker_pace AS
SELECT t.serves, t.asked, GREATEST(t.pause, interval '0') AS pause,
    t.asked + LEAST(GREATEST(2 * t.pause, interval '10 min'), interval '1 day') AS awaited
FROM (
    SELECT p.serves, max(p.ended) AS asked,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY p.pause) AS pause
    FROM (
        SELECT e.serves -> 'job' AS serves, e.ended, lag(e.started) OVER latest - e.ended AS pause,
            row_number() OVER latest AS nth
        FROM howdah_internal.node_end e
        WHERE e.name = 'http workers' AND e.reason = 'stopped'
        WINDOW latest AS (PARTITION BY e.serves -> 'job' ORDER BY e.ended DESC)) p
    WHERE p.nth <= 10
    GROUP BY p.serves) t;
COMMENT ON VIEW howdah_internal.worker_pace IS
    'The queues and kinds for which workers have asked by HTTP: when their last node ended, the '
    'usual pause between the last ten nodes, and until when the next request is expected.';

-- The statement node_leave says in the setting howdah.node_stops whether the node leaves by itself;
-- a row that is deleted otherwise was of no node that worked.
CREATE FUNCTION howdah_internal.node_note_end()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    stops text := COALESCE(current_setting('howdah.node_stops', true), '');
BEGIN
    IF stops NOT IN ('true', 'false') THEN
        RETURN NULL;
    END IF;
    DELETE FROM howdah_internal.node_end e WHERE e.ended < now() - interval '31 days';
    INSERT INTO howdah_internal.node_end (
        incarnation, id, name, features, version, started, reason, serves)
    VALUES (OLD.incarnation, OLD.id, OLD.name,
        ARRAY(
            SELECT f.feature
            FROM (
                SELECT jsonb_object_keys(OLD.serves) AS feature
                UNION
                SELECT unnest(OLD.features)) f
            WHERE f.feature <> 'version'
            ORDER BY f.feature),
        OLD.serves ->> 'version', OLD.started,
        CASE WHEN OLD.replaced THEN 'replaced' WHEN stops = 'true' THEN 'stopped'
            ELSE 'lost' END,
        OLD.serves)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$howdah$;
REVOKE ALL ON FUNCTION howdah_internal.node_note_end() FROM PUBLIC;
CREATE TRIGGER node_note_end AFTER DELETE ON howdah_internal.node
    FOR EACH ROW EXECUTE FUNCTION howdah_internal.node_note_end();

-- what drivers send to functions
\ir 001-node/driver.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('node', 1, '001-node.sql');
