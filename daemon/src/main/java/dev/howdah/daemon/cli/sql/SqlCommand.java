package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Signals;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah sql}. */
@Command(
        name = "sql",
        description = "Run SQL and print the results, as psql does.",
        footer = {
            "",
            "Without SQL, at a terminal, it asks for statements until \\q or Ctrl-D: with history, completion by the"
                    + " tabulator, and Ctrl-C, which cancels the statement that runs.",
            "Several statements run as one transaction, unless they contain BEGIN and COMMIT.",
            "With --json each statement prints one line: an array with an object for each row (a name that comes"
                    + " twice gets _2 added), or {\"tag\": \"INSERT 0 1\"}, or {\"copy\": \"...\"}; a failure by"
                    + " {\"error\": {...}}."
        })
public final class SqlCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final SqlText sql = new SqlText();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--json", description = "Print JSON, one line for each statement.")
    private boolean json;

    @Option(names = "--csv", description = "Print lines with commas, the names of the columns first.")
    private boolean csv;

    @Option(
            names = "--columns",
            paramLabel = "LIST",
            description = "Print these columns of each result only, in this order, separated by commas.")
    private @Nullable String columns;

    private SqlCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new SqlCommand(terminal));
        ConfigurationOptions.add(line.getCommandSpec(), Setting.DATA, Setting.URL, Setting.CONFIG);
        return line;
    }

    @Override
    public Integer call() {
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        boolean typed = sql.isToBeTyped(terminal);
        if (columns != null && typed) throw CliException.usage("--columns takes SQL on the line");
        if (json && csv) throw CliException.usage("--json and --csv: only one of them");
        String text = typed ? "" : sql.read(terminal);
        if (text.stripLeading().startsWith("\\"))
            throw CliException.usage(
                    "commands that begin with \\ are psql's own, and this is SQL only; the tables are listed by"
                            + " \"SELECT * FROM pg_tables WHERE schemaname = 'public'\"");
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        try (WireConnection connection = WireConnection.open(
                target.database(),
                Map.of("application_name", "howdah sql"),
                target.database().connectTimeout())) {
            if (typed) return new SqlPrompt(connection, terminal, sql -> results(connection, sql)).run();
            SqlResults results = results(connection, text);
            Signals signals = Signals.on(() -> cancel(connection, terminal), () -> {}, () -> {});
            try {
                connection.query(
                        text,
                        columns == null
                                ? results
                                : new ColumnChoice(List.of(columns.strip().split("\\s*,\\s*", -1)), results));
            } finally {
                signals.release();
            }
            if (results.undone())
                terminal.err()
                        .println(
                                "howdah: what the statements before it did was rolled back, too: all are one transaction");
            if (signals.exitCode() != 0) return signals.exitCode();
            return results.failed() ? CliException.FAILED : 0;
        } catch (WireException e) {
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw CliException.usage("the SQL cannot be sent: " + e.getMessage());
        } catch (UncheckedIOException e) {
            // The reader of the output has gone away (| head): that is no failure to report.
            return CliException.FAILED;
        }
    }

    private SqlResults results(WireConnection connection, String text) {
        if (json) return new JsonResults(terminal, connection.charset());
        if (csv) return new CsvResults(terminal, connection.charset(), text);
        return new TableResults(terminal, connection.charset(), text);
    }

    /** Ctrl-C ends the statement at the server, too: it would go on there, and commit. The program ends when the server says so. */
    static void cancel(WireConnection connection, Terminal terminal) {
        try {
            connection.cancel();
        } catch (IOException e) {
            terminal.err().println("howdah: the statement could not be cancelled, and may go on: " + e.getMessage());
            terminal.err().flush();
        }
    }

    /** Ends the statement when its rows are not read any more. */
    static void check(java.io.PrintStream out) {
        if (out.checkError()) throw new UncheckedIOException(new IOException("the output was closed"));
    }
}
