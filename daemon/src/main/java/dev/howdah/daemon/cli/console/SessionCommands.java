package dev.howdah.daemon.cli.console;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.health.DatabaseSession;
import dev.howdah.operations.change.SessionOperations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code howdah session}: the sessions that keep others waiting, or dead rows from being removed. */
@Command(
        name = "session",
        description = "List sessions of the server with an open transaction, and end one.",
        synopsisSubcommandLabel = "COMMAND")
public final class SessionCommands extends CommandGroup {
    private static final Listing<DatabaseSession> SESSIONS = new Listing<DatabaseSession>()
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
            .text("query", DatabaseSession::query)
            .shown(session -> shortened(session.query()))
            .wide("database application address transaction_started held_transactions waits");

    private SessionCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new SessionCommands(terminal));
        OperationCommands.add(line, "session", terminal, SessionOperations.ALL);
        withDatabase(line);
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    @Command(
            name = "list",
            description =
                    "List sessions that have a transaction open, or for whose locks others wait; the longest transaction first.")
    int list(@Mixin ListOptions options, @Mixin LimitOption limit) {
        int most = limit.rows();
        return options.print(
                terminal(),
                SESSIONS,
                () -> ConsoleTarget.of(command("list"), terminal()).sessions(health -> health.sessions(most)));
    }

    /** As {@code --started} takes it, to the microsecond. */
    private static @Nullable String started(DatabaseSession session) {
        return session.started() == null ? null : session.started().toString();
    }

    private static String shortened(String query) {
        String line = query.replaceAll("\\s+", " ").strip();
        return line.length() <= 60 ? line : line.substring(0, 60) + "…";
    }
}
