-- Columns that users have added to a table of tasks.

-- name: column_own(relation, known)
-- :relation the quoted name of the table, :known the names of the columns of any table of tasks.
SELECT a.attname::text AS name
FROM pg_attribute a
WHERE a.attrelid = to_regclass(:relation) AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attname <> ALL (:known::text[])
ORDER BY a.attnum
LIMIT 100;

-- name: column_values(ids)
-- The tasks of these ids, each with the beginnings of its values of some columns.
SELECT t."id"/*values:*//*:values*/
FROM /*table*/task t
WHERE t."id" = ANY (:ids::bigint[]);
