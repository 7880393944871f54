package dev.howdah.testkit.internal.bridge;

/** A state of the calling thread, and of its transaction. */
@FunctionalInterface
public interface AnySituation {
    /** Calls {@code work} in it. */
    void around(Runnable work) throws Exception;
}
