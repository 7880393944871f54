package dev.howdah.console.internal.session;

import dev.howdah.health.DatabaseSession;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A session in words. */
final class SessionText {
    private SessionText() {}

    /** Such as {@code app, psql, from 10.0.0.7}. */
    static String client(DatabaseSession session) {
        String address = session.address();
        return Stream.of(
                        session.role() == null ? "an unknown role" : session.role(),
                        session.application(),
                        address == null ? "" : "from " + address)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** Such as {@code session 812 (app, psql, from 10.0.0.7; database shop)}. */
    static String whole(DatabaseSession session) {
        return "session " + session.pid() + " (" + client(session) + "; database " + session.database() + ")";
    }
}
