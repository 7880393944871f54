-- Tokens: one signal of an outside party ----------------------------------------------------------
--
-- A token is a secret that a handler gives away, such as in the link of a mail: with it one signal
-- can be sent to its job, without any other right. Only its digest is kept. The first token of a
-- name that is used ends all of that name that the job has then, as does the end of the job.

CREATE TABLE howdah_internal.job_token (
    digest bytea PRIMARY KEY CHECK (length(digest) = 32),
    job bigint NOT NULL,
    name text NOT NULL,
    until timestamptz NOT NULL,
    used timestamptz
);
CREATE INDEX job_token_job ON howdah_internal.job_token (job, name);
CREATE INDEX job_token_until ON howdah_internal.job_token (until);
COMMENT ON TABLE howdah_internal.job_token IS
    'Secrets with each of which one signal can be sent to one job. Kept for a week beyond their '
    'time, so that it can be said that it is over.';
COMMENT ON COLUMN howdah_internal.job_token.digest IS
    'of the token, by SHA-256: the token itself is kept nowhere';
COMMENT ON COLUMN howdah_internal.job_token.used IS
    'when it, or another one of that name to the job, was used';

CREATE FUNCTION howdah_internal.signal_token(
    job bigint, name text, keep interval DEFAULT interval '30 days')
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    -- Of 244 random bits, 160.
    token CONSTANT text := encode(
        substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 20),
        'hex');
BEGIN
    PERFORM howdah_internal.check_name('signal', signal_token.name);
    IF signal_token.keep <= interval '0' OR signal_token.keep > interval '1000 years' THEN
        RAISE 'a token for signal "%" is kept for %: it has to be more than 0, up to 1000 years',
            signal_token.name, signal_token.keep
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO howdah_internal.job_token (digest, job, name, until)
    VALUES (
        sha256(convert_to(token, 'UTF8')), signal_token.job, signal_token.name,
        clock_timestamp() + COALESCE(signal_token.keep, interval '30 days'));
    RETURN token;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.signal_token(bigint, text, interval) IS
    'Makes a secret with which an outside party can send one signal of that name to the job, by '
    'the console: a token of 40 characters. It is not kept, and cannot be made again.';

-- What a token is good for. No row: there is none, or none any more. is_open: it can be used.
CREATE FUNCTION howdah_internal.token_find(with_digest bytea)
RETURNS TABLE (job bigint, name text, is_open boolean)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT t.job, t.name,
        t.used IS NULL
            AND t.until > now()
            AND EXISTS (
                SELECT
                FROM howdah.find(t.job) f
                WHERE f.state NOT IN ('done', 'failed', 'cancelled'))
    FROM howdah_internal.job_token t
    WHERE t.digest = with_digest
$howdah$;

-- Sends the signal of a token. unknown: there is none; over: it was used, or its time or its job
-- has ended.
CREATE FUNCTION howdah_internal.token_use(with_digest bytea, payload json)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    token howdah_internal.job_token;
    is_used boolean;
BEGIN
    SELECT t.* INTO token FROM howdah_internal.job_token t WHERE t.digest = with_digest;
    IF token.job IS NULL THEN
        RETURN 'unknown';
    END IF;
    -- All of that name, in one order: another one may be used at the same moment.
    -- That was there when one of them was used, it is used with it: a later one is a new question.
    SELECT bool_or(l.used IS NOT NULL) FILTER (WHERE l.digest = with_digest) INTO is_used
    FROM (
        SELECT t.digest, t.used
        FROM howdah_internal.job_token t
        WHERE t.job = token.job AND t.name = token.name
        ORDER BY t.digest
        FOR UPDATE) l;
    IF is_used OR token.until <= now() THEN
        RETURN 'over';
    END IF;
    IF howdah_internal.signal(token.job, token.name, payload) <> 'kept' THEN
        RETURN 'over';
    END IF;
    UPDATE howdah_internal.job_token t
    SET used = clock_timestamp()
    WHERE t.job = token.job AND t.name = token.name AND t.used IS NULL;
    RETURN 'kept';
END
$howdah$;
