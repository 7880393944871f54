package dev.howdah.task.internal.quota;

/**
 * The limits of sessions for tasks, in our databases and at other servers; tasks of the one kind do not take the
 * places of the other.
 */
public record SessionQuotas(SessionQuota local, SessionQuota remote) {
    /** So many tables keep a session ready at most while they have nothing to do. */
    private static final int SPARES = 8;

    public static SessionQuotas of(int perDatabase, int inAll) {
        return new SessionQuotas(
                new SessionQuota(perDatabase, inAll, Math.min(SPARES, Math.max(inAll / 4, 1))),
                new SessionQuota(inAll, inAll, 0));
    }
}
