-- Templates and documents, and the functions that add tasks which reach out: made where
-- pg_task.functions asks for them, for all tables of a database.

-- name: template_table
CREATE TABLE howdah.template (
    name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9._-]{0,62}$'),
    version integer NOT NULL CHECK (version > 0),
    kind text NOT NULL CHECK (kind IN ('html', 'text')),
    body text NOT NULL CHECK (octet_length(body) <= 1048576),
    raw boolean NOT NULL DEFAULT false,
    owner regrole NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    retired timestamptz,
    PRIMARY KEY (name, version),
    CONSTRAINT template_values_are_escaped
        CHECK (raw OR kind = 'text' OR body !~ E'\\{\\{\\s*[{&=]'));
COMMENT ON TABLE howdah.template IS
    'Templates of documents and mails, with all versions; written by howdah.template.';

-- name: template_guard
-- A version is never changed, so that a document can be made again, and only members of the role
-- that made the first one add others.
CREATE OR REPLACE FUNCTION howdah.template_guard()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    first regrole := (
        SELECT t.owner FROM howdah.template t WHERE t.name = NEW.name ORDER BY t.version LIMIT 1);
BEGIN
    IF first IS NOT NULL AND NOT pg_has_role(first, 'MEMBER') THEN
        RAISE 'the template "%" belongs to role %', NEW.name, first
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.owner := quote_ident(current_user)::regrole;
        NEW.created := now();
    ELSIF (NEW.name, NEW.version, NEW.kind, NEW.body, NEW.raw, NEW.owner, NEW.created)
            IS DISTINCT FROM
            (OLD.name, OLD.version, OLD.kind, OLD.body, OLD.raw, OLD.owner, OLD.created) THEN
        RAISE 'a version of a template cannot be changed, but for retired'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Add another version: SELECT howdah.template(name, body).';
    END IF;
    RETURN NEW;
END
$howdah$;
COMMENT ON FUNCTION howdah.template_guard() IS 'Keeps versions of templates as they are.';

-- name: template_trigger
CREATE TRIGGER template_guard BEFORE INSERT OR UPDATE ON howdah.template
    FOR EACH ROW EXECUTE PROCEDURE howdah.template_guard();

-- name: document_table
CREATE TABLE howdah.document (
    id uuid PRIMARY KEY,
    "table" regclass NOT NULL,
    task bigint NOT NULL,
    key text NOT NULL UNIQUE,
    owner regrole NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    bytes bytea NOT NULL,
    sha256 bytea NOT NULL,
    pages integer NOT NULL,
    template text NOT NULL,
    version integer NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    expires timestamptz);
COMMENT ON TABLE howdah.document IS
    'Documents that tasks have made; a role sees those of the roles that it is a member of.';

-- name: document_storage
-- What is in a PDF is compressed already.
ALTER TABLE howdah.document ALTER bytes SET STORAGE EXTERNAL;

-- name: document_index_task
CREATE INDEX document_task_idx ON howdah.document (task);

-- name: document_index_expires
CREATE INDEX document_expires_idx ON howdah.document (expires) WHERE expires IS NOT NULL;

-- name: document_security
ALTER TABLE howdah.document ENABLE ROW LEVEL SECURITY;

-- name: document_policy
CREATE POLICY document_owner ON howdah.document USING (pg_has_role(owner, 'MEMBER'));

-- name: document_grant
GRANT SELECT, DELETE ON howdah.document TO PUBLIC;

-- name: template_read(name, version, role)
-- One version, or the newest, for a role that may read templates. :name name, :version version or
-- NULL.
SELECT t.name, t.version, t.kind, t.body
FROM howdah.template t
WHERE t.name = :name::text
    AND t.version = COALESCE(
        :version::integer,
        (SELECT max(n.version)
         FROM howdah.template n
         WHERE n.name = :name::text AND n.retired IS NULL))
    AND has_table_privilege(:role::name, 'howdah.template', 'SELECT');

-- name: document_read(document, role)
-- :document its id, :role the role that wants to use it.
SELECT d.name, d.type, d.bytes
FROM howdah.document d
WHERE d.id = :document::uuid AND pg_has_role(:role::name, d.owner::oid, 'MEMBER');

