package dev.howdah.spi.reach;

/** The right of one task to be at its target, where that has a limit. Closed when the task has ended; closing it again has no effect. */
@FunctionalInterface
public interface ReachPermit extends AutoCloseable {
    /** That of a target without limits. */
    ReachPermit FREE = () -> {};

    @Override
    void close();
}
