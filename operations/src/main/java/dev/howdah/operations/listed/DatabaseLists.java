package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.JSON;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.health.DatabaseSession;
import dev.howdah.health.HealthCheck;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.read.ReadException;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.store.AuditFilter;
import dev.howdah.operations.store.AuditOrder;
import dev.howdah.operations.store.AuditRow;
import dev.howdah.operations.store.StoredToken;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.TimeValue;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The health of the database and its sessions, the audit log, and tokens. */
public final class DatabaseLists {
    private static final int USUAL_SESSIONS = 100;
    private static final int MOST_SESSIONS = 500;
    private static final int LONGEST_NAME = 200;

    public static final ListModel<HealthCheck> CHECKS = ListModel.of(
                    "checkDatabase",
                    "/database",
                    "Checks the health of the database, as howdah doctor does.",
                    ListItem.<HealthCheck>of("HealthCheck")
                            .of("name", TEXT, "of the check, such as snapshot", HealthCheck::name)
                            .of("level", TEXT, "critical, warning, unknown, notice or ok", HealthCheck::level)
                            .of("value", TEXT, "what was found; unknown if it could not be checked", HealthCheck::value)
                            .masked()
                            .of(
                                    "threshold",
                                    TEXT,
                                    "from where on it is a warning, and critical",
                                    HealthCheck::threshold)
                            .of("sentence", TEXT, "the result for people, without secrets", HealthCheck::sentence)
                            .masked()
                            .maybe("remedy", TEXT, "what to do about it, mostly an SQL statement", HealthCheck::remedy)
                            .masked())
            .facts(Field.of("level", TEXT, "the worst: critical, warning, unknown, notice or ok"))
            .order("the worst first")
            .whole(DatabaseLists::checks);

    public static final ListModel<DatabaseSession> SESSIONS = ListModel.of(
                    "listSessions",
                    "/database/sessions",
                    "Lists sessions that have a transaction open, or for whose locks others wait.",
                    ListItem.<DatabaseSession>of("DatabaseSession")
                            .of(
                                    "pid",
                                    INTEGER,
                                    "of its server process; another session can have it later",
                                    DatabaseSession::pid)
                            .maybe(
                                    "started",
                                    TIME,
                                    "when it began; absent: the role of the reader may not see it",
                                    DatabaseSession::started)
                            .maybe("role", TEXT, "as which it is logged in", DatabaseSession::role)
                            .maybe("database", TEXT, "that it is connected to", DatabaseSession::database)
                            .of("application", TEXT, "the name that it has given itself", DatabaseSession::application)
                            .masked()
                            .maybe("address", TEXT, "of the client; absent: the same machine", DatabaseSession::address)
                            .maybe("state", TEXT, "such as active or idle in transaction", DatabaseSession::state)
                            .maybe(
                                    "transaction_started",
                                    TIME,
                                    "absent: it has no transaction open",
                                    DatabaseSession::transactionStarted)
                            .maybe(
                                    "held_transactions",
                                    ID,
                                    "of how many transactions, up to now, dead rows stay because of it; absent: of none",
                                    DatabaseSession::heldTransactions)
                            .of("waits", BOOLEAN, "whether it waits for a lock", DatabaseSession::waits)
                            .of("blocks", INTEGER, "how many sessions wait for its locks", DatabaseSession::blocks)
                            .of(
                                    "query",
                                    TEXT,
                                    "its present statement, or its last one, without secrets",
                                    DatabaseSession::query)
                            .masked()
                            .wide("database address held_transactions waits"))
            .command("session list")
            .order("the one whose transaction began first is the first")
            .limit(USUAL_SESSIONS, MOST_SESSIONS)
            .all(DatabaseLists::sessions);

    private static final Parameter<String> ACTOR =
            Parameter.maybe("actor", new TextValue(LONGEST_NAME), "Only of callers whose names contain this.");

    private static final Parameter<String> OBJECT =
            Parameter.maybe("object", new TextValue(1_000), "Only of objects that begin so, such as tasks/42.");

    private static final Parameter<String> ACTION =
            Parameter.maybe("action", new TextValue(LONGEST_NAME), "Only actions that begin so, such as tasks.cancel.");

    private static final Parameter<Instant> FROM = Parameter.maybe("from", new TimeValue(false), "Not earlier.");

    private static final Parameter<Instant> UNTIL =
            Parameter.maybe("until", new TimeValue(true), "Only earlier; a day is included.");

    private static final Parameter<String> SORT = ListModel.sort(AuditOrder.values());

