package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** SQL given as an argument, in a file or on the standard input. */
public final class SqlText {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    @Parameters(
            paramLabel = "SQL",
            arity = "0..1",
            description = "The SQL, one statement or several; - reads the standard input, as does a command without SQL"
                    + " that is not at a terminal.")
    private @Nullable String argument;

    @Option(names = "--file", paramLabel = "FILE", description = "Read the SQL from this file.")
    private @Nullable Path file;

    /** Text in UTF-8; a mark of the byte order in front, as editors write it, is no part of it. */
    private static String text(byte[] bytes, String place) {
        CharBuffer text = CharBuffer.allocate(bytes.length);
        ByteBuffer read = ByteBuffer.wrap(bytes);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(read, text, true);
        if (result.isError()) {
            text.flip();
            long line = text.chars().filter(each -> each == '\n').count() + 1;
            throw CliException.usage(String.format(
                    "%s is no text in UTF-8: byte 0x%02X in line %d; convert it, for example by iconv -f LATIN1 -t UTF-8",
                    place, bytes[read.position()], line));
        }
        text.flip();
        return text.length() > 0 && text.charAt(0) == BYTE_ORDER_MARK
                ? text.subSequence(1, text.length()).toString()
                : text.toString();
    }

    /** Whether there is no SQL, and a person at a keyboard that could type some. */
    boolean isToBeTyped(Terminal terminal) {
        return argument == null && file == null && terminal.inKeyboard().getAsBoolean();
    }

    public String read(Terminal terminal) {
        if (argument != null && file != null)
            throw CliException.usage("SQL as an argument and --file: only one of them");
        boolean piped = argument == null && file == null || "-".equals(argument);
        if (piped && argument == null && terminal.inKeyboard().getAsBoolean())
            throw CliException.usage("missing SQL: as an argument, with --file FILE, or - for the standard input");
        try {
            String text = file != null
                    ? text(Files.readAllBytes(file), "--file " + file)
                    : piped ? text(terminal.in().readAllBytes(), "the standard input") : argument;
            if (text == null || text.isBlank()) throw CliException.usage("the SQL is empty");
            return text;
        } catch (NoSuchFileException e) {
            throw CliException.usage("--file: there is no file " + file);
        } catch (IOException e) {
            throw CliException.failed("cannot read the SQL: " + e.getMessage(), e);
        }
    }
}