-- name: document_of_task(table, attempt, role)
-- :table the table's OID, :attempt the id of the first attempt, :role the role that wants to use
-- it.
SELECT d.name, d.type, d.bytes
FROM howdah.document d
WHERE d.task = :attempt::bigint
    AND d."table" = :table::bigint::oid::regclass
    AND pg_has_role(:role::name, d.owner::oid, 'MEMBER')
ORDER BY d.created DESC
LIMIT 1;

-- name: document_add
-- A run after a crash finds what an earlier one has written. :task the id of the first attempt.
INSERT INTO howdah.document (
    id, "table", task, key, owner, name, type, bytes, sha256, pages, template, version, expires)
SELECT :id::uuid, :table_oid::bigint::oid::regclass, :task::bigint, :key::text, r.oid::regrole,
    :name::text, :type::text, :bytes::bytea, :hash::bytea, :pages::integer, :template::text,
    :version::integer, now() + :seconds::float8 * interval '1 second'
FROM pg_roles r
WHERE r.rolname = :owner::name
ON CONFLICT (key) DO NOTHING;

-- name: document_found
-- :key the task's key.
SELECT d.id FROM howdah.document d WHERE d.key = :key::text;

-- name: document_delete_expired
-- A few with each new one.
DELETE FROM howdah.document
WHERE id IN (SELECT d.id FROM howdah.document d WHERE d.expires < now() LIMIT 10);

-- name: function_template
CREATE OR REPLACE FUNCTION howdah.template(
    name text, body text, kind text DEFAULT NULL, raw boolean DEFAULT false)
RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    known howdah.template;
    kind_of text := COALESCE(
        template.kind, CASE WHEN template.body ~ E'^\\s*<' THEN 'html' ELSE 'text' END);
BEGIN
    SELECT t.* INTO known FROM howdah.template t
    WHERE t.name = template.name ORDER BY t.version DESC LIMIT 1;
    IF known.body = template.body AND known.kind = kind_of AND known.raw = template.raw
            AND known.retired IS NULL THEN
        RETURN known.version;
    END IF;
    IF NOT template.raw AND kind_of = 'html' AND template.body ~ E'\\{\\{\\s*[{&=]' THEN
        RAISE 'the template "%" has values that are not escaped: {{{x}}} or {{&x}}', template.name
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Write {{x}}, or raw => true where the data are HTML that is trusted.';
    END IF;
    INSERT INTO howdah.template (name, version, kind, body, raw)
    VALUES (template.name, COALESCE(known.version, 0) + 1, kind_of, template.body, template.raw);
    RETURN COALESCE(known.version, 0) + 1;
END
$howdah$;

