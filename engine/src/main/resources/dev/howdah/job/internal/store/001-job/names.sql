-- Names in one line -------------------------------------------------------------------------------

-- What names, keys and tags cannot have, as a pattern: control characters, separators of lines and
-- paragraphs, and what changes the direction of writing. Other encodings than UTF8 have characters
-- of their own at the codes from 128 on.
CREATE FUNCTION howdah_internal.refused_characters()
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT CASE pg_catalog.getdatabaseencoding()
        WHEN 'UTF8' THEN E'[\\u0001-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]'
        ELSE E'[\\u0001-\\u001f\\u007f]'
    END
$howdah$;
COMMENT ON FUNCTION howdah_internal.refused_characters() IS
    'The characters that names, keys and tags cannot have, as a regular expression.';

CREATE FUNCTION howdah_internal.check_characters(what text, name text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    refused text;
BEGIN
    IF name ~ howdah_internal.refused_characters() THEN
        refused := substring(name FROM howdah_internal.refused_characters());
        RAISE '% has the character U+% at position %: it can have no control characters, and none '
            'that change the direction of writing',
            what, upper(lpad(to_hex(ascii(refused)), 4, '0')), strpos(name, refused)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.check_characters(text, text) IS
    'Raises an error if a name, key or tag that is new has howdah_internal.refused_characters().';

-- A name of something that may be there already: names that are new are checked by the triggers.
CREATE FUNCTION howdah_internal.check_known(what text, name text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    IF name IS NULL OR name = '' OR length(name) > 200 THEN
        RAISE 'the name of a % has 1 to 200 characters, not %: %', what, COALESCE(length(name), 0),
            COALESCE(
                '"' || left(name, 40) || CASE WHEN length(name) > 40 THEN '..."' ELSE '"' END,
                'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.check_known(text, text) IS
    'Raises an error if nothing can have that name.';

CREATE FUNCTION howdah_internal.check_name(what text, name text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    -- One expression for each name that is right: this is called for each job that is added.
    IF name IS NULL OR name = '' OR length(name) > 200
        OR name ~ howdah_internal.refused_characters() THEN
        PERFORM howdah_internal.check_known(what, name),
            howdah_internal.check_characters('the name of a ' || what, name);
    END IF;
END
$howdah$;

-- Where names enter by a table, of queues and groups those of all jobs. The columns are arguments.
CREATE FUNCTION howdah_internal.check_new()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    given jsonb := to_jsonb(NEW);
    each text;
BEGIN
    FOREACH each IN ARRAY TG_ARGV LOOP
        PERFORM howdah_internal.check_characters(
            CASE each
                WHEN 'key' THEN 'a key'
                WHEN 'pattern' THEN 'a tag'
                WHEN 'group_name' THEN 'the name of a group'
                ELSE 'the name of a ' || each
            END,
            given ->> each);
    END LOOP;
    RETURN NEW;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.check_new() IS
    'A trigger that calls howdah_internal.check_characters.';

CREATE TRIGGER check_new BEFORE INSERT ON howdah_internal.lane
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('queue', 'kind', 'group_name');

CREATE TRIGGER check_new BEFORE INSERT ON howdah_internal.queue_limit
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('queue', 'kind', 'group_name');

CREATE TRIGGER check_new BEFORE INSERT ON howdah_internal.rate_limit
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('queue', 'kind', 'group_name');

CREATE TRIGGER check_new BEFORE INSERT ON howdah_internal.group_share
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('queue', 'group_name');

CREATE TRIGGER check_new BEFORE INSERT ON howdah_internal.queue_ageing
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('queue');

CREATE TRIGGER check_new BEFORE INSERT ON howdah.retention
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('queue');

CREATE TRIGGER check_new BEFORE INSERT ON howdah_internal.counted_tag
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('pattern');

CREATE TRIGGER check_new BEFORE INSERT ON howdah.schedule
FOR EACH ROW EXECUTE PROCEDURE howdah_internal.check_new('key');
