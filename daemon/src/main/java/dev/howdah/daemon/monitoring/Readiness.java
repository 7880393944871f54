package dev.howdah.daemon.monitoring;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether the daemon is ready, from its start to its end. Safe for use by many threads. */
public final class Readiness implements Supplier<@Nullable String> {
    private volatile Supplier<@Nullable String> obstacle = () -> "starting";
    private volatile Supplier<@Nullable String> further = () -> null;
    private volatile Supplier<@Nullable String> pause = () -> null;

    /** From now on it is ready as soon as that supplier returns null, and not ready for the reason that it returns. */
    public void follow(Supplier<@Nullable String> state) {
        obstacle = state;
    }

    /** From now on it is not ready either while that supplier returns a reason: what else is to be worked is not. */
    public void alsoFollow(Supplier<@Nullable String> state) {
        further = state;
    }

    /** From now on that supplier says what is paused although the daemon is ready; null: nothing. */
    public void tell(Supplier<@Nullable String> paused) {
        pause = paused;
    }

    /** What is paused; null: nothing. */
    public @Nullable String pause() {
        return pause.get();
    }

    /** Why the program has not come up; null: it has, although it may not work all that it is to. */
    public @Nullable String startObstacle() {
        return obstacle.get();
    }

    /** From now on it is not ready, for that reason. */
    public void end(String reason) {
        obstacle = () -> reason;
    }

    /** Returns why it is not ready; null: it is. */
    @Override
    public @Nullable String get() {
        String first = obstacle.get();
        return first != null ? first : further.get();
    }
}
