package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.cli.TimeoutOption;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.JsonObject;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.process.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The request to a process, as options and arguments. */
abstract class ProcessRequest {
    /** To one process. */
    static final class One extends ProcessRequest {
        @Mixin
        @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
        private ProcessName.One name;

        @Override
        ProcessName name() {
            return name;
        }
    }

    /** To one process, or with {@code --all} to many. */
    static final class OneOrAll extends ProcessRequest {
        @Mixin
        @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
        private ProcessName.OneOrAll name;

        @Override
        ProcessName.OneOrAll name() {
            return name;
        }
    }

    @Parameters(
            index = "2",
            paramLabel = "ARGS",
            arity = "0..1",
            description = "JSON for the processor; - reads the standard input, any bytes.")
    private @Nullable String args;

    @Option(names = "--file", paramLabel = "FILE", description = "Read ARGS from this file, any bytes.")
    private @Nullable Path file;

    @Option(
            names = "--context",
            paramLabel = "JSON",
            description = "JSON that is passed with the task, and with timers that it sets.")
    private @Nullable String context;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "Execute the request once: the same request with this key gets the first answer.")
    private @Nullable String key;

    @Mixin
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
    private TimeoutOption timeout;

    @Option(names = "--json", description = "Print a JSON object on one line.")
    private boolean json;

    abstract ProcessName name();

    TimeoutOption timeout() {
        return timeout;
    }

    boolean json() {
        return json;
    }

    /** Whether it has more than the name of a process. */
    boolean hasMore() {
        return args != null || file != null || context != null || key != null || timeout.isGiven();
    }

    /** @throws CliException if something in it makes no sense */
    Request read(Terminal terminal) {
        try {
            Request request = Request.of(name().namespace(), name().id()).timeout(timeout.time());
            byte[] given = args(terminal);
            if (given != null) request = request.args(given);
            if (context != null) request = request.context(json("--context", context));
            return key == null ? request : request.key(key);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private byte @Nullable [] args(Terminal terminal) {
        if (args != null && file != null) throw CliException.usage("ARGS and --file: only one of them");
        try {
            if (file != null) return Files.readAllBytes(file);
            if ("-".equals(args)) return terminal.in().readAllBytes();
        } catch (NoSuchFileException e) {
            throw CliException.usage("--file: there is no file " + file);
        } catch (IOException e) {
            throw CliException.failed(
                    "cannot read ARGS" + (file == null ? "" : " from " + file) + ": " + e.getMessage(), e);
        }
        return args == null ? null : json("ARGS", args);
    }

    private static byte[] json(String what, String text) {
        if (!JsonBytes.isJson(text))
            throw CliException.usage(what + " has to be JSON, such as '{\"cents\": 1000}' or '\"text\"'; it is: "
                    + JsonObject.shortened(text));
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
