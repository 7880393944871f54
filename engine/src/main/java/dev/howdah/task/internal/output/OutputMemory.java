package dev.howdah.task.internal.output;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the outputs of all tasks of this program may take together, from what is read of them until they are written down. A task whose
 * output does not fit waits, and its server with it, until others are written. Safe for use by many threads.
 *
 * <p>Tasks cannot wait for each other for ever: bytes are given only while enough is left for the largest output that still grows to reach the most
 * that one may have. It then ends, and what it frees is enough for the next.
 */
public final class OutputMemory {
    /** An output takes about four times its length while it is read, and six times while it is written. */
    private static final int SHARE = 8;

    private static final long MOST_OF_ONE = 256L * 1024 * 1024;

    /** What a task has without asking: its session has buffers of such a size in any case. */
    static final int FREE = 64 * 1024;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 200;

    /** That of this process: all schedulers share its heap. */
    private static final OutputMemory PROCESS =
            new OutputMemory(Math.min(Runtime.getRuntime().maxMemory() / SHARE, 2 * MOST_OF_ONE), PATIENCE);

    private final long all;
    private final long mostOfOne;
    private final Duration patience;

    /** Of outputs that still grow, and of those that wait to be written. */
    private final Map<Share, Long> held = new HashMap<>();

    private long total;

    OutputMemory(long all, Duration patience) {
        this.all = all;
        this.mostOfOne = all / 2;
        this.patience = patience;
    }

    public static OutputMemory ofProcess() {
        return PROCESS;
    }

    /** How large the output of one task may be. */
    public long mostOfOne() {
        return mostOfOne;
    }

    /** The outputs of the tasks of one scheduler, by the ids of their tasks. */
    public final class Outputs {
        private final Map<Long, Share> shares = new HashMap<>();

        /** That of a task that begins. */
        public Share begin(long id) {
            return new Share(this, id);
        }

        /** Frees what is held for tasks that are not at work any more, and whose ends are written. */
        public void keepOnly(LongPredicate atWork) {
            synchronized (OutputMemory.this) {
                if (shares.isEmpty()) return;
                shares.entrySet().removeIf(each -> {
                    if (atWork.test(each.getKey())) return false;
                    each.getValue().free();
                    return true;
                });
            }
        }
    }

    /** What one output holds. */
    public final class Share {
        private final Outputs of;
        private final long id;
        private long bytes;
        private boolean grows = true;
        private volatile boolean givenUp;

        private Share(Outputs of, long id) {
            this.of = of;
            this.id = id;
        }

        /** Nothing is waited for any more: the task is cancelled. */
        public void giveUp() {
            givenUp = true;
        }

        /**
         * Takes memory for an output that has so many bytes in all from now on; waits for it.
         *
         * @return null, or why there is none for it
         */
        @Nullable
        public String take(long size) {
            if (size <= FREE || size <= bytes) return null;
            if (size > mostOfOne)
                return "output is larger than " + inMegabytes(mostOfOne) + ", the most that one task may have here";
            synchronized (OutputMemory.this) {
                long until = System.nanoTime() + patience.toNanos();
                while (!fits(this, size)) {
                    if (givenUp) return "the task was cancelled while its output waited for memory";
                    if (System.nanoTime() - until >= 0)
                        return "there was no memory for its output for " + patience.toSeconds()
                                + " s: those of all tasks may have " + inMegabytes(all) + " together";
                    try {
                        OutputMemory.this.wait(LOOK_MILLIS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return "the task was interrupted while its output waited for memory";
                    }
                }
                total += size - bytes;
                bytes = size;
                held.put(this, size);
                of.shares.put(id, this);
                return null;
            }
        }

        /** The output does not grow any more, and goes on to hold its memory until it is written. */
        public void ended() {
            synchronized (OutputMemory.this) {
                grows = false;
                OutputMemory.this.notifyAll();
            }
        }

        private void free() {
            if (held.remove(this) == null) return;
            total -= bytes;
            bytes = 0;
            OutputMemory.this.notifyAll();
        }

        /** The output was dropped. */
        void drop() {
            synchronized (OutputMemory.this) {
                of.shares.remove(id, this);
                free();
            }
        }
    }

    /** Whether the largest output that still grows could reach the most of one after that. */
    private boolean fits(Share asking, long size) {
        long after = total - asking.bytes + size;
        long largest = size;
        for (Map.Entry<Share, Long> each : held.entrySet())
            if (each.getKey().grows) largest = Math.max(largest, each.getValue());
        return all - after >= mostOfOne - largest;
    }

    static String inMegabytes(long bytes) {
        return Math.max(1, bytes / 1024 / 1024) + " MB";
    }
}