-- name: function_percent
-- A value of an option of a remote: bytes that have a meaning there are written with %.
CREATE OR REPLACE FUNCTION howdah.percent(value text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT COALESCE(string_agg(
        CASE WHEN c.one ~ '^[A-Za-z0-9._~/:@,-]$' THEN c.one
             ELSE regexp_replace(
                upper(encode(convert_to(c.one, 'UTF8'), 'hex')), '(..)', E'%\\1', 'g') END,
        '' ORDER BY c.place), '')
    FROM regexp_split_to_table(value, '') WITH ORDINALITY c (one, place)
$howdah$;

-- name: function_remote
-- The remote with those options that are not null.
CREATE OR REPLACE FUNCTION howdah.remote(base text, mark text, options jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT base || COALESCE(
        CASE WHEN strpos(base, mark) > 0 THEN '&' ELSE mark END
        || string_agg(o.key || '=' || howdah.percent(o.value), '&' ORDER BY o.key), '')
    FROM jsonb_each_text(jsonb_strip_nulls(options)) o
$howdah$;

-- name: function_task_columns
-- What all tasks that reach out take, by the names of columns.
CREATE OR REPLACE FUNCTION howdah.task_columns(
    "group" text, plan timestamptz, max bigint, timeout interval, active interval,
    attempts bigint, backoff interval, after bigint[], notify text, note text,
    duration interval, on_failure text)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT jsonb_build_object(
        'group', "group", 'plan', plan, 'max', max, 'timeout', timeout, 'active', active,
        'attempts', attempts, 'backoff', backoff, 'after', after, 'notify', notify, 'data', note,
        'duration', duration, 'on_failure', on_failure)
$howdah$;

-- name: function_send
-- Adds a task that reaches out; columns that are null take their defaults.
CREATE OR REPLACE FUNCTION howdah.send(
    remote text, input text, usual jsonb, given jsonb, "table" regclass)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    target regclass := howdah.task_table("table");
    columns jsonb := usual || jsonb_strip_nulls(given)
        || jsonb_build_object('remote', remote, 'input', COALESCE(input, ''));
    names text := (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(columns) k);
    added bigint;
BEGIN
    EXECUTE format(
        'INSERT INTO %s (%s) SELECT %s FROM jsonb_populate_record(NULL::%s, $1) RETURNING id',
        target, names, names, target) INTO added USING columns;
    RETURN added;
END
$howdah$;

-- name: function_document_name
-- As a document is named in an option of a remote; null for none.
CREATE OR REPLACE FUNCTION howdah.document_name(document uuid, document_of bigint)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF document IS NOT NULL AND document_of IS NOT NULL THEN
        RAISE 'a document is named by its id or by the task that makes it, not by both'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN COALESCE('document:' || document, 'task:' || document_of);
END
$howdah$;

-- name: function_http
CREATE OR REPLACE FUNCTION howdah.http(
    url text, body text DEFAULT NULL, payload jsonb DEFAULT NULL, method text DEFAULT NULL,
    type text DEFAULT NULL, ok text DEFAULT NULL, answer text DEFAULT NULL,
    credential text DEFAULT NULL, key text DEFAULT NULL, "group" text DEFAULT NULL,
    plan timestamptz DEFAULT NULL, max bigint DEFAULT NULL, timeout interval DEFAULT NULL,
    active interval DEFAULT NULL, attempts bigint DEFAULT NULL, backoff interval DEFAULT NULL,
    after bigint[] DEFAULT NULL, notify text DEFAULT NULL, note text DEFAULT NULL,
    "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL,
    headers jsonb DEFAULT NULL, document uuid DEFAULT NULL, document_of bigint DEFAULT NULL,
    parts jsonb DEFAULT NULL, sign text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    named text := howdah.document_name(document, document_of);
    remote text;
BEGIN
    IF url IS NULL OR url !~* E'^https?://[^/@]+(/|\\?|#|$)' THEN
        RAISE 'url has to be such as https://api.example/v1/charges, without a user before the host'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF num_nonnulls(body, payload, named, parts) > 1 THEN
        RAISE 'a request has a body, a payload, a document or parts, not several of them'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF parts IS NOT NULL AND jsonb_typeof(parts) <> 'array' THEN
        RAISE 'parts are an array of JSON: [{"name": "file", "task": 17}]'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF headers IS NOT NULL AND jsonb_typeof(headers) <> 'object' THEN
        RAISE 'headers are an object of JSON: {"Accept": "text/csv"}'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF EXISTS (SELECT FROM jsonb_object_keys(headers) k WHERE k !~ '^[A-Za-z0-9_-]+$') THEN
        RAISE 'the name of a header consists of letters, digits, - and _'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    remote := howdah.remote(url, '#', jsonb_build_object(
        'method', method, 'type', type, 'ok', ok, 'answer', answer, 'as', credential,
        'key', key, 'body', named, 'sign', sign,
        'input', CASE WHEN parts IS NOT NULL THEN 'multipart' END));
    remote := remote || COALESCE(
        (SELECT CASE WHEN strpos(remote, '#') > 0 THEN '&' ELSE '#' END || string_agg(
             'header=' || howdah.percent(h.key || ': ' || h.value), '&' ORDER BY h.key)
         FROM jsonb_each_text(headers) h
         WHERE h.value IS NOT NULL), '');
    RETURN howdah.send(
        remote,
        COALESCE(body, payload::text, parts::text),
        '{"attempts": 10, "active": "7 days"}' || COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, max, timeout, active, attempts, backoff,
            NULLIF(
                COALESCE(after, '{}') || array_remove(ARRAY[document_of], NULL) || ARRAY(
                    SELECT DISTINCT (p -> 'task')::text::bigint
                    FROM jsonb_array_elements(parts) p
                    WHERE jsonb_typeof(p -> 'task') = 'number'),
                '{}'),
            notify,
            note, duration, on_failure),
        "table");
END
$howdah$;

-- name: function_pdf
CREATE OR REPLACE FUNCTION howdah.pdf(
    template text, data jsonb DEFAULT '{}', name text DEFAULT NULL, version bigint DEFAULT NULL,
    page text DEFAULT 'A4', landscape boolean DEFAULT false, keep interval DEFAULT NULL,
    "group" text DEFAULT NULL, plan timestamptz DEFAULT NULL, max bigint DEFAULT NULL,
    timeout interval DEFAULT NULL, active interval DEFAULT NULL, attempts bigint DEFAULT NULL,
    backoff interval DEFAULT NULL, after bigint[] DEFAULT NULL, notify text DEFAULT NULL,
    note text DEFAULT NULL, "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN howdah.send(
        'howdah:pdf',
        jsonb_build_object(
            'template', template, 'version', howdah.template_version(template, version), 'data',
            data, 'name', COALESCE(name, template || '.pdf'), 'page', page, 'landscape', landscape,
            'keep', extract(epoch FROM keep))::text,
        '{"attempts": 5, "active": "1 day", "timeout": "2 minutes"}' || COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, max, timeout, active, attempts, backoff, after, notify, note,
            duration, on_failure),
        "table");
END
$howdah$;

-- name: function_render
CREATE OR REPLACE FUNCTION howdah.render(
    template text, data jsonb DEFAULT '{}', version bigint DEFAULT NULL,
    "group" text DEFAULT NULL, plan timestamptz DEFAULT NULL, timeout interval DEFAULT NULL,
    active interval DEFAULT NULL, attempts bigint DEFAULT NULL, after bigint[] DEFAULT NULL,
    note text DEFAULT NULL, "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN howdah.send(
        'howdah:text',
        jsonb_build_object(
            'template', template, 'version', howdah.template_version(template, version), 'data',
            data)::text,
        '{"attempts": 5, "active": "1 day", "timeout": "2 minutes"}' || COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, NULL, timeout, active, attempts, NULL, after, NULL, note,
            duration, on_failure),
        "table");
