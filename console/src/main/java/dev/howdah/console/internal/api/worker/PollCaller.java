package dev.howdah.console.internal.api.worker;

import dev.howdah.console.internal.access.Caller;

/**
 * The caller of a request for jobs. A token that is renewed under its name stays the same one.
 *
 * @param name of the caller
 * @param leaves whether it leaves room to others: not where no login is needed, and all workers are the same caller
 */
record PollCaller(String name, boolean leaves) {
    static PollCaller of(Caller caller) {
        return new PollCaller(caller.name(), !caller.isLocal());
    }

    /**
     * Whether it may have one more: of what is scarce a caller takes the last one only if it has none, and else less than it leaves to others. So
     * one that asks for all gets half of it, another one half of the rest, and there is some left for several more.
     */
    boolean mayHold(int held, int free) {
        return free > 0 && (!leaves || held < free);
    }
}
