-- Tokens of workers, and idempotency keys of requests that add anything.

ALTER TABLE howdah.console_token DROP CONSTRAINT console_token_role_check;
ALTER TABLE howdah.console_token ADD CONSTRAINT console_token_role_check
    CHECK (role IN ('worker', 'viewer', 'operator', 'administrator'));

-- A key of before is of no request that comes again: its digest has no path.
DELETE FROM howdah.api_key;
ALTER TABLE howdah.api_key DROP COLUMN job;
ALTER TABLE howdah.api_key DROP COLUMN added;
ALTER TABLE howdah.api_key ADD COLUMN answer text;
COMMENT ON TABLE howdah.api_key IS
    'Idempotency keys of the HTTP API, for 24 hours: written in the transaction that adds what the '
    'request asks for.';
COMMENT ON COLUMN howdah.api_key.digest IS 'the SHA-256 of the path and the body of the request';
COMMENT ON COLUMN howdah.api_key.answer IS 'the JSON that was answered';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('console', 4, '004-console.sql');
