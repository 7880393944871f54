package dev.howdah.spi.reach;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Does tasks whose {@code remote} names something else than a PostgreSQL: an HTTP API, a mail server, a program. Has to be safe for use
 * by many threads: each task runs in a thread of its own.
 */
public interface Reach {
    /**
     * Returns whether {@code remote} names work of this one, whether or not it is allowed; everything else is the address of a
     * PostgreSQL. Asked for each task with a remote: it has to return at once.
     */
    boolean takes(String remote);

    /**
     * The schemes with which a remote that it {@linkplain #takes takes} begins, such as {@code https}: for the error of a remote with
     * another one.
     */
    default List<String> schemes() {
        return List.of();
    }

    /**
     * The right to begin a task with that remote now, where its target may have only so many tasks at once or within a time, or rests
     * since it could not serve the last ones. Asked before each task is claimed: it has to return at once. The task keeps its place in its
     * group meanwhile, and takes no session.
     *
     * @param owner the name of the role whose task it is
     * @param firstLine of the task's input, where a {@linkplain FirstLine whole request} may be that names another path than {@code
     *     remote}; null where {@code remote} has no option that says so
     * @param room run when it is worth asking again, by any thread; the same one may be given many times before that
     * @return null: not now
     */
    default @Nullable ReachPermit permit(String remote, String owner, @Nullable String firstLine, Runnable room) {
        return ReachPermit.FREE;
    }

    /** Returns whether a task would get a {@linkplain #permit permit} now. Has to return at once. */
    default boolean hasRoom(String remote, String owner, @Nullable String firstLine) {
        return true;
    }

    /**
     * Does the task and returns when it has ended. A task may be done more than once: after a crash of the program, or when its answer
     * was lost.
     *
     * @param cancellation says when to stop; the method has to return soon after
     * @return the result; what is thrown instead is an error of the task
     */
    ReachResult run(ReachTask task, Cancellation cancellation);

    /** One that takes no remote. */
    static Reach none() {
        return new Reach() {
            @Override
            public boolean takes(String remote) {
                return false;
            }

            @Override
            public ReachResult run(ReachTask task, Cancellation cancellation) {
                return ReachResult.failed("W1003", "nothing can be reached", null, null);
            }
        };
    }
}
