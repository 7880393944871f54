package dev.howdah.daemon.cli.process;

import static dev.howdah.process.ProcessException.Reason.TIMEOUT;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.TimeoutOption;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.daemon.log.CommandLog;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.Processes;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.process.query.TaskStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Asks processes of a database that others work, and says in one line what went wrong. */
final class ProcessTarget {
    private final CommandTarget target;
    private final SchemaName schema;

    private ProcessTarget(CommandTarget target, SchemaName schema) {
        this.target = target;
        this.schema = schema;
    }

    /** The one of the database that the command's settings name. */
    static ProcessTarget of(CommandSpec command, Terminal terminal) {
        Configuration configuration = ConfigurationOptions.read(command, terminal);
        return new ProcessTarget(
                CommandTarget.of(configuration, terminal.environment()), Installation.of(configuration));
    }

    private Connection connect() throws SQLException {
        return SchemaConnection.of(target.database().connect(), schema);
    }

    /** Something to do with the processes of a database. */
    interface Work<T extends @Nullable Object> {
        T with(Processes processes);
    }

    /** Something to see of them. */
    interface Look<T> {
        T at(ProcessReader processes);
    }

    /** Does it, with a node that works nothing itself. */
    <T extends @Nullable Object> T ask(Work<T> work) {
        // That a node begins, ends or is lost does not matter to the user of the command: the result is printed
        // in a line.
        CommandLog.omit("dev.howdah.process", "dev.howdah.internal.node");
        return clearly(() -> {
            try (Processes processes = Processes.on(new SessionSource(target.database()))
                    .schema(schema.name())
                    .nodeName("howdah process, pid " + ProcessHandle.current().pid())
                    .shutdownTimeout(Duration.ZERO)
                    .codec(new PlainJsonCodec())
                    .start()) {
                return work.with(processes);
            }
        });
    }

    /** Looks, for which it takes no node, and no right to write. */
    <T> T see(Look<T> look) {
        return clearly(() ->
                look.at(ProcessReader.on(new SessionSource(target.database()), new PlainJsonCodec(), schema.name())));
    }

    /** Asks for changes without a node. */
    <T> T client(Function<ProcessClient, T> work) {
        return work.apply(ProcessClient.on(new SessionSource(target.database()), new PlainJsonCodec(), schema.name()));
    }

    private <T extends @Nullable Object> T clearly(Supplier<T> work) {
        checkTables();
        try {
            return work.get();
        } catch (ProcessException e) {
            throw CliException.failed(e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    /** As {@link #ask}, and says what became of it when there was no answer in time. */
    <T extends @Nullable Object> T await(ProcessName name, TimeoutOption timeout, Work<T> work) {
        return ask(processes -> {
            try {
                return work.with(processes);
            } catch (ProcessException e) {
                if (e.reason() != TIMEOUT) throw e;
                throw new ProcessException(
                        TIMEOUT,
                        TIMEOUT.message() + ": no answer within " + timeout.seconds() + " s; "
                                + goesOn(processes, name),
                        e);
            }
        });
    }

    private static String goesOn(Processes processes, ProcessName name) {
        try {
            return processes.trace(name.namespace(), name.id()).stream()
                            .anyMatch(each -> each.status() == TaskStatus.RUNNING)
                    ? "it goes on"
                    : "no node has begun it, and it waits: is one up that works " + name.namespace() + "?";
        } catch (ProcessException e) {
            return "what has become of it cannot be said: " + e.getMessage();
        }
    }

    private void checkTables() {
        boolean there;
        try (Connection connection = connect();
                PreparedStatement statement =
                        DaemonSql.DATABASE.statement("database_processes").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            there = row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
        if (!there) throw SqlFailure.noProcesses(target);
    }

    /** Removes the tables of processes. */
    void uninstall(boolean force) {
        try (Connection connection = connect()) {
            Processes.uninstall(connection, schema.name(), force);
        } catch (IllegalStateException e) {
            throw CliException.failed(e.getMessage() + "; --force removes the tables all the same");
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }

    /** Makes the tables of processes, or brings them up to date. */
    void install() {
        try (Connection connection = connect()) {
            Processes.install(connection, schema.name());
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }
}
