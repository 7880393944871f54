-- Tokens of the console and the HTTP API.

-- name: token_table
SELECT to_regclass('howdah_internal.console_token') IS NOT NULL;

-- name: token_find
-- :hash the SHA-256 of a token.
SELECT t.id, t.name, t.role, t.expires, t.queues
FROM howdah_internal.console_token t
WHERE t.hash = :hash
    AND t.revoked IS NULL
    AND (t.expires IS NULL OR t.expires > clock_timestamp());

-- name: token_used
-- Written once a minute at most.
UPDATE howdah_internal.console_token
SET used = now()
WHERE id = $1 AND (used IS NULL OR used < now() - interval '1 minute');

-- name: token_add(name, hash, role, seconds, actor, queues)
-- :seconds seconds until it expires, NULL for never, :actor by whom, NULL for the caller of the
-- console or the role of the sessionNULL for all.
INSERT INTO howdah_internal.console_token (name, hash, role, expires, created_by, queues)
VALUES (
    :name, :hash, :role, now() + :seconds::bigint * interval '1 second',
    COALESCE(:actor, NULLIF(current_setting('howdah.actor', true), ''), session_user), :queues)
RETURNING id;

-- name: token_list
-- Tokens that are accepted come first.
SELECT t.id, t.name, t.role, t.created, t.created_by, t.expires, t.used, t.revoked, t.queues
FROM howdah_internal.console_token t
ORDER BY t.revoked IS NOT NULL, t.name, t.id DESC
LIMIT 1000;

-- name: token_revoke
UPDATE howdah_internal.console_token
SET revoked = now()
WHERE name = $1 AND revoked IS NULL;
