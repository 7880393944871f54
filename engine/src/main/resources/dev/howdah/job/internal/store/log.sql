-- Log queues: what nodes do with them.

-- name: log_add
-- $1 the lane, $2 the kind, $3 the payloads, $4 what is unusual about all of them. Their ids, in
-- their order, as a text.
SELECT howdah_internal.log_put($1::integer, $2::text, $3::text[], $4::jsonb)::text;

-- name: log_add_each
-- $1 the lane, $2 the kinds, $3 the payloads, $4 what is unusual about each. Their ids, in their
-- order, as a text.
SELECT howdah_internal.log_put_each($1::integer, $2::text[], $3::text[], $4::text[]::jsonb[])::text;

-- name: log_claim
-- $1 the node, $2 a token that no other claim has, $3 the lane of the reader, $4 how many at most,
-- $5 kinds whose jobs go alone, NULL: all. Rows as those of job_claim.
SELECT c.batch, c.job, c.payload, c.kind, c.unusual
FROM howdah_internal.log_claim($1::integer, $2::bigint, $3::integer, $4::integer, $5::text[]) c
-- Asked before the function is called.
WHERE NOT /*paused:*/false/*:paused*/
-- Nothing rings when a pause ends.
UNION ALL
SELECT NULL, NULL, NULL, NULL, 'next 1000' WHERE /*paused:*/false/*:paused*/;

-- name: log_end
-- Leases whose jobs are all done: $1 the node, $2 the leases, $3 their tokens, $4 to $8 as
-- log_note. Those that were the node's.
SELECT e.lease, e.token
FROM howdah_internal.log_end(
    $1::integer, $2::bigint[], $3::bigint[], $4::integer[], $5::text[], $6::bigint[], $7::bigint[],
    $8::bigint[]) e;

-- name: log_note
-- Counts jobs that are done, an element of each array for each lane and kind: $1 the lanes, $2 the
-- kinds, $3 how many, $4 how many microseconds they ran, $5 how many the longest.
SELECT howdah_internal.log_note($1::integer[], $2::text[], $3::bigint[], $4::bigint[],
    $5::bigint[])::text;

-- name: log_unpack
-- Makes an ordinary batch of jobs of a lease: $1 the node, $2 the lease, $3 its token, $4 the jobs,
-- NULL: all. The batch; 0: there are none; NULL: the lease is not the node's.
SELECT howdah_internal.log_unpack($1::integer, $2::bigint, $3::bigint, $4::bigint[]);

-- name: log_unpack_all
-- The same with leases of a dead node: $1 the node, $2 how many at most. How many there were.
SELECT howdah_internal.log_unpack_all($1::integer, $2::integer);

-- name: log_list
SELECT q.lane FROM howdah_internal.log_queue q;

-- name: log_rotate
-- $1 the lane of the log queue, $2 from how many bytes on a segment is large.
SELECT howdah_internal.log_rotate($1::integer, $2::bigint);

-- name: log_count
-- $1 the lane of the log queue.
SELECT howdah_internal.log_count($1::integer);

-- name: log_drop
-- $1 the lane of the log queue.
SELECT howdah_internal.log_drop($1::integer);

-- name: log_tidy
SELECT howdah_internal.log_tidy();

-- name: log_make(queue, micros)
-- :micros for how many microseconds it keeps what was read.
SELECT howdah.queue(
    :queue::text, 'log', :micros::bigint OPERATOR(pg_catalog.*) interval '1 microsecond')::text;

-- name: log_add_reader(queue, reader, since)
-- :since since when, or NULL. The queue of the reader.
SELECT howdah.add_reader(:queue::text, :reader::text, :since::timestamptz);

-- name: log_seek_reader(queue, reader, since)
-- :reader the reader or NULL, :since since when.
SELECT howdah.seek_reader(:queue::text, :reader::text, :since::timestamptz)::text;

-- name: log_drop_reader(queue, reader)
SELECT howdah.drop_reader(:queue::text, :reader::text)::text;

-- name: log_limit_unread(queue, bytes)
-- :bytes how many bytes, NULL: any number.
SELECT howdah.limit_unread(:queue::text, :bytes::text)::text;

-- name: log_readers
SELECT r.log, r.reader, r.queue, r.waiting, r.oldest, r.running,
    (extract(epoch FROM r.keep) OPERATOR(pg_catalog.*) 1000000)::bigint AS keep, u.unread,
    u.most_unread
FROM howdah.log_readers() r
JOIN howdah.unread() u ON u.log = r.log AND u.reader IS NOT DISTINCT FROM r.reader
ORDER BY r.log, r.reader NULLS FIRST;

-- name: log_queue_find
-- No row: it is no log queue.
SELECT l.queue, (extract(epoch FROM q.keep) OPERATOR(pg_catalog.*) 1000000)::bigint AS keep,
    q.most_unread, ARRAY(
        SELECT r.name
        FROM howdah_internal.log_reader r
        WHERE r.log = q.lane AND r.name <> ''
        ORDER BY r.name) AS readers
FROM howdah_internal.log_queue q
JOIN howdah_internal.lane l ON l.id = q.lane
WHERE l.queue = :queue::text;
