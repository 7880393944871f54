package dev.howdah.job.internal.node;

/**
 * When a node reads its lanes again: a number of the database changes whenever a lane is made. The lane itself may be seen later, when the transaction that
 * makes it commits, so the lanes are read a few times more. Used by one thread.
 */
final class LaneLook {
    /** Half a minute of looks: most transactions that make a lane have ended by then. Those that have not are found by thorough looks. */
    private static final int AGAIN = 15;
    /** With very many queues to read, while lanes are made all the time, a node spends a twentieth of its time on that. */
    private static final int SHARE = 20;

    private long made = -1;
    private int left;
    private long next = Long.MIN_VALUE;

    /** @param number the number of the database now */
    void told(long number) {
        if (number != made) left = AGAIN;
        made = number;
    }

    /** @param thorough whether this is one of the looks that find what no other has found */
    boolean isDue(long now, boolean thorough) {
        return (left > 0 || thorough) && (next == Long.MIN_VALUE || now - next >= 0);
    }

    void looked(long began, long ended) {
        if (left > 0) left--;
        next = began + SHARE * (ended - began);
    }
}
