-- What a worker does with a batch of rows. The table and what is said about it stand here for those
-- of the sweep. The keys of the batch are kept in the session (howdah.sweep_key1 and so on), so
-- that several statements of one message can speak of them.

-- name: row_lock
-- Tries the locks of keys that were read before, of each exactly once: there is no LIMIT and no
-- condition that could be looked at before or after. Answers which of them it has. $1 and so on the
-- columns of the keys.
WITH locked AS MATERIALIZED (
    SELECT k.*
    FROM unnest(
        /*arrays:*/ $1::text[] /*:arrays*/) WITH ORDINALITY AS k (/*names:*/ k1 /*:names*/, n)
    WHERE NOT /*paused:*/false/*:paused*/
        AND pg_try_advisory_lock(
            hashtextextended(/*hashed:*/ k.k1 /*:hashed*/, /*oid:*/ 0 /*:oid*/))
)
SELECT array_agg(l.n)::text,
    /*keep:*/ set_config(
        'howdah.sweep_key1', COALESCE(array_agg(l.k1)::text, '{}'), false) /*:keep*/
FROM locked l;

-- name: row_lock_here
-- The same until the end of the transaction.
WITH locked AS MATERIALIZED (
    SELECT k.*
    FROM unnest(
        /*arrays:*/ $1::text[] /*:arrays*/) WITH ORDINALITY AS k (/*names:*/ k1 /*:names*/, n)
    WHERE NOT /*paused:*/false/*:paused*/
        AND pg_try_advisory_xact_lock(
            hashtextextended(/*hashed:*/ k.k1 /*:hashed*/, /*oid:*/ 0 /*:oid*/))
)
SELECT count(*),
    /*keep:*/ set_config(
        'howdah.sweep_key1', COALESCE(array_agg(l.k1)::text, '{}'), false) /*:keep*/
FROM locked l;

-- name: row_unlock
-- $1 and so on the columns of the keys.
SELECT count(*) FILTER (WHERE NOT pg_advisory_unlock(
    hashtextextended(/*hashed:*/ k.k1 /*:hashed*/, /*oid:*/ 0 /*:oid*/)))
FROM unnest(/*arrays:*/ $1::text[] /*:arrays*/) AS k (/*names:*/ k1 /*:names*/);

-- name: row_look
-- The second look, in a snapshot from after the locks: what another has done between the first one
-- and the lock is not to do any more.
-- $1 the sweep.
SELECT row_to_json(/*row:*/ sweep /*:row*/)::text, /*keys:*/ id::text /*:keys*/
FROM /*table*/howdah.sweep
WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
    AND (/*where:*/ true /*:where*/)
    AND (NOT EXISTS (SELECT FROM howdah.sweep_error howdah_any WHERE howdah_any.sweep = $1)
        OR NOT EXISTS (SELECT FROM howdah.sweep_error howdah_error
                       WHERE howdah_error.sweep = $1
                           AND howdah_error.key = ARRAY[/*keys:*/ id::text /*:keys*/]
                           AND (howdah_error.retry_at IS NULL OR howdah_error.retry_at > now())));

-- name: row_choose
-- Says of which keys the next statements speak. $1 and so on the columns of the keys.
SELECT /*choose:*/ set_config('howdah.sweep_key1', ($1::text[])::text, false) /*:choose*/;

-- name: row_hold
-- The second look where the row itself is locked as well: it is not changed before the transaction
-- ends, and what another session changes now is left for later rather than waited for. $1 the
-- sweep.
SELECT count(*) AS howdah_held,
    /*keep:*/ set_config(
        'howdah.sweep_key1', COALESCE(array_agg(l.k1)::text, '{}'), false) /*:keep*/
FROM (SELECT /*named_keys:*/ id::text AS k1 /*:named_keys*/
      FROM /*table*/howdah.sweep
      WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
          AND (/*where:*/ true /*:where*/)
          AND (NOT EXISTS (SELECT FROM howdah.sweep_error howdah_any WHERE howdah_any.sweep = $1)
              OR NOT EXISTS (SELECT FROM howdah.sweep_error howdah_error
                             WHERE howdah_error.sweep = $1
                                 AND howdah_error.key = ARRAY[/*keys:*/ id::text /*:keys*/]
                                 AND (
                                     howdah_error.retry_at IS NULL OR howdah_error.retry_at > now()
                                 )))
      FOR NO KEY UPDATE SKIP LOCKED) l;

