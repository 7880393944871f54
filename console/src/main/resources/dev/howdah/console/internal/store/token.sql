-- Tokens of the console and the HTTP API.

-- name: token_table
SELECT to_regclass('howdah_internal.console_token') IS NOT NULL;

-- name: token_find
-- $1 the SHA-256 of a token.
SELECT t.id, t.name, t.role, t.expires, t.queues
FROM howdah_internal.console_token t
WHERE t.hash = $1
    AND t.revoked IS NULL
    AND (t.expires IS NULL OR t.expires > clock_timestamp());

-- name: token_used
-- Written once a minute at most.
UPDATE howdah_internal.console_token
SET used = now()
WHERE id = $1 AND (used IS NULL OR used < now() - interval '1 minute');

-- name: token_add
-- $1 the name, $2 the hash, $3 the role, $4 seconds until it expires, NULL for never, $5 by whom,
-- NULL for the caller of the console or the role of the session, $6 the queues, NULL for all.
INSERT INTO howdah_internal.console_token (name, hash, role, expires, created_by, queues)
VALUES (
    $1, $2, $3, now() + $4::bigint * interval '1 second',
    COALESCE($5, NULLIF(current_setting('howdah.actor', true), ''), session_user), $6)
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
