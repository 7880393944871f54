-- Which rows are to do. The table and what is said about it stand here for those of the sweep.

-- name: key_next
-- The keys of the next rows that are to do, behind those that were read. Rows that have failed are
-- passed over; while there are none that costs one look for the whole statement. $1 the sweep, $2
-- how many, $3 and so on the last row that was read.
SELECT /*read:*/ id::text /*:read*/
FROM /*table*/howdah.sweep
WHERE (/*where:*/ true /*:where*/) /*bound:*/ AND (id) > ($3::text::integer) /*:bound*/
    AND (NOT EXISTS (SELECT FROM howdah.sweep_error howdah_any WHERE howdah_any.sweep = $1)
        OR NOT EXISTS (SELECT FROM howdah.sweep_error howdah_error
                       WHERE howdah_error.sweep = $1
                           AND howdah_error.key = ARRAY[/*keys:*/ id::text /*:keys*/]
                           AND (howdah_error.retry_at IS NULL OR howdah_error.retry_at > now())))
ORDER BY /*sorted:*/ id /*:sorted*/ LIMIT $2;

-- name: key_window
-- The same where what is to do is rare: reads $2 rows whatever they are like, so that it does not
-- take long. The last of them is returned in any case; the last column says whether it is to do.
SELECT w.*
FROM (SELECT /*read:*/ id::text /*:read*/, (/*where:*/ true /*:where*/) IS TRUE
          AND (NOT EXISTS (SELECT FROM howdah.sweep_error howdah_any WHERE howdah_any.sweep = $1)
              OR NOT EXISTS (SELECT FROM howdah.sweep_error howdah_error
                             WHERE howdah_error.sweep = $1
                                 AND howdah_error.key = ARRAY[/*keys:*/ id::text /*:keys*/]
                                 AND (
                                     howdah_error.retry_at IS NULL OR howdah_error.retry_at > now()
                                 ))) AS howdah_todo,
          row_number() OVER (ORDER BY /*sorted:*/ id /*:sorted*/) AS howdah_row
      FROM /*table*/howdah.sweep
      WHERE (/*segment:*/ true /*:segment*/) /*bound:*/ AND (id) > ($3::text::integer) /*:bound*/
      ORDER BY /*sorted:*/ id /*:sorted*/ LIMIT $2) AS w
WHERE w.howdah_todo OR w.howdah_row = $2;

-- name: key_walk
-- Walks over a stretch as the first one does, for what the server notes down about entries of its
-- index. $1 the sweep, which does not matter.
SELECT count(*) FROM (
    SELECT FROM /*table*/howdah.sweep
    WHERE (/*where:*/ true /*:where*/) /*bound:*/
        AND (id) > ($3::text::integer) /*:bound*/
        AND $1::integer IS NOT NULL
    ORDER BY /*sorted:*/ id /*:sorted*/ LIMIT $2) AS w;

-- name: key_retry_in
-- In how many milliseconds a row that has failed is tried again; NULL: none is. $1 the sweep.
SELECT CASE WHEN min(retry_at) IS NOT NULL
    THEN GREATEST(extract(epoch FROM min(retry_at) - clock_timestamp()) * 1000, 0)::bigint END
FROM howdah.sweep_error WHERE sweep = $1 AND retry_at IS NOT NULL;

-- name: key_first
-- The first rows that are to do, for a dry run, which finds no tables of sweeps perhaps. $1 how
-- many.
SELECT row_to_json(/*row:*/ sweep /*:row*/)::text, /*keys:*/ id::text /*:keys*/
FROM /*table*/howdah.sweep
WHERE (/*condition:*/ true /*:condition*/)
ORDER BY /*sorted:*/ id /*:sorted*/ LIMIT $1;

-- name: key_first_known
-- The same without those that have failed for good. $1 how many, $2 the sweep.
SELECT row_to_json(/*row:*/ sweep /*:row*/)::text, /*keys:*/ id::text /*:keys*/
FROM /*table*/howdah.sweep
WHERE (/*condition:*/ true /*:condition*/)
    AND NOT EXISTS (
        SELECT
        FROM howdah.sweep_error howdah_error
        WHERE howdah_error.sweep = $2
            AND howdah_error.retry_at IS NULL
            AND howdah_error.key = ARRAY[/*keys:*/ id::text /*:keys*/])
ORDER BY /*sorted:*/ id /*:sorted*/ LIMIT $1;

-- name: key_explain_next
EXPLAIN (FORMAT JSON) SELECT /*read:*/ id::text /*:read*/
FROM /*table*/howdah.sweep
WHERE (/*where:*/ true /*:where*/)
ORDER BY /*sorted:*/ id /*:sorted*/
LIMIT 1000;

-- name: key_explain_shown
-- The same for people.
EXPLAIN SELECT /*read:*/ id::text /*:read*/
FROM /*table*/howdah.sweep
WHERE (/*where:*/ true /*:where*/)
ORDER BY /*sorted:*/ id /*:sorted*/
LIMIT 1000;

-- name: key_explain_todo
-- How many rows the planner thinks are to do.
EXPLAIN (FORMAT JSON) SELECT FROM /*table*/howdah.sweep WHERE (/*condition:*/ true /*:condition*/);

-- name: key_explain_all
-- How many rows the planner thinks there are.
EXPLAIN (FORMAT JSON) SELECT FROM /*table*/howdah.sweep;

-- name: key_count
SELECT count(*)
FROM /*table*/howdah.sweep
WHERE (/*condition:*/ true /*:condition*/);

-- name: key_explain_mark
EXPLAIN UPDATE /*table*/howdah.sweep SET /*mark:*/ state = 'done' /*:mark*/ WHERE false;

-- name: key_without_key
SELECT EXISTS (
    SELECT
    FROM /*table*/howdah.sweep
    WHERE (/*condition:*/ true /*:condition*/) AND (/*null_key:*/ id IS NULL /*:null_key*/));

-- name: key_like
-- A table with the same columns, of which nothing is left when its transaction is rolled back.
CREATE TEMPORARY TABLE howdah_like (LIKE /*table*/howdah.sweep);

-- name: key_partial
-- Whether an index can have that condition, tried out on that table.
CREATE INDEX ON howdah_like (/*key_names:*/ id /*:key_names*/) WHERE (/*where:*/ true /*:where*/);
