package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** SQL given as an argument, in a file or on the standard input. */
public final class SqlText {
    @Parameters(
            paramLabel = "SQL",
            arity = "0..1",
            description = "The SQL, one statement or several; - reads the standard input.")
    private @Nullable String argument;

    @Option(names = "--file", paramLabel = "FILE", description = "Read the SQL from this file.")
    private @Nullable Path file;

    public String read(Terminal terminal) {
        if (argument != null && file != null)
            throw CliException.usage("SQL as an argument and --file: only one of them");
        if (argument == null && file == null)
            throw CliException.usage("missing SQL: as an argument, with --file FILE, or - for the standard input");
        try {
            String text = file != null
                    ? Files.readString(file)
                    : "-".equals(argument)
                            ? new String(terminal.in().readAllBytes(), StandardCharsets.UTF_8)
                            : argument;
            if (text == null || text.isBlank()) throw CliException.usage("the SQL is empty");
            return text;
        } catch (NoSuchFileException e) {
            throw CliException.usage("--file: there is no file " + file);
        } catch (IOException e) {
            throw CliException.failed("cannot read the SQL: " + e.getMessage(), e);
        }
    }
}
