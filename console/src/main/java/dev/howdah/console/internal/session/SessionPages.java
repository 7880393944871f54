package dev.howdah.console.internal.session;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Part;
import dev.howdah.health.DatabaseSession;
import java.util.List;

/** The part with the sessions. */
public final class SessionPages {
    private static final int SHOWN = 100;

    private SessionPages() {}

    /**
     * What the template shows.
     *
     * @param isAll whether there are no more
     */
    public record Model(List<DatabaseSession> sessions, boolean isAll) {}

    /** The sessions, in a part of the page of the database. */
    public static Part part(ConsoleData data) {
        SessionList sessions = new SessionList(data);
        return new Part("sessions", "sessions.jte", () -> {
            List<DatabaseSession> found = sessions.first(SHOWN + 1);
            return new Model(found.subList(0, Math.min(SHOWN, found.size())), found.size() <= SHOWN);
        });
    }
}