END
$howdah$;

-- name: function_template_version
-- The version that a task is to use: a template that changes later does not change the task.
CREATE OR REPLACE FUNCTION howdah.template_version(template text, wanted bigint)
RETURNS integer
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    found integer := (
        SELECT max(t.version) FROM howdah.template t
        WHERE t.name = template
            AND CASE WHEN wanted IS NULL THEN t.retired IS NULL ELSE t.version = wanted END);
BEGIN
    IF found IS NULL THEN
        RAISE 'there is no template "%"%', template, COALESCE(' of version ' || wanted, '')
            USING ERRCODE = 'no_data_found';
    END IF;
    RETURN found;
END
$howdah$;

-- name: function_mail
CREATE OR REPLACE FUNCTION howdah.mail(
    "to" text, template text DEFAULT NULL, data jsonb DEFAULT '{}', subject text DEFAULT NULL,
    "text" text DEFAULT NULL, html text DEFAULT NULL, attach bigint[] DEFAULT NULL,
    documents uuid[] DEFAULT NULL, cc text DEFAULT NULL, bcc text DEFAULT NULL,
    sender text DEFAULT NULL, reply_to text DEFAULT NULL, headers jsonb DEFAULT NULL,
    place text DEFAULT NULL, "group" text DEFAULT NULL, plan timestamptz DEFAULT NULL,
    max bigint DEFAULT NULL, timeout interval DEFAULT NULL, active interval DEFAULT NULL,
    attempts bigint DEFAULT NULL, backoff interval DEFAULT NULL, after bigint[] DEFAULT NULL,
    notify text DEFAULT NULL, note text DEFAULT NULL, "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL,
    pictures jsonb DEFAULT NULL, key text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    server text := COALESCE(place, NULLIF(current_setting('pg_task.mail', true), ''));
    parts jsonb;
BEGIN
    IF server IS NULL THEN
        RAISE 'place is null: there is no mail server' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Give place => ''smtp://mail.example?as=NAME'', or set pg_task.mail to that.';
    ELSIF "to" IS NULL OR "to" = '' THEN
        RAISE 'a mail has to have an address' USING ERRCODE = 'null_value_not_allowed';
    ELSIF concat(subject, "to", cc, bcc, sender, reply_to) ~ E'[\\r\\n]' THEN
        RAISE 'subject and addresses of a mail are one line each'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF pictures IS NOT NULL AND jsonb_typeof(pictures) <> 'object' THEN
        RAISE 'pictures are an object of JSON: {"logo": {"type": "image/png", "base64": "..."}}'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF EXISTS (SELECT FROM jsonb_each(pictures) p WHERE jsonb_typeof(p.value) <> 'object') THEN
        RAISE 'a picture is an object of JSON: {"type": "image/png", "base64": "..."}'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF template IS NULL AND "text" IS NULL AND html IS NULL THEN
        RAISE 'a mail has a template, a text or html' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF template IS NOT NULL THEN
        SELECT jsonb_object_agg(p.part, p.version) INTO parts
        FROM (SELECT k.part, max(t.version)
              FROM unnest('{subject,text,html}'::text[]) k (part)
              JOIN howdah.template t ON t.name = template || '.' || k.part AND t.retired IS NULL
              GROUP BY k.part) p (part, version);
        IF parts IS NULL OR NOT (parts ? 'text' OR parts ? 'html') THEN
            RAISE 'there is no template "%.text" or "%.html"', template, template
                USING ERRCODE = 'no_data_found';
        ELSIF subject IS NULL AND NOT parts ? 'subject' THEN
            RAISE 'there is no template "%.subject", and no subject', template
                USING ERRCODE = 'no_data_found';
        END IF;
    END IF;
    RETURN howdah.send(
        howdah.remote(server, '?', jsonb_build_object('key', key)),
        jsonb_strip_nulls(jsonb_build_object(
            'to', "to", 'cc', cc, 'bcc', bcc, 'from', sender, 'replyTo', reply_to, 'subject',
            subject, 'text', "text", 'html', html, 'headers', headers, 'template', template,
            'versions', parts, 'data', CASE WHEN template IS NULL THEN NULL ELSE data END,
            'attach', (
                SELECT jsonb_agg(a.one)
                FROM (SELECT jsonb_build_object('task', t) FROM unnest(attach) t
                      UNION ALL
                      SELECT jsonb_build_object('document', d) FROM unnest(documents) d
                      UNION ALL
                      SELECT p.value || jsonb_build_object('inline', p.key)
                      FROM jsonb_each(pictures) p) a (one)))
        )::text,
        '{"attempts": 10, "active": "7 days", "timeout": "2 minutes"}' || COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, max, timeout, active, attempts, backoff,
            NULLIF(COALESCE(after, '{}') || COALESCE(attach, '{}'), '{}'), notify, note,
            duration, on_failure),
        "table");
