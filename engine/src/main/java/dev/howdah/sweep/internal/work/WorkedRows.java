package dev.howdah.sweep.internal.work;

import dev.howdah.sweep.internal.store.RowKey;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The rows that this process has marked in this run, by 64-bit hashes of their keys, up to about a million: a row that comes
 * again has lost its mark. Of more rows, some are forgotten, by chance: so each that comes again and again is noticed in the end.
 * Safe for use by many threads.
 */
public final class WorkedRows {
    private static final int WAYS = 4;
    private static final int MOST = 1 << 20;
    private long[] slots = new long[1 << 10];
    private int filled;
    private volatile int epoch;

    /** Changes when commits may have been lost: what sessions of an earlier epoch have marked does not count. */
    int epoch() {
        return epoch;
    }

    /** A server may have come back without its last commits: rows that come again were perhaps never marked. */
    synchronized void forget() {
        epoch++;
        slots = new long[1 << 10];
        filled = 0;
    }

    synchronized void add(int since, List<RowKey> keys) {
        if (since == epoch) for (RowKey each : keys) add(hash(each));
    }

    synchronized boolean contains(RowKey key) {
        return filled > 0 && holds(hash(key));
    }

    /** A row that is tried again on request comes again for a good reason. */
    synchronized void remove(RowKey key) {
        long hash = hash(key);
        int from = place(hash);
        for (int i = from; i < from + WAYS; i++) {
            if (slots[i] != hash) continue;
            slots[i] = 0;
            filled--;
        }
    }

    private boolean holds(long hash) {
        int from = place(hash);
        for (int i = from; i < from + WAYS; i++) if (slots[i] == hash) return true;
        return false;
    }

    private void add(long hash) {
        if (holds(hash)) return;
        if (filled > slots.length / 2 && slots.length < MOST) grow();
        put(hash);
    }

    private void put(long hash) {
        int from = place(hash);
        for (int i = from; i < from + WAYS; i++) {
            if (slots[i] != 0) continue;
            slots[i] = hash;
            filled++;
            return;
        }
        slots[from + ThreadLocalRandom.current().nextInt(WAYS)] = hash;
    }

    private void grow() {
        long[] before = slots;
        slots = new long[before.length * 2];
        filled = 0;
        for (long each : before) if (each != 0) put(each);
    }

    private int place(long hash) {
        return (int) (hash >>> 40) & (slots.length - WAYS);
    }

    /** Never 0. */
    private static long hash(RowKey key) {
        long hash = 0xcbf29ce484222325L;
        for (String column : key.columns()) {
            for (int i = 0; i < column.length(); i++) hash = (hash ^ column.charAt(i)) * 0x100000001b3L;
            hash = (hash ^ 0x1ffff) * 0x100000001b3L;
        }
        hash ^= hash >>> 32;
        hash *= 0x9e3779b97f4a7c15L;
        hash ^= hash >>> 29;
        return hash == 0 ? 1 : hash;
    }
}
