-- Processes, version 4: whether others are told of a namespace stands where everybody sees it.

-- name: up
ALTER TABLE howdah.process_namespace ADD COLUMN outbox boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN howdah.process_namespace.outbox IS 'whether those who work it write notices; so does then whoever repairs a process without its processor';

INSERT INTO howdah.migration (feature, version) VALUES ('process', 4);
