-- The functions that add jobs, for each form in which drivers send JSON: json, jsonb, and values
-- without a type, for which the server takes the variant with a text, so that no call is ambiguous.
-- The variants have no privileges of their own, beside those of the functions that they call.

-- A priority that is NULL is one that is absent.
DO $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND p.proname IN (
                'add', 'add_keyed_many', 'add_many', 'add_ordered', 'add_to_workflow', 'schedule')
            AND strpos(p.prosrc, 'howdah.check_priority(') > 0
    LOOP
        EXECUTE regexp_replace(
            pg_get_functiondef(each), 'howdah[.]check_priority[(]([a-z0-9_.$]+)[)]',
            E'howdah.check_priority(COALESCE(\\1, 0))');
    END LOOP;
END
$howdah$;

CREATE FUNCTION howdah.payload_list(payloads text)
RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT CASE
        WHEN left(ltrim($1, E' \t\r\n'), 1) = '[' THEN ARRAY(
            SELECT e.value::text
            FROM json_array_elements($1::json) WITH ORDINALITY AS e (value, n)
            ORDER BY e.n)
        ELSE $1::text[]
    END
$howdah$;
COMMENT ON FUNCTION howdah.payload_list(text) IS
    'The payloads in a text: that of an array of PostgreSQL, or of JSON.';

