-- Processes, version 6: a request is known by more than its ids, which come again after a failover that lost WAL or after a restore.

-- name: up
ALTER TABLE howdah.process_task ADD COLUMN token bigint;
ALTER TABLE howdah.process_reply ADD COLUMN token bigint;
COMMENT ON COLUMN howdah.process_task.token IS
    'random: a caller takes the answer of this request only; NULL: a timer, or written by an earlier version';
COMMENT ON COLUMN howdah.process_reply.token IS 'that of the request; NULL: written by an earlier version';

INSERT INTO howdah.migration (feature, version) VALUES ('process', 6);
