-- What the form of a sweep says of its table.

-- name: table_owner
-- The owner of the table or view of the qualified name :table, and how many triggers of its own it
-- has.
SELECT pg_get_userbyid(c.relowner) AS owner, current_user AS runs_as,
    (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) AS triggers
FROM pg_class c
WHERE c.oid = to_regclass(:table);