CREATE FUNCTION howdah.add_many(
    queue text, kind text, payloads text, priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_many($1, $2, howdah.payload_list($3)::json[], $4, $5, $6, $7, $8, $9)
$howdah$;
COMMENT ON FUNCTION howdah.add_many(
    text, text, text, integer, timestamptz, interval, integer, interval, jsonb) IS
    'The same with the payloads in a text: an array of PostgreSQL, or of JSON.';

CREATE FUNCTION howdah.add_keyed_many(
    queue text, kind text, payloads text, keys text[], versions timestamptz[] DEFAULT NULL,
    priority integer DEFAULT 0, options jsonb DEFAULT NULL)
RETURNS TABLE (id bigint, added boolean)
LANGUAGE sql
AS $howdah$
    SELECT a.id, a.added
    FROM howdah.add_keyed_many(
        $1, $2, howdah.payload_list($3)::json[], $4, $5, $6, $7) a
$howdah$;
COMMENT ON FUNCTION howdah.add_keyed_many(
    text, text, text, text[], timestamptz[], integer, jsonb) IS
    'The same with the payloads in a text: an array of PostgreSQL, or of JSON.';

CREATE FUNCTION howdah.add_to_workflow(
    workflow bigint, queue text, kind text, payloads jsonb[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_workflow($1, $2, $3, $4::text[]::json[], $5, $6, $7, $8, $9, $10)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(
    bigint, text, text, jsonb[], integer, timestamptz, interval, integer, interval, jsonb) IS
    'The same with payloads of another type.';

CREATE FUNCTION howdah.add_to_workflow(
    workflow bigint, queue text, kind text, payloads text[], priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_workflow($1, $2, $3, $4::json[], $5, $6, $7, $8, $9, $10)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(
    bigint, text, text, text[], integer, timestamptz, interval, integer, interval, jsonb) IS
    'The same with payloads of another type.';

CREATE FUNCTION howdah.add_to_workflow(
    workflow bigint, queue text, kind text, payloads text, priority integer DEFAULT 0,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, attempts integer DEFAULT NULL,
    timeout interval DEFAULT NULL, options jsonb DEFAULT NULL)
RETURNS SETOF bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_workflow(
        $1, $2, $3, howdah.payload_list($4)::json[], $5, $6, $7, $8, $9, $10)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(
    bigint, text, text, text, integer, timestamptz, interval, integer, interval, jsonb) IS
    'The same with payloads of another type.';

CREATE FUNCTION howdah.add_to_workflow(workflow bigint, jobs jsonb)
RETURNS SETOF bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_workflow($1, $2::json)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(bigint, jsonb) IS 'The same with jsonb.';

CREATE FUNCTION howdah.add_workflow(
    jobs jsonb, name text DEFAULT NULL, open boolean DEFAULT false, when_ended jsonb DEFAULT NULL,
    when_done jsonb DEFAULT NULL, when_failed jsonb DEFAULT NULL)
RETURNS bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_workflow($1::json, $2, $3, $4::json, $5::json, $6::json)
$howdah$;
COMMENT ON FUNCTION howdah.add_workflow(jsonb, text, boolean, jsonb, jsonb, jsonb) IS
    'The same with jsonb.';

CREATE FUNCTION howdah.add_to_pipeline(name text, input jsonb)
RETURNS bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_pipeline($1, $2::json)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_pipeline(text, jsonb) IS 'The same with jsonb.';

CREATE FUNCTION howdah.put_pipeline(name text, stages jsonb)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah.put_pipeline($1, $2::json)
$howdah$;
COMMENT ON FUNCTION howdah.put_pipeline(text, jsonb) IS 'The same with jsonb.';

CREATE FUNCTION howdah.add_to_workflow(workflow bigint, jobs text)
RETURNS SETOF bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_workflow($1, $2::json)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_workflow(bigint, text) IS 'The same with text.';

CREATE FUNCTION howdah.add_workflow(
    jobs text, name text DEFAULT NULL, open boolean DEFAULT false, when_ended text DEFAULT NULL,
    when_done text DEFAULT NULL, when_failed text DEFAULT NULL)
RETURNS bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_workflow($1::json, $2, $3, $4::json, $5::json, $6::json)
$howdah$;
COMMENT ON FUNCTION howdah.add_workflow(text, text, boolean, text, text, text) IS
    'The same with text.';

CREATE FUNCTION howdah.add_to_pipeline(name text, input text)
RETURNS bigint
LANGUAGE sql
AS $howdah$
    SELECT howdah.add_to_pipeline($1, $2::json)
$howdah$;
COMMENT ON FUNCTION howdah.add_to_pipeline(text, text) IS 'The same with text.';

CREATE FUNCTION howdah.put_pipeline(name text, stages text)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah.put_pipeline($1, $2::json)
$howdah$;
COMMENT ON FUNCTION howdah.put_pipeline(text, text) IS 'The same with text.';

ALTER FUNCTION howdah.schedule(
    text, text, text, json, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) RENAME TO put_schedule;
COMMENT ON FUNCTION howdah.put_schedule(
    text, text, text, json, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) IS
    'A part of howdah.schedule, which has what is absent as NULL too.';

CREATE FUNCTION howdah.schedule(
    name text, queue text, kind text, payload json DEFAULT 'null', cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once',
    priority integer DEFAULT 0, starts_at timestamptz DEFAULT NULL, overlap text DEFAULT 'allow',
    jitter interval DEFAULT '0', catch_up interval DEFAULT NULL, key text DEFAULT NULL,
    calendar text DEFAULT NULL, on_holiday text DEFAULT 'skip', skipped_hour text DEFAULT 'run',
    doubled_hour text DEFAULT 'first', options jsonb DEFAULT NULL)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah.put_schedule(
        $1, $2, $3, COALESCE($4, 'null'), $5, $6, COALESCE($7, 'UTC'),
        COALESCE($8, 'once'), COALESCE($9, 0), $10, COALESCE($11, 'allow'), COALESCE($12, '0'),
        $13, $14, $15, COALESCE($16, 'skip'), COALESCE($17, 'run'), COALESCE($18, 'first'), $19)
$howdah$;
COMMENT ON FUNCTION howdah.schedule(
    text, text, text, json, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) IS
    'Adds a job again and again, by cron or by period; a schedule that is there already is '
    'changed.';

CREATE FUNCTION howdah.schedule(
    name text, queue text, kind text, payload jsonb, cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once',
    priority integer DEFAULT 0, starts_at timestamptz DEFAULT NULL, overlap text DEFAULT 'allow',
    jitter interval DEFAULT '0', catch_up interval DEFAULT NULL, key text DEFAULT NULL,
    calendar text DEFAULT NULL, on_holiday text DEFAULT 'skip', skipped_hour text DEFAULT 'run',
    doubled_hour text DEFAULT 'first', options jsonb DEFAULT NULL)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah.put_schedule(
        $1, $2, $3, COALESCE($4::json, 'null'), $5, $6, COALESCE($7, 'UTC'),
        COALESCE($8, 'once'), COALESCE($9, 0), $10, COALESCE($11, 'allow'), COALESCE($12, '0'),
        $13, $14, $15, COALESCE($16, 'skip'), COALESCE($17, 'run'), COALESCE($18, 'first'), $19)
$howdah$;
COMMENT ON FUNCTION howdah.schedule(
    text, text, text, jsonb, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) IS
    'Adds a job again and again, by cron or by period; a schedule that is there already is '
    'changed.';

CREATE FUNCTION howdah.schedule(
    name text, queue text, kind text, payload text, cron text DEFAULT NULL,
    period interval DEFAULT NULL, zone text DEFAULT 'UTC', missed text DEFAULT 'once',
    priority integer DEFAULT 0, starts_at timestamptz DEFAULT NULL, overlap text DEFAULT 'allow',
    jitter interval DEFAULT '0', catch_up interval DEFAULT NULL, key text DEFAULT NULL,
    calendar text DEFAULT NULL, on_holiday text DEFAULT 'skip', skipped_hour text DEFAULT 'run',
    doubled_hour text DEFAULT 'first', options jsonb DEFAULT NULL)
RETURNS void
LANGUAGE sql
AS $howdah$
    SELECT howdah.put_schedule(
        $1, $2, $3, COALESCE($4::json, 'null'), $5, $6, COALESCE($7, 'UTC'),
        COALESCE($8, 'once'), COALESCE($9, 0), $10, COALESCE($11, 'allow'), COALESCE($12, '0'),
        $13, $14, $15, COALESCE($16, 'skip'), COALESCE($17, 'run'), COALESCE($18, 'first'), $19)
$howdah$;
COMMENT ON FUNCTION howdah.schedule(
    text, text, text, text, text, interval, text, text, integer, timestamptz, text, interval,
    interval, text, text, text, text, text, jsonb) IS
    'Adds a job again and again, by cron or by period; a schedule that is there already is '
    'changed.';

ALTER FUNCTION howdah.allow(regrole, text) RENAME TO allow_bell;
COMMENT ON FUNCTION howdah.allow_bell(regrole, text) IS 'A part of howdah.allow.';

CREATE FUNCTION howdah.allow_variants(role regrole, works boolean)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND (
                p.proname IN (
                    'add_keyed_many', 'add_many', 'add_to_pipeline', 'add_to_workflow',
                    'add_workflow', 'payload_list')
                OR works AND p.proname IN ('put_pipeline', 'put_schedule', 'schedule'))
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', each, role);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow_variants(regrole, boolean) IS 'A part of howdah.allow.';

CREATE FUNCTION howdah.allow(role regrole, duty text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    PERFORM howdah.allow_bell(role, duty);
    IF duty IN ('producer', 'worker') THEN
        PERFORM howdah.allow_variants(role, duty = 'worker');
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Grants a role what a producer, reader, operator, worker or handler needs, and no more. To '
    'be called again after an upgrade.';

-- Functions are executable by PUBLIC unless that is revoked. A role that could add or claim before
-- can call the variants without a further call of howdah.allow.
DO $howdah$
DECLARE
    variant regprocedure;
    each record;
BEGIN
    FOR variant IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND p.proname IN (
                'add_keyed_many', 'add_many', 'add_to_pipeline', 'add_to_workflow',
                'add_workflow', 'allow', 'allow_variants', 'payload_list', 'put_pipeline',
                'schedule')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', variant);
    END LOOP;
    FOR each IN
        SELECT a.grantee::regrole AS role, bool_or(p.proname = 'claim_within') AS works
        FROM pg_proc p
        CROSS JOIN LATERAL aclexplode(p.proacl) a
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND p.proname IN ('added', 'claim_within')
            AND a.grantee NOT IN (0, p.proowner)
        GROUP BY a.grantee
    LOOP
        PERFORM howdah.allow_variants(each.role, each.works);
    END LOOP;
END
$howdah$;