-- name: row_mark
-- Marks the rows of the batch. Says how many there were, how many of them are to do all the same,
-- and which. The others are counted, here and below, in the row of the worker whose session this
-- is.
WITH marked AS (
    UPDATE /*table*/howdah.sweep SET /*mark:*/ state = 'done' /*:mark*/
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
    RETURNING CASE WHEN (/*where:*/ true /*:where*/)
        THEN ARRAY[/*keys:*/ id::text /*:keys*/] END AS todo
), counted AS (
    UPDATE howdah_internal.sweep_worker w
    SET marked = w.marked + n.rows
    FROM (SELECT count(*) - count(t.todo) AS rows FROM marked t) n
    WHERE n.rows > 0
        AND w.pid = pg_backend_pid()
        AND (extract(epoch FROM w.backend_start) * 1000000)::bigint::text
            = current_setting('howdah.sweep_start', true)
)
SELECT count(*), count(m.todo) AS howdah_todo, array_agg(m.todo) FILTER (WHERE m.todo IS NOT NULL)
FROM marked m;

-- name: row_mark_only
-- Marks the rows of the batch, of which another statement of the message says which are done.
WITH marked AS (
    UPDATE /*table*/howdah.sweep SET /*mark:*/ state = 'done' /*:mark*/
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
    RETURNING CASE WHEN (/*where:*/ true /*:where*/)
        THEN ARRAY[/*keys:*/ id::text /*:keys*/] END AS todo
)
SELECT count(*), count(m.todo) AS howdah_todo, array_agg(m.todo) FILTER (WHERE m.todo IS NOT NULL)
FROM marked m;

-- name: row_mark_todo
-- The second look and the mark in one: a row that was changed meanwhile is looked at again by the
-- server itself. $1 the sweep.
WITH marked AS (
    UPDATE /*table*/howdah.sweep SET /*mark:*/ state = 'done' /*:mark*/
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
        AND (/*where:*/ true /*:where*/)
        AND (NOT EXISTS (SELECT FROM howdah.sweep_error howdah_any WHERE howdah_any.sweep = $1)
            OR NOT EXISTS (SELECT FROM howdah.sweep_error howdah_error
                           WHERE howdah_error.sweep = $1
                               AND howdah_error.key = ARRAY[/*keys:*/ id::text /*:keys*/]
                               AND (
                                   howdah_error.retry_at IS NULL OR howdah_error.retry_at > now())))
    RETURNING CASE WHEN (/*where:*/ true /*:where*/)
        THEN ARRAY[/*keys:*/ id::text /*:keys*/] END AS todo
), counted AS (
    UPDATE howdah_internal.sweep_worker w
    SET marked = w.marked + n.rows
    FROM (SELECT count(*) - count(t.todo) AS rows FROM marked t) n
    WHERE n.rows > 0
        AND w.pid = pg_backend_pid()
        AND (extract(epoch FROM w.backend_start) * 1000000)::bigint::text
            = current_setting('howdah.sweep_start', true)
)
SELECT count(*), count(m.todo) AS howdah_todo, array_agg(m.todo) FILTER (WHERE m.todo IS NOT NULL)
FROM marked m;

-- name: row_still
-- Which rows of the batch are to do all the same, where RETURNING does not tell: the work itself
-- marks them, or something on the table can drop the mark or take it back.
WITH still AS (
    SELECT ARRAY[/*keys:*/ id::text /*:keys*/] AS todo
    FROM /*table*/howdah.sweep
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
        AND (/*where:*/ true /*:where*/)
), counted AS (
    UPDATE howdah_internal.sweep_worker w
    SET marked = w.marked + n.rows
    FROM (
        SELECT cardinality(current_setting('howdah.sweep_key1')::text[]) - count(*) AS rows
        FROM still t) n
    WHERE n.rows > 0
        AND w.pid = pg_backend_pid()
        AND (extract(epoch FROM w.backend_start) * 1000000)::bigint::text
            = current_setting('howdah.sweep_start', true)
)
SELECT cardinality(current_setting('howdah.sweep_key1')::text[])::bigint, count(*) AS howdah_todo,
    array_agg(s.todo)
FROM still s;

-- name: row_mark_work
-- As row_mark, within the transaction of the work: fails where a row is to do all the same, so that
-- its work is undone. The message names the row.
WITH marked AS (
    UPDATE /*table*/howdah.sweep SET /*mark:*/ state = 'done' /*:mark*/
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
    RETURNING CASE WHEN (/*where:*/ true /*:where*/)
        THEN ARRAY[/*keys:*/ id::text /*:keys*/] END AS todo
), counted AS (
    UPDATE howdah_internal.sweep_worker w
    SET marked = w.marked + n.rows
    FROM (SELECT count(*) - count(t.todo) AS rows FROM marked t) n
    WHERE n.rows > 0
        AND w.pid = pg_backend_pid()
        AND (extract(epoch FROM w.backend_start) * 1000000)::bigint::text
            = current_setting('howdah.sweep_start', true)
)
SELECT count(*),
    CASE WHEN count(m.todo) = 0 THEN 0
        ELSE ('howdah: to do all the same: ' || min(m.todo)::text)::bigint END AS howdah_todo,
    NULL::text[]
