-- Stamps the rows of a run: each step is a transaction, which also writes down how far it has come.
-- The table and what is said about it stand here for those of the sweep.

-- name: stamp_claim
-- One process stamps at a time; the lock of one that dies is free. $1 the sweep.
SELECT pg_try_advisory_lock(1215264891, $1);

-- name: stamp_state
-- How far it is. $1 the sweep.
SELECT s.stamped, s.stamp_key FROM howdah.sweep s WHERE s.id = $1;

-- name: stamp_page
-- The plan of a step: rows in the order of the key, whatever they are like.
EXPLAIN (FORMAT JSON)
SELECT /*keys:*/ id::text /*:keys*/
FROM /*table*/howdah.sweep
ORDER BY /*by_key:*/ id /*:by_key*/
LIMIT 1000;

-- name: stamp_column
-- The next rows get the number of the run in the user's column. A row that another session has
-- locked is waited for: a row that is left out would be forgotten. $1 the sweep, $2 how many, $3
-- and so on the last key.
WITH page AS MATERIALIZED (
    SELECT /*named_keys:*/ id::text AS k1 /*:named_keys*/,
        (
            (/*condition:*/ true /*:condition*/)
                AND /*run:*/ id /*:run*/ IS DISTINCT FROM $1::integer) IS TRUE AS todo,
        row_number() OVER (ORDER BY /*by_key:*/ id /*:by_key*/) AS n
    FROM /*table*/howdah.sweep
    WHERE true /*bound:*/ AND (id) > ($3::text::integer) /*:bound*/
    ORDER BY /*by_key:*/ id /*:by_key*/ LIMIT $2
), stamped AS (
    UPDATE /*table*/howdah.sweep
    SET /*run_name:*/ total /*:run_name*/ = $1::integer
    WHERE (/*columns:*/ id /*:columns*/) IN (
        SELECT /*typed:*/ k.k1::integer /*:typed*/ FROM page k WHERE k.todo)
        AND (/*condition:*/ true /*:condition*/)
    RETURNING 1
), last AS (
    SELECT ARRAY[/*locals:*/ k.k1 /*:locals*/] AS key
    FROM page k
    ORDER BY k.n DESC
    LIMIT 1
)
UPDATE howdah.sweep howdah_sweep SET stamped = (SELECT count(*) FROM page) < $2,
    stamp_key = COALESCE((SELECT l.key FROM last l), howdah_sweep.stamp_key)
WHERE howdah_sweep.id = $1
RETURNING howdah_sweep.stamped, (SELECT count(*) FROM stamped), howdah_sweep.stamp_key;

-- name: stamp_table
-- The next rows get a stamp in the table beside it. $1 the sweep, $2 how many, $3 and so on the
-- last key.
WITH page AS MATERIALIZED (
    SELECT /*named_keys:*/ id::text AS k1 /*:named_keys*/,
        (/*condition:*/ true /*:condition*/) IS TRUE AS todo,
        /*place:*/ 0::numeric /*:place*/ AS place, /*word:*/ '' /*:word*/ AS word,
        row_number() OVER (ORDER BY /*by_key:*/ id /*:by_key*/) AS n
    FROM /*table*/howdah.sweep
    WHERE true /*bound:*/ AND (id) > ($3::text::integer) /*:bound*/
    ORDER BY /*by_key:*/ id /*:by_key*/ LIMIT $2
), stamped AS (
    INSERT INTO howdah_internal.sweep_run (sweep, place, word, key)
    SELECT $1, k.place, k.word, ARRAY[/*locals:*/ k.k1 /*:locals*/]
    FROM page k
    WHERE k.todo
    ORDER BY k.n
    RETURNING 1
), last AS (
    SELECT ARRAY[/*locals:*/ k.k1 /*:locals*/] AS key
    FROM page k
    ORDER BY k.n DESC
    LIMIT 1
)
UPDATE howdah.sweep howdah_sweep SET stamped = (SELECT count(*) FROM page) < $2,
    stamp_key = COALESCE((SELECT l.key FROM last l), howdah_sweep.stamp_key)
WHERE howdah_sweep.id = $1
RETURNING howdah_sweep.stamped, (SELECT count(*) FROM stamped), howdah_sweep.stamp_key;

-- name: stamp_next
-- The next stamps, with what has become of their rows: so many whatever they are like, so that it
-- does not take long. The last of them is returned in any case; the last column says whether it is
-- to do. $1 the sweep, $2 how many, $3 the place, $4 the word, $5 and so on the key of the last
-- one.
SELECT w.*
FROM (
    SELECT howdah_r.howdah_place::text, howdah_r.howdah_word,
        /*stamps:*/ howdah_r.howdah_key[1] /*:stamps*/,
        (/*column:*/ id /*:column*/ IS NOT NULL AND (/*condition:*/ true /*:condition*/)) IS TRUE
          AND (NOT EXISTS (SELECT FROM howdah.sweep_error howdah_any WHERE howdah_any.sweep = $1)
              OR NOT EXISTS (SELECT FROM howdah.sweep_error howdah_error
                             WHERE howdah_error.sweep = $1
                                 AND howdah_error.key = howdah_r.howdah_key
                                 AND (
                                     howdah_error.retry_at IS NULL OR howdah_error.retry_at > now()
                                 ))) AS howdah_todo,
          howdah_r.howdah_n AS howdah_row
      FROM (SELECT s.place AS howdah_place, s.word AS howdah_word, s.key AS howdah_key,
                row_number() OVER (
                    ORDER BY /*by_place:*/ s.place, s.word, s.key /*:by_place*/) AS howdah_n
            FROM howdah_internal.sweep_run s
            WHERE s.sweep = $1 /*behind:*/
                AND (s.place, s.word, s.key) > (
                    $3::text::numeric, $4::text, ARRAY[$5::text]) /*:behind*/
            ORDER BY /*by_place:*/ s.place, s.word, s.key /*:by_place*/ LIMIT $2) howdah_r
          LEFT JOIN /*table*/howdah.sweep ON (/*columns:*/ id /*:columns*/) = (
              /*stamped_types:*/ howdah_r.howdah_key[1]::integer /*:stamped_types*/)) AS w
WHERE w.howdah_todo OR w.howdah_row = $2 ORDER BY w.howdah_row;

-- name: stamp_clear
-- Stamps of a sweep that is done. $1 the sweep, $2 how many.
DELETE FROM howdah_internal.sweep_run s
WHERE s.ctid = ANY (
    ARRAY(SELECT o.ctid FROM howdah_internal.sweep_run o WHERE o.sweep = $1 LIMIT $2
        FOR UPDATE SKIP LOCKED)
);
