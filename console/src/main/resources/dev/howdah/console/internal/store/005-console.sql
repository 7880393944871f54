-- Tokens of producers, and queues of tokens of programs.

ALTER TABLE howdah.console_token DROP CONSTRAINT console_token_role_check;
ALTER TABLE howdah.console_token ADD CONSTRAINT console_token_role_check
    CHECK (role IN ('worker', 'producer', 'viewer', 'operator', 'administrator'));
ALTER TABLE howdah.console_token ADD COLUMN queues text[];
ALTER TABLE howdah.console_token ADD CONSTRAINT console_token_queues_check
    CHECK (queues IS NULL AND role <> 'producer'
        OR cardinality(queues) > 0 AND role IN ('worker', 'producer'));
COMMENT ON COLUMN howdah.console_token.queues IS
    'the queues that a worker or a producer may use; NULL: all, which no producer may';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('console', 5, '005-console.sql');
