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

INSERT INTO howdah.migration (feature, version, file)
VALUES ('node', 1, '001-node.sql');
