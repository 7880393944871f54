-- The tables of the console: tokens, the audit log, changes of many objects, and idempotency keys
-- of the HTTP API.

CREATE TABLE howdah_internal.console_token (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (name <> '' AND length(name) <= 100),
    hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    role text NOT NULL
        CHECK (role IN ('worker', 'producer', 'sender', 'viewer', 'operator', 'submitter',
            'administrator')),
    queues text[],
    created timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL DEFAULT session_user,
    expires timestamptz,
    used timestamptz,
    revoked timestamptz,
    CONSTRAINT console_token_queues_check CHECK (
        queues IS NULL AND role NOT IN ('producer', 'sender')
        OR cardinality(queues) > 0 AND role IN ('worker', 'producer', 'sender'))
);
CREATE UNIQUE INDEX console_token_name ON howdah_internal.console_token (name)
    WHERE revoked IS NULL;
COMMENT ON TABLE howdah_internal.console_token IS
    'Tokens of the console and the HTTP API. A row that may be inserted here is a login.';
COMMENT ON COLUMN howdah_internal.console_token.hash IS
    'the SHA-256 of the token, which itself is stored nowhere: it has 160 random bits';
COMMENT ON COLUMN howdah_internal.console_token.queues IS
    'the queues that a worker, producer or sender may use; NULL: all, which only a worker may';
COMMENT ON COLUMN howdah_internal.console_token.expires IS 'NULL: it does not expire';
COMMENT ON COLUMN howdah_internal.console_token.used IS 'the last use, to the minute';
COMMENT ON COLUMN howdah_internal.console_token.revoked IS 'since when it is not accepted any more';

CREATE TABLE howdah.audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    role text,
    via text NOT NULL CHECK (via IN ('console', 'api', 'cli', 'sql')),
    address text,
    action text NOT NULL CHECK (action <> ''),
    object text,
    before jsonb,
    after jsonb,
    outcome text NOT NULL CHECK (outcome IN ('begun', 'done', 'failed', 'refused')),
    message text,
    begun bigint,
    database_role text NOT NULL DEFAULT session_user
);
CREATE INDEX audit_at ON howdah.audit (at);
CREATE INDEX audit_actor ON howdah.audit (actor, id);
CREATE INDEX audit_object ON howdah.audit (object, id) WHERE object IS NOT NULL;
CREATE UNIQUE INDEX audit_begun ON howdah.audit (begun) WHERE begun IS NOT NULL;
COMMENT ON TABLE howdah.audit IS
    'Changes by the console, the HTTP API and the commands for tokens, and logins. Rows can be '
    'added, read, and deleted after 30 days; nothing else.';
COMMENT ON COLUMN howdah.audit.outcome IS
    'begun: written before the change, which happens only if this row is committed; the outcome '
    'follows in a row of its own, whose column begun has the id of this one';
COMMENT ON COLUMN howdah.audit.before IS 'the object before the change, without secrets';
COMMENT ON COLUMN howdah.audit.after IS
    'what was sent with the change, or the object after it, without secrets';

CREATE FUNCTION howdah_internal.audit_keep() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at < now() - interval '30 days' THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'rows of the audit table are kept as they are, for 30 days at least'
        USING ERRCODE = 'restrict_violation';
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.audit_keep() IS 'Keeps rows of howdah.audit as they are.';
CREATE TRIGGER audit_keep BEFORE UPDATE OR DELETE ON howdah.audit
    FOR EACH ROW EXECUTE FUNCTION howdah_internal.audit_keep();
CREATE TRIGGER audit_keep_all BEFORE TRUNCATE ON howdah.audit
    FOR EACH STATEMENT EXECUTE FUNCTION howdah_internal.audit_keep();
REVOKE ALL ON FUNCTION howdah_internal.audit_keep() FROM PUBLIC;

CREATE TABLE howdah_internal.console_change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text NOT NULL,
    back text NOT NULL,
    expected bigint,
    changed bigint NOT NULL DEFAULT 0,
    unchanged bigint NOT NULL DEFAULT 0,
    created timestamptz NOT NULL DEFAULT now(),
    started timestamptz,
    ended timestamptz,
    seen timestamptz NOT NULL DEFAULT now(),
    stopping boolean NOT NULL DEFAULT false,
    error text
) WITH (fillfactor = 50);
COMMENT ON TABLE howdah_internal.console_change IS
    'Changes of many objects that consoles make in the background, and how far they are; the '
    'newest thousand.';
COMMENT ON COLUMN howdah_internal.console_change.back IS
    'the path of the list that it was started from';
COMMENT ON COLUMN howdah_internal.console_change.seen IS
    'when the program that makes it said something last: it does every two seconds';
COMMENT ON COLUMN howdah_internal.console_change.stopping IS 'whether it was asked to stop';

CREATE TABLE howdah_internal.api_key (
    actor text NOT NULL,
    key text NOT NULL CHECK (key <> '' AND length(key) <= 255),
    digest text NOT NULL,
    answer text,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor, key)
);
CREATE INDEX api_key_at ON howdah_internal.api_key (at);
COMMENT ON TABLE howdah_internal.api_key IS
    'Idempotency keys of the HTTP API, for 24 hours: written in the transaction that adds what the '
    'request asks for.';
COMMENT ON COLUMN howdah_internal.api_key.digest IS
    'the SHA-256 of the path and the body of the request';
COMMENT ON COLUMN howdah_internal.api_key.answer IS 'the JSON that was answered';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('console', 1, '001-console.sql');
