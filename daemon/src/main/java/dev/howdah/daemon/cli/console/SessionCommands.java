package dev.howdah.daemon.cli.console;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah session}: the sessions that keep others waiting, or dead rows from being removed. */
@Command(
        name = "session",
        description = "List sessions of the server with an open transaction, and end one.",
        synopsisSubcommandLabel = "COMMAND")
public final class SessionCommands extends CommandGroup {
    private SessionCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = commandLine(new SessionCommands(terminal));
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    @Command(
            name = "list",
            description =
                    "List sessions that have a transaction open, or for whose locks others wait; the longest transaction first.")
    int list(
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        List<DatabaseSession> found =
                ConsoleTarget.of(command("list"), terminal()).sessions(health -> health.sessions(limit.rows()));
        Listing<DatabaseSession>.Rows rows = new Listing<DatabaseSession>()
                .number("pid", DatabaseSession::pid)
                .text("started", SessionCommands::started)
                .text("role", DatabaseSession::role)
                .text("database", DatabaseSession::database)
                .text("application", DatabaseSession::application)
                .text("address", DatabaseSession::address)
                .text("state", DatabaseSession::state)
                .text("transaction_started", DatabaseSession::transactionStarted)
                .number("held_transactions", DatabaseSession::heldTransactions)
                .text("waits", DatabaseSession::waits)
                .number("blocks", DatabaseSession::blocks)
                .text("query", each -> json ? each.query() : shortened(each.query()))
                .to(terminal(), json);
        found.forEach(rows::add);
        rows.end();
        return 0;
    }

    /** As {@code --started} takes it, to the microsecond. */
    private static @Nullable String started(DatabaseSession session) {
        return session.started() == null ? null : session.started().toString();
    }

    private static String shortened(String query) {
        String line = query.replaceAll("\\s+", " ").strip();
        return line.length() <= 60 ? line : line.substring(0, 60) + "…";
    }

    /** The session that is meant. */
    private static final class Meant {
        @Parameters(paramLabel = "PID", description = "Its server process.")
        private int pid;

        @Option(
                names = "--started",
                paramLabel = "TIME",
                required = true,
                description = "When the session began, as the list says: a later one with its pid is left alone.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String started;
    }

    @Command(name = "cancel", description = "Ask PostgreSQL to cancel the statement of a session; the session stays.")
    int cancel(@Mixin Meant session) {
        return end("cancel", session, SessionEnd.CANCEL);
    }

    @Command(name = "terminate", description = "Ask PostgreSQL to end a session: its transaction is rolled back.")
    int terminate(@Mixin Meant session) {
        return end("terminate", session, SessionEnd.TERMINATE);
    }

    private int end(String verb, Meant session, SessionEnd how) {
        Instant started = started(session.started);
        ConsoleTarget target = ConsoleTarget.of(command(verb), terminal());
        target.audited(
                "database." + verb,
                "database/sessions/" + session.pid,
                Json.line(Map.of("started", started.toString())),
                () -> {
                    boolean sent = target.sessions(health -> health.end(session.pid, started, how));
                    if (!sent)
                        throw CliException.failed("there is no session " + session.pid + " that began at " + started
                                + ": it has ended, or another one has its pid");
                    return true;
                });
        terminal().out().println("requested");
        return 0;
    }

    private static Instant started(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw CliException.usage(
                    "--started has to be a time such as 2026-11-25T14:00:00.123456Z, not \"" + text + "\"");
        }
    }
}
