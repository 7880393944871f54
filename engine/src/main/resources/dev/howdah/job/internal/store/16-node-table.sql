-- Jobs, version 16: a node is known by more than its id, which comes again after a failover that lost WAL or after a restore.

-- name: up
INSERT INTO howdah.migration (feature, version) VALUES ('job', 16);

-- name: node
ALTER TABLE howdah.node
    ADD COLUMN incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN returned integer NOT NULL DEFAULT 0,
    ADD COLUMN replaced boolean NOT NULL DEFAULT false;

-- name: incarnation_comment
COMMENT ON COLUMN howdah.node.incarnation IS 'random: two nodes never have the same, even if they have the same id';

-- name: returned_comment
COMMENT ON COLUMN howdah.node.returned IS 'how often it has taken its lock again after its session was lost';

-- name: replaced_comment
COMMENT ON COLUMN howdah.node.replaced IS 'whether its program goes on as another node: then its end does not count as a death';
