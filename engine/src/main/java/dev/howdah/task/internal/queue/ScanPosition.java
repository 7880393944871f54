package dev.howdah.task.internal.queue;

/**
 * The position at which the next scan begins, with what the scans before it have covered. Scans walk over a long queue page by page; a queue that was read to
 * its end is read from a point in time on, or from its start again.
 */
final class ScanPosition {
    /** The place of a task in the queue: its plan, as the database writes it, and its id. */
    record Key(String plan, long id) {
        static final Key START = new Key("-infinity", Long.MIN_VALUE);
    }

    sealed interface Place permits FromStart, Walking, Since {}

    /** Nothing is known: the next scan begins with the oldest task. */
    record FromStart() implements Place {}

    /** A walk goes on behind this task. */
    record Walking(Key last) implements Place {}

    /** One scan has read everything: what is new is planned from this point in time on. */
    record Since(String time) implements Place {
        Key from() {
            return new Key(time, Long.MIN_VALUE);
        }
    }

    private Place place = new FromStart();
    private boolean walkedAll;
    private boolean owed;

    Place place() {
        return place;
    }

    /** The place where a scan begins that does not only read what is new. */
    Key begin() {
        return place instanceof Walking walking ? walking.last() : Key.START;
    }

    /** Returns whether all tasks that were due have been read since the last {@link #startOver}. */
    boolean walkedAll() {
        return walkedAll;
    }

    /** Returns whether a scan from the start is owed, while scans may go on reading only what is new. */
    boolean owesStart() {
        return owed && place instanceof Since;
    }

    /** Tasks may have come anywhere in the queue. */
    void startOver() {
        if (place instanceof Walking) place = new FromStart();
        walkedAll = false;
        owed = true;
    }

    /** A page has been read that does not reach the end of the queue. */
    void walked(Key last) {
        place = new Walking(last);
        // While a scan from the start is owed, only what was new has been read: the walk has to go on to the end.
        if (owed) walkedAll = false;
    }

    /** A scan has reached the end of the queue, but did not begin at its start. */
    void ended() {
        complete(new FromStart());
    }

    /** A scan has read the whole queue. */
    void readAll(String since) {
        complete(new Since(since));
    }

    private void complete(Place next) {
        place = next;
        walkedAll = true;
        owed = false;
    }

    /** All that is new has been read. */
    void readNew(String since) {
        place = new Since(since);
        walkedAll = true;
    }

    /** More is new than a scan reads. */
    void tooManyNew() {
        place = new FromStart();
        walkedAll = false;
    }
}