FROM marked m;

-- name: row_still_work
-- As row_still, and fails as row_mark_work does.
WITH still AS (
    SELECT ARRAY[/*keys:*/ id::text /*:keys*/] AS todo
    FROM /*table*/howdah.sweep
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
        AND (/*where:*/ true /*:where*/)
), counted AS (
    UPDATE howdah_internal.sweep_worker w
    SET marked = w.marked + n.rows
    FROM (
        SELECT cardinality(current_setting('howdah.sweep_key1')::text[]) - count(*) AS rows
        FROM still t) n
    WHERE n.rows > 0
        AND w.pid = pg_backend_pid()
        AND (extract(epoch FROM w.backend_start) * 1000000)::bigint::text
            = current_setting('howdah.sweep_start', true)
)
SELECT cardinality(current_setting('howdah.sweep_key1')::text[])::bigint,
    CASE WHEN count(*) = 0 THEN 0
        ELSE ('howdah: to do all the same: ' || min(s.todo)::text)::bigint END AS howdah_todo,
    NULL::text[]
FROM still s;

-- name: row_work
-- What the user's statement gets to see.
WITH /*recursive:*/ /*:recursive*/ batch AS (
    SELECT /*all:*/ sweep.* /*:all*/ FROM /*table*/howdah.sweep
    WHERE /*match:*/ id = ANY (current_setting('howdah.sweep_key1')::integer[]) /*:match*/
)
/*work:*/ SELECT count(*) FROM batch /*:work*/;

-- name: row_explain_work
EXPLAIN WITH /*recursive:*/ /*:recursive*/ batch AS (
    SELECT /*all:*/ sweep.* /*:all*/ FROM /*table*/howdah.sweep WHERE false
)
/*work:*/ SELECT count(*) FROM batch /*:work*/;

-- name: row_forgive
-- Rows of the batch that had failed and are done now. $1 the sweep.
DELETE FROM howdah.sweep_error x
USING unnest(
    /*kept:*/ current_setting('howdah.sweep_key1')::text[] /*:kept*/
) AS k (/*names:*/ k1 /*:names*/)
WHERE x.sweep = $1 AND x.key = ARRAY[/*locals:*/ k.k1 /*:locals*/];

-- name: row_blame
-- Writes that an attempt of a row has failed: the row is skipped until the next attempt, or for
-- good. The delay holds for one attempt; where that is not the one that has failed, nothing is
-- written, and the answer is the number of attempts before. $1 the sweep, $2 the key, $3 the error,
-- $4 the attempt, null: any; $5 the seconds until the next one, null: there is none.
WITH written AS (
    INSERT INTO howdah.sweep_error AS e (sweep, key, error, retry_at)
    SELECT $1::integer, $2::text[], $3::text, clock_timestamp() + $5::float8 * interval '1 s'
    WHERE COALESCE($4::integer, 1) = 1
        OR EXISTS (
            SELECT FROM howdah.sweep_error o WHERE o.sweep = $1::integer AND o.key = $2::text[]
        )
    ON CONFLICT (sweep, key) DO UPDATE
    SET error = EXCLUDED.error, at = clock_timestamp(), attempts = e.attempts + 1,
        retry_at = EXCLUDED.retry_at
    WHERE $4::integer IS NULL OR e.attempts + 1 = $4::integer
    RETURNING attempts
)
SELECT w.attempts, true FROM written w
UNION ALL
SELECT o.attempts, false
FROM howdah.sweep_error o
WHERE o.sweep = $1::integer AND o.key = $2::text[] AND NOT EXISTS (SELECT FROM written);

-- name: row_prepare
-- Statements of the user run in this session: only what keeps a batch from reading the whole table
-- stays as it was set. No lock is waited for longer than $1 milliseconds, and a session without
-- a client ends.
SELECT set_config(s.name, s.reset_val, false) FROM pg_settings s
WHERE s.name IN ('enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin')
UNION ALL SELECT set_config('lock_timeout', $1::text, false)
UNION ALL
SELECT set_config(s.name, '10000', false) FROM pg_settings s WHERE s.name = 'tcp_user_timeout'
UNION ALL SELECT set_config('tcp_keepalives_idle', '4', false)
UNION ALL SELECT set_config('tcp_keepalives_interval', '2', false)
UNION ALL SELECT set_config('tcp_keepalives_count', '3', false);
