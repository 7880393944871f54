package dev.howdah.operations;

import dev.howdah.internal.text.NameText;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a caller may do, and what an operation or a route needs. Each may do all that those before it may, but workers,
 * producers and senders: they are programs. What a worker or a sender may do no other role may, save an administrator; what a producer may do, a submitter may
 * too, for all queues.
 */
public enum Role {
    /** Claims jobs by the HTTP API and says how they ended; sees and does nothing else. */
    WORKER,
    /** Adds jobs to its queues by the HTTP API; sees and does nothing else. */
    PRODUCER,
    /** Sends signals to jobs of its queues by the HTTP API; sees and does nothing else. */
    SENDER,
    /** Sees everything, and changes nothing. */
    VIEWER,
    /** Also pauses, resumes, limits, retries, cancels and repairs. */
    OPERATOR,
    /** Also starts processes, and adds jobs by the HTTP API, of kinds that programs handle. */
    SUBMITTER,
    /** Also adds, edits and deletes, and manages tokens. */
    ADMINISTRATOR;

    private static final int LONGEST_QUEUE = 200;

    private static final Set<String> OF_THE_DAEMON = Set.of("sql", "http");

    /** Returns whether a caller of this role may do what needs that one. */
    public boolean covers(Role needed) {
        if (needed == PRODUCER && this == SUBMITTER) return true;
        if (needed.isProgram()) return this == needed || this == ADMINISTRATOR;
        return !isProgram() && compareTo(needed) >= 0;
    }

    /** @throws IllegalArgumentException if a token of this role cannot be for those queues; none: for all */
    public void checkQueues(List<String> queues) {
        if (needsQueues() && queues.isEmpty())
            throw new IllegalArgumentException("queues has to name those to which a " + text() + " may "
                    + (this == PRODUCER ? "add" : "send signals"));
        if (!isProgram() && !queues.isEmpty())
            throw new IllegalArgumentException(
                    "queues are for tokens of workers, producers and senders, not of the role " + text());
        for (String each : queues) {
            if (each.isBlank() || each.length() > LONGEST_QUEUE)
                throw new IllegalArgumentException(
                        "a queue has 1 to " + LONGEST_QUEUE + " characters, not \"" + each + "\"");
            NameText.check("the name of a queue", each);
        }
    }

    /** Returns whether it is one of programs, which are trusted with their own jobs only. */
    public boolean isProgram() {
        return this == WORKER || needsQueues();
    }

    /** Returns whether it is one of programs that have queues of their own, and none else. */
    public boolean needsQueues() {
        return this == PRODUCER || this == SENDER;
    }

    /**
     * Returns whether it may add jobs of that kind, where it may add jobs. The daemon works some kinds itself, with its own privileges and secrets: a caller
     * that may add them may run SQL, and send requests, as the daemon.
     */
    public boolean mayAdd(String kind) {
        return this == ADMINISTRATOR || !OF_THE_DAEMON.contains(kind) && !kind.startsWith("howdah.");
    }

    /** The name in configuration, tables and messages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of that name; empty: there is none. */
    public static Optional<Role> of(String name) {
        return Arrays.stream(values()).filter(each -> each.text().equals(name)).findFirst();
    }

    /** All names, for messages. */
    public static String names() {
        return Arrays.stream(values()).map(Role::text).collect(Collectors.joining(", "));
    }
}
