package dev.howdah.console.internal.session;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import dev.howdah.operations.Role;
import java.util.List;
import java.util.Objects;

/** The part with the sessions, and the actions that end one. */
public final class SessionPages {
    private static final int SHOWN = 100;

    private SessionPages() {}

    /**
     * What the template shows.
     *
     * @param isAll whether there are no more
     */
    public record Model(List<DatabaseSession> sessions, boolean isAll) {
        /** The path at which a session is ended. */
        public String path(DatabaseSession session, String verb) {
            return "/database/sessions/" + session.pid() + "/" + verb;
        }

        /** When a session began, as its form sends it. */
        public String started(DatabaseSession session) {
            return Objects.toString(session.started(), "");
        }

        /** Who it is: the role, the program and the address. */
        public String client(DatabaseSession session) {
            return SessionText.client(session);
        }
    }

    /** The sessions, in a part of the page of the database. */
    public static Part part(ConsoleData data) {
        SessionList sessions = new SessionList(data);
        return new Part("sessions", "sessions.jte", () -> {
            List<DatabaseSession> found = sessions.first(SHOWN + 1);
            return new Model(found.subList(0, Math.min(SHOWN, found.size())), found.size() <= SHOWN);
        });
    }

    public static void add(ConsoleData data, Routes<PageAction> actions) {
        SessionList sessions = new SessionList(data);
        actions.add("/database/sessions/{pid}/cancel", Role.ADMINISTRATOR, new EndSession(sessions, SessionEnd.CANCEL));
        actions.add(
                "/database/sessions/{pid}/terminate",
                Role.ADMINISTRATOR,
                new EndSession(sessions, SessionEnd.TERMINATE));
    }
}
