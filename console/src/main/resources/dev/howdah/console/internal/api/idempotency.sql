-- Idempotency keys of the HTTP API.

-- name: request_key_table
SELECT EXISTS (
    SELECT FROM pg_attribute a
    WHERE a.attrelid = to_regclass('howdah_internal.api_key') AND a.attname = 'answer'
        AND NOT a.attisdropped);

-- name: request_key_clean
-- Some of those that are older than a day; another transaction may delete them already.
DELETE FROM howdah_internal.api_key
WHERE (actor, key) IN (
    SELECT k.actor, k.key
    FROM howdah_internal.api_key k
    WHERE k.at < now() - interval '24 hours'
    ORDER BY k.at
    LIMIT 100
    FOR UPDATE SKIP LOCKED);

-- name: request_key_take(actor, key, digest)
-- :digest the digest of the request. Waits for another transaction that takes it.
INSERT INTO howdah_internal.api_key (actor, key, digest)
VALUES (:actor, :key, :digest)
ON CONFLICT (actor, key) DO NOTHING;

-- name: request_key_find
SELECT k.digest, k.answer
FROM howdah_internal.api_key k
WHERE k.actor = $1 AND k.key = $2;

-- name: request_key_set
UPDATE howdah_internal.api_key
SET answer = $3
WHERE actor = $1 AND key = $2;
