package dev.howdah.operations.change;

import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.DatabaseException;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.TimeValue;
import dev.howdah.operations.value.WholeValue;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operations on sessions of the database server. */
public final class SessionOperations {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int LONGEST_QUERY = 160;

    private static final Parameter<Integer> PID =
            Parameter.of("pid", new WholeValue(1, 999_999_999), "The server process of the session.");

    private static final Parameter<Instant> STARTED = Parameter.of(
                    "started",
                    new TimeValue(false),
                    "When the session began, to the microsecond, as the list says: a later one with its pid is left alone.")
            .asOption();

    private static final Subject SESSION = new Subject(
                    "session",
                    "database/sessions",
                    List.of(PID),
                    "/database/sessions/{pid}",
                    "session",
                    (engine, key) -> find(engine, key.get(PID)))
            .listedOn("/database");

    public static final Operation CANCEL = Operation.of(
                    SESSION,
                    "cancel",
                    Role.ADMINISTRATOR,
                    "Ask PostgreSQL to cancel the statement of a session; the session stays. The role of the database has to be"
                            + " that of the session, or a member of pg_signal_backend.")
            .takes(STARTED)
            .ask(
                    call -> question(
                            call,
                            "Cancel the statement of {session}? The session stays; if it runs no statement now, nothing happens."))
            .say("PostgreSQL was asked to cancel the statement of {target}.", "")
            .does(call -> end(call, SessionEnd.CANCEL) ? ChangeOutcome.done() : gone(call));

    public static final Operation TERMINATE = Operation.of(
                    SESSION,
                    "terminate",
                    Role.ADMINISTRATOR,
                    "Ask PostgreSQL to end a session: its transaction is rolled back, and its connection is closed. The role of"
                            + " the database has to be that of the session, or a member of pg_signal_backend.")
            .takes(STARTED)
            .ask(call -> question(call, "End {session}? Its transaction is rolled back, and its connection is closed."))
            .say("{target} has ended.", "")
            .removes()
            .does(call -> {
                if (!end(call, SessionEnd.TERMINATE)) return gone(call);
                return hasEnded(call)
                        ? ChangeOutcome.done()
                        : ChangeOutcome.done().said("PostgreSQL was asked to end {target}, which has not ended yet.");
            });

    /** All of them. */
    public static final List<Operation> ALL = List.of(CANCEL, TERMINATE);

    private SessionOperations() {}

    /** The key of a session. */
    public static Values key(DatabaseSession session) {
        return Values.NONE.with(PID, session.pid());
    }

    /** The parameters that tell a session from others with its pid. */
    public static Values started(DatabaseSession session) {
        return Values.NONE.with(STARTED, session.started());
    }

    private interface Work<T extends @Nullable Object> {
        T with(DatabaseHealth health) throws SQLException;
    }

    private static <T extends @Nullable Object> T by(Engine engine, Work<T> work) {
        try {
            return work.with(engine.health());
        } catch (SQLException e) {
            throw new DatabaseException(e);
        }
    }

    private static @Nullable DatabaseSession find(Engine engine, int pid) {
        return by(engine, health -> health.session(pid)).orElse(null);
    }

    /** The session that is meant; null: it is gone. */
    private static @Nullable DatabaseSession find(OperationCall call) {
        DatabaseSession session = find(call.engine(), call.key(PID));
        boolean isMeant = session != null
                && (session.started() == null || session.started().equals(call.get(STARTED)));
        return isMeant ? session : null;
    }

    private static boolean end(OperationCall call, SessionEnd how) {
        return by(call.engine(), health -> health.end(call.key(PID), call.get(STARTED), how));
    }

    /** Whether the session ends within a moment, as one does that is not in the middle of something. */
    private static boolean hasEnded(OperationCall call) {
        long until = System.nanoTime() + MOMENT.toNanos();
        while (find(call) != null) {
            if (System.nanoTime() > until) return false;
            LockSupport.parkNanos(LOOK.toNanos());
        }
        return true;
    }

    private static ChangeOutcome gone(OperationCall call) {
        return ChangeOutcome.missing("There is no session " + call.key(PID) + " that began at " + call.get(STARTED)
                + ": it has ended, or another one has its pid.");
    }

    /** Empty: the session is gone, which the change itself will say. */
    private static String question(OperationCall call, String words) {
        DatabaseSession session = find(call);
        if (session == null) return "";
        String query = session.query().replaceAll("\\s+", " ").strip();
        String shown = query.length() <= LONGEST_QUERY ? query : query.substring(0, LONGEST_QUERY) + "\u2026";
        return words.replace("{session}", named(session)) + (shown.isEmpty() ? "" : " Its last statement: " + shown);
    }

    /** Such as {@code session 812 (app, psql, from 10.0.0.7; database shop)}. */
    private static String named(DatabaseSession session) {
        return "session " + session.pid() + " (" + client(session) + "; database " + session.database() + ")";
    }

    /** The client of a session, such as {@code app, psql, from 10.0.0.7}. */
    public static String client(DatabaseSession session) {
        String address = session.address();
        return Stream.of(
                        Objects.requireNonNullElse(session.role(), "an unknown role"),
                        session.application(),
                        address == null ? "" : "from " + address)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining(", "));
    }
}
