-- The mark that everything of Howdah in this database is paused: a view of this name.

-- name: pause_is_set
-- Whether it is there: statements that begin work ask this in the place of /*paused:*/ in them. The
-- catalogs are read, since to_regclass needs privileges on the schema, and by the snapshot of the
-- statement: what is committed before a claim holds for the claim. A relation of that name is the
-- mark if it is a view and its owner may act as the owner of the schema; others may not stop
-- anything.
SELECT EXISTS (
    SELECT
    FROM pg_catalog.pg_class mark
    JOIN pg_catalog.pg_namespace home ON home.oid = mark.relnamespace
    WHERE home.nspname = 'howdah'
        AND mark.relname = 'paused'
        AND mark.relkind = 'v'
        AND pg_catalog.pg_has_role(mark.relowner, home.nspowner, 'MEMBER')) AS paused;