    public static final ListModel<AuditRow> AUDIT = ListModel.of(
                    "listAudit",
                    "/audit",
                    "Lists changes by the console, the API and commands, logins and refusals.",
                    ListItem.<AuditRow>of("AuditEntry")
                            .of("id", ID, "of the row", AuditRow::id)
                            .of("at", TIME, "when it began", AuditRow::at)
                            .of(
                                    "actor",
                                    TEXT,
                                    "the name of the caller",
                                    row -> row.entry().actor())
                            .maybe(
                                    "role",
                                    TEXT,
                                    "of the caller",
                                    row -> row.entry().role())
                            .of(
                                    "via",
                                    TEXT,
                                    "console, api, cli or sql",
                                    row -> row.entry().via())
                            .maybe(
                                    "address",
                                    TEXT,
                                    "from which the caller came",
                                    row -> row.entry().address())
                            .of(
                                    "action",
                                    TEXT,
                                    "such as tasks.cancel",
                                    row -> row.entry().action())
                            .maybe(
                                    "object",
                                    TEXT,
                                    "such as tasks/42",
                                    row -> row.entry().object())
                            .of(
                                    "outcome",
                                    TEXT,
                                    "done, failed or refused; begun: it may have happened",
                                    AuditRow::outcome)
                            .maybe("message", TEXT, "what was said of the outcome", AuditRow::message)
                            .maybe(
                                    "before",
                                    JSON,
                                    "the object before, without secrets",
                                    row -> row.entry().before())
                            .maybe(
                                    "sent",
                                    JSON,
                                    "what the request has said, without secrets",
                                    row -> row.entry().after())
                            .maybe("after", JSON, "the object after, without secrets", AuditRow::result)
                            .wide("address")
                            .more("id role via before sent after"))
            .page("AuditPage")
            .command("audit")
            .role(Role.ADMINISTRATOR)
            .filters(ACTOR, OBJECT, ACTION, FROM, UNTIL)
            .sorted(SORT)
            .pages(DatabaseLists::audit, row -> Long.toString(row.id()));

    public static final ListModel<StoredToken> TOKENS = ListModel.of(
                    "listTokens",
                    "/tokens",
                    "Lists tokens, also revoked ones, without the tokens themselves.",
                    ListItem.<StoredToken>of("Token")
                            .of("name", TEXT, "its name, 1 to 100 characters", StoredToken::name)
                            .of("role", TEXT, Role.names() + "; there may be more", StoredToken::role)
                            .maybe(
                                    "queues",
                                    TEXTS,
                                    "of a worker, producer or sender: the only queues that it may use; absent: all",
                                    token -> token.queues().isEmpty() ? null : token.queues())
                            .of("state", TEXT, "accepted, expired or revoked", StoredToken::state)
                            .of("created", TIME, "when it was added", StoredToken::created)
                            .of("created_by", TEXT, "the caller that has added it", StoredToken::createdBy)
                            .maybe("expires", TIME, "absent: never", StoredToken::expires)
                            .maybe("used", TIME, "its last use, to the minute; absent: never", StoredToken::used)
                            .maybe("revoked", TIME, "absent: it was not", StoredToken::revoked)
                            .wide("queues created_by revoked"))
            .command("token list")
            .role(Role.ADMINISTRATOR)
            .order("those that are accepted first")
            .all(call -> call.engine().storedTokens().list());

    private DatabaseLists() {}

    private static ListPage<HealthCheck> checks(ListCall call) {
        List<HealthCheck> checks;
        try {
            checks = call.engine().health().check();
        } catch (SQLException e) {
            throw new ReadException(e);
        }
        HealthCheck.Level worst = HealthCheck.Level.OK;
        for (HealthCheck each : checks) if (each.level().compareTo(worst) < 0) worst = each.level();
        return ListPage.of(checks).with("level", ListModel.word(worst));
    }

    private static List<DatabaseSession> sessions(ListCall call) {
        try {
            return call.engine().health().sessions(call.limit());
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static List<AuditRow> audit(ListCall call) {
        AuditFilter filter = new AuditFilter(
                call.find(ACTOR),
                call.find(OBJECT),
                call.find(ACTION),
                call.find(FROM),
                call.find(UNTIL),
                call.get(SORT, AuditOrder.class));
        return call.engine()
                .audit()
                .list(
                        call.isBackwards() ? filter.backwards() : filter,
                        call.place().startId(),
                        call.asked());
    }
}
