-- Processes, version 5: a node is known by more than its id, which comes again after a failover that lost WAL or after a restore.

-- name: up
ALTER TABLE howdah.process_node
    ADD COLUMN incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN returned integer NOT NULL DEFAULT 0,
    ADD COLUMN replaced boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN howdah.process_node.incarnation IS 'random: two nodes never have the same, even if they have the same id';
COMMENT ON COLUMN howdah.process_node.returned IS 'how often it has taken its lock again after its session was lost';
COMMENT ON COLUMN howdah.process_node.replaced IS 'whether its program goes on as another node: then its end does not count as a death';
COMMENT ON COLUMN howdah.process.turn IS
    'names one claim: random when a node takes the process, one more with each step; what is written under another turn is refused';

INSERT INTO howdah.migration (feature, version) VALUES ('process', 5);