END
$howdah$;

-- name: function_ssh
CREATE OR REPLACE FUNCTION howdah.ssh(
    target text, command text DEFAULT NULL, args text[] DEFAULT NULL, lines text[] DEFAULT NULL,
    device text DEFAULT NULL, credential text DEFAULT NULL, "group" text DEFAULT NULL,
    plan timestamptz DEFAULT NULL, max bigint DEFAULT NULL, timeout interval DEFAULT NULL,
    active interval DEFAULT NULL, attempts bigint DEFAULT NULL, backoff interval DEFAULT NULL,
    after bigint[] DEFAULT NULL, notify text DEFAULT NULL, note text DEFAULT NULL,
    "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL,
    answer text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    sent text := CASE WHEN lines IS NULL THEN command ELSE array_to_string(lines, E'\n') END;
BEGIN
    IF target IS NULL OR target !~* '^ssh://' THEN
        RAISE 'target has to be such as ssh://switch@r17.net.example'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF (command IS NULL) = (lines IS NULL) THEN
        RAISE 'a command is given, or the lines for a device'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF (device IS NULL) <> (lines IS NULL) THEN
        RAISE 'lines are for a device: device => ''ios''' USING ERRCODE = 'invalid_parameter_value';
    ELSIF EXISTS (SELECT FROM unnest(lines || args) l WHERE l ~ '[[:cntrl:]]') THEN
        RAISE 'a line or an argument has a control character'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- An argument is one word of the shell at the other side, whatever it holds.
    SELECT concat_ws(
        ' ', sent, string_agg('''' || replace(a, '''', E'''\\''''') || '''', ' ' ORDER BY n))
    INTO sent FROM unnest(args) WITH ORDINALITY u (a, n);
    RETURN howdah.send(
        howdah.remote(target, '?', jsonb_build_object(
            'as', credential, 'device', device, 'answer', answer)),
        sent, COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, max, timeout, active, attempts, backoff, after, notify, note,
            duration, on_failure),
        "table");
END
$howdah$;

-- name: function_sftp
CREATE OR REPLACE FUNCTION howdah.sftp(
    target text, content text DEFAULT NULL, op text DEFAULT NULL, credential text DEFAULT NULL,
    "group" text DEFAULT NULL, plan timestamptz DEFAULT NULL, max bigint DEFAULT NULL,
    timeout interval DEFAULT NULL,
    active interval DEFAULT NULL, attempts bigint DEFAULT NULL, backoff interval DEFAULT NULL,
    after bigint[] DEFAULT NULL, notify text DEFAULT NULL, note text DEFAULT NULL,
    "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL,
    document uuid DEFAULT NULL, document_of bigint DEFAULT NULL, answer text DEFAULT NULL,
    move_to text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    named text := howdah.document_name(document, document_of);
    puts boolean := content IS NOT NULL OR named IS NOT NULL;
    work text := COALESCE(
        op, CASE WHEN puts THEN 'put' WHEN move_to IS NOT NULL THEN 'move' ELSE 'get' END);
BEGIN
    IF target IS NULL OR target !~* '^sftp://[^/]+/' THEN
        RAISE 'target has to be such as sftp://bank@files.example/out/day.csv'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF work NOT IN ('put', 'get', 'move', 'list', 'delete') THEN
        RAISE 'op is "%": it has to be put, get, move, list or delete', op
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF (work = 'put') <> puts OR content IS NOT NULL AND named IS NOT NULL THEN
        RAISE 'op put needs either content or a document, and no other op takes one'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF (work = 'move') <> (move_to IS NOT NULL) THEN
        RAISE 'op move needs move_to, such as /done/day.csv, and no other op takes it'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN howdah.send(
        howdah.remote(target, '?', jsonb_build_object(
            'op', work, 'as', credential, 'body', named, 'answer', answer, 'to', move_to)),
        content, '{"attempts": 10, "active": "7 days"}' || COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, max, timeout, active, attempts, backoff,
            NULLIF(COALESCE(after, '{}') || array_remove(ARRAY[document_of], NULL), '{}'), notify,
            note, duration, on_failure),
        "table");
END
$howdah$;

-- name: function_exec
CREATE OR REPLACE FUNCTION howdah.exec(
    program text, args text[] DEFAULT '{}', input text DEFAULT '', "group" text DEFAULT NULL,
    plan timestamptz DEFAULT NULL, max bigint DEFAULT NULL, timeout interval DEFAULT NULL,
    active interval DEFAULT NULL, attempts bigint DEFAULT NULL, backoff interval DEFAULT NULL,
    after bigint[] DEFAULT NULL, notify text DEFAULT NULL, note text DEFAULT NULL,
    "table" regclass DEFAULT NULL,
    duration interval DEFAULT NULL, on_failure text DEFAULT NULL, options jsonb DEFAULT NULL,
    answer text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF program IS NULL OR program !~ '^[A-Za-z0-9._-]+$' THEN
        RAISE 'program has to be the name of one that the daemon has, such as backup, not %',
            COALESCE('"' || program || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF array_position(args, NULL) IS NOT NULL THEN
        RAISE 'an argument is null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    RETURN howdah.send(
        howdah.remote(
            'exec:' || program || COALESCE(
                (SELECT '?' || string_agg('arg=' || howdah.percent(a), '&' ORDER BY n)
                 FROM unnest(args) WITH ORDINALITY u (a, n)), ''),
            '?', jsonb_build_object('answer', answer)),
        input, COALESCE(options, '{}'),
        howdah.task_columns(
            "group", plan, max, timeout, active, attempts, backoff, after, notify, note,
            duration, on_failure),
        "table");
END
$howdah$;
