-- Jobs, version 11: jobs that are added by a function take the context of the caller's trace along, too.
--
-- It stands in settings of the transaction, howdah.traceparent and howdah.tracestate, as W3C Trace Context has them. What is no
-- such context is not taken: a trace must not make a job fail.

-- name: version
INSERT INTO howdah.migration (feature, version) VALUES ('job', 11);

-- name: trace
CREATE FUNCTION howdah.trace() RETURNS jsonb LANGUAGE plpgsql STABLE AS $howdah$
DECLARE
    parent text := current_setting('howdah.traceparent', true);
BEGIN
    IF parent !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' THEN
        RETURN NULL;
    END IF;
    RETURN jsonb_strip_nulls(jsonb_build_object('traceparent', parent,
        'tracestate', NULLIF(left(current_setting('howdah.tracestate', true), 512), '')));
END
$howdah$;
COMMENT ON FUNCTION howdah.trace() IS 'The context of the trace that this transaction belongs to, NULL if it has said none.';

-- name: unusual
CREATE OR REPLACE FUNCTION howdah.unusual(due timestamptz, attempts integer, timeout interval, key text, version timestamptz) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $howdah$
BEGIN
    IF attempts NOT BETWEEN 1 AND 10000 THEN
        RAISE '% attempts: it has to be from 1 to 10000', attempts USING ERRCODE = 'invalid_parameter_value';
    ELSIF timeout <= interval '0' OR timeout > interval '1000 years' THEN
        RAISE 'a timeout of %: it has to be longer than 0, and 1000 years at most', timeout
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF key = '' OR length(key) > 400 THEN
        RAISE 'a key has 1 to 400 characters, not %: "%"', length(key), left(key, 40) USING ERRCODE = 'invalid_parameter_value';
    ELSIF version IS NOT NULL AND key IS NULL THEN
        RAISE 'version % without a key: it says which of two jobs with one key is newer', version
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF NOT isfinite(version) THEN
        RAISE 'version %: it has to be a moment', version USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NULLIF(jsonb_strip_nulls(jsonb_build_object('attempts', attempts, 'timeout', extract(epoch FROM timeout), 'key', key,
        'version', version, 'created', CASE WHEN due <> now() THEN now() END, 'trace', howdah.trace())), '{}');
END
$howdah$;

-- name: close
REVOKE EXECUTE ON FUNCTION howdah.trace() FROM PUBLIC;
