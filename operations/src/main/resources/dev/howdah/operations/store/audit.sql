-- Rows of howdah.audit.

-- name: audit_table
SELECT to_regclass('howdah.audit') IS NOT NULL;

-- name: audit_may_create
-- Whether this role may make the table; not where the schema is missing, as beside tasks alone.
SELECT COALESCE(
    has_schema_privilege(to_regnamespace('howdah'), 'CREATE')
    AND COALESCE(
        has_schema_privilege(to_regnamespace('howdah_internal'), 'CREATE'),
        has_database_privilege(current_database(), 'CREATE')), false);

-- name: audit_add
INSERT INTO howdah.audit
    (actor, role, via, address, action, object, before, after, outcome, message)
VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10)
RETURNING id;

-- name: audit_end(change, outcome, sentence, after)
-- :change the row with which the change has begun; :sentence a sentence, :after the object after.
INSERT INTO howdah.audit
    (actor, role, via, address, action, object, outcome, message, after, begun)
SELECT a.actor, a.role, a.via, a.address, a.action, a.object, :outcome, :sentence, :after::jsonb,
    a.id
FROM howdah.audit a
WHERE a.id = :change;

-- name: audit_list
-- Changes with their outcome, the newest first, or the oldest. $1 a part of the actor, $2 the
-- beginning of the object, $3 that of the action, $4 only behind this id, $5 how many, $6 from and
-- $7 until when.
SELECT a.id, a.at, a.actor, a.role, a.via, a.address, a.action, a.object,
    a.before::text AS before, a.after::text AS after,
    COALESCE(e.outcome, a.outcome) AS outcome, COALESCE(e.message, a.message) AS message,
    e.after::text AS result
FROM howdah.audit a
LEFT JOIN howdah.audit e ON e.begun = a.id
WHERE a.begun IS NULL
    AND ($1::text IS NULL OR position($1::text IN a.actor) > 0)
    AND ($2::text IS NULL OR starts_with(a.object, $2::text))
    AND ($3::text IS NULL OR starts_with(a.action, $3::text))
    AND ($4::bigint IS NULL OR a.id /*past:*/</*:past*/ $4::bigint)
    AND ($6::timestamptz IS NULL OR a.at >= $6::timestamptz)
    AND ($7::timestamptz IS NULL OR a.at < $7::timestamptz)
ORDER BY a.id /*way:*/DESC/*:way*/
LIMIT $5;

-- name: audit_of_object(object, most)
-- The changes of an object by its whole path, the newest first.
SELECT a.id, a.at, a.actor, a.role, a.via, a.address, a.action, a.object,
    a.before::text AS before, a.after::text AS after,
    COALESCE(e.outcome, a.outcome) AS outcome, COALESCE(e.message, a.message) AS message,
    e.after::text AS result
FROM howdah.audit a
LEFT JOIN howdah.audit e ON e.begun = a.id
WHERE a.begun IS NULL AND a.object = :object
ORDER BY a.id DESC
LIMIT :most;

-- name: audit_may_clean
-- A role that may only add rows leaves them to one that may delete: for it the DELETE itself would
-- fail, whatever its condition.
SELECT has_table_privilege('howdah.audit', 'DELETE');

-- name: audit_clean
-- :days how many days are kept.
DELETE FROM howdah.audit
WHERE id IN (
    SELECT a.id
    FROM howdah.audit a
    WHERE a.at < now() - :days::integer * interval '1 day'
    ORDER BY a.at
    LIMIT 10000);
