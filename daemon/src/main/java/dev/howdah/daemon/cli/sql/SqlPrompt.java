package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Signals;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Function;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/** Statements that are typed at a terminal, one after the other, in one session. */
final class SqlPrompt {
    private static final String ENDS = "(\\\\q|quit|exit)\\s*;?";

    private final WireConnection connection;
    private final Terminal terminal;
    private final Function<String, SqlResults> results;

    SqlPrompt(WireConnection connection, Terminal terminal, Function<String, SqlResults> results) {
        this.connection = connection;
        this.terminal = terminal;
        this.results = results;
    }

    /** Asks until there is no more, and returns the exit code. */
    int run() {
        // What reads the keys has signals of its own while it does; a statement that runs is cancelled by ours.
        try (org.jline.terminal.Terminal keys = TerminalBuilder.builder()
                .system(true)
                .nativeSignals(true)
                .signalHandler(SignalHandler.SIG_IGN)
                .build()) {
            SqlNames names = SqlNames.of(connection);
            LineReaderBuilder builder = LineReaderBuilder.builder()
                    .terminal(keys)
                    .appName("howdah")
                    .parser(new SqlLines())
                    .completer(names)
                    .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                    .option(LineReader.Option.CASE_INSENSITIVE, true)
                    .variable(LineReader.SECONDARY_PROMPT_PATTERN, names.database() + "-> ");
            Path history = history();
            if (history != null) builder.variable(LineReader.HISTORY_FILE, history);
            LineReader reader = builder.build();
            terminal.err().println("Statements end with a semicolon; \\q or Ctrl-D ends.");
            terminal.err().flush();
            return ask(reader, names.database() + "=> ");
        } catch (IOException e) {
            throw CliException.failed("the terminal cannot be read: " + e.getMessage(), e);
        }
    }

    private int ask(LineReader reader, String prompt) {
        while (true) {
            try {
                String text = reader.readLine(prompt).strip();
                if (text.matches(ENDS)) return 0;
                if (text.startsWith("\\")) {
                    terminal.err().println("howdah: commands that begin with \\ are psql's own; \\q ends");
                    terminal.err().flush();
                } else if (!text.isEmpty()) run(text);
            } catch (UserInterruptException e) {
                // What was typed is thrown away, and the next line may come.
            } catch (EndOfFileException e) {
                return 0;
            } catch (WireException e) {
                throw CliException.failed(String.valueOf(e.getMessage()), e);
            }
        }
    }

    private void run(String text) throws WireException {
        Signals signals = Signals.on(() -> SqlCommand.cancel(connection, terminal), () -> {}, () -> {});
        try {
            connection.query(text, results.apply(text));
        } catch (IllegalArgumentException e) {
            terminal.err().println("howdah: the SQL cannot be sent: " + e.getMessage());
        } finally {
            signals.release();
            terminal.out().flush();
            terminal.err().flush();
        }
    }

    /** For its owner alone, as statements may hold secrets; null: there is no home where one could be. */
    private @Nullable Path history() {
        String home = terminal.environment().get("HOME");
        if (home == null) return null;
        Path file = Path.of(home, ".howdah", "sql_history");
        try {
            Files.createDirectories(file.resolveSibling("."));
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return file;
        } catch (FileAlreadyExistsException e) {
            return file;
        } catch (IOException | UnsupportedOperationException e) {
            // The prompt works without a history: the home cannot be written to, or has no permissions of files.
            return null;
        }
    }
}
