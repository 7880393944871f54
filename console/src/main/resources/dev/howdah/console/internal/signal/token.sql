-- Signals of outside parties, which have a token. The digest of a token is all that is told of it.

-- name: signal_token_find(digest)
SELECT t.job, t.name, t.is_open FROM howdah_internal.token_find(:digest::bytea) t;

-- name: signal_token_use(digest, payload)
SELECT howdah_internal.token_use(:digest::bytea, :payload::text::json);
