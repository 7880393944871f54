-- Idempotency keys of the HTTP API.

CREATE TABLE howdah.api_key (
    actor text NOT NULL,
    key text NOT NULL CHECK (key <> '' AND length(key) <= 255),
    digest text NOT NULL,
    job bigint,
    added boolean,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor, key)
);
CREATE INDEX api_key_at ON howdah.api_key (at);
COMMENT ON TABLE howdah.api_key IS
    'Idempotency keys of the HTTP API, for 24 hours: written in the transaction that adds the job.';
COMMENT ON COLUMN howdah.api_key.digest IS 'the SHA-256 of the body of the request';
COMMENT ON COLUMN howdah.api_key.added IS 'false: another job had the key of the job';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('console', 3, '003-console.sql');
