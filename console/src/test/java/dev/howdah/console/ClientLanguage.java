package dev.howdah.console;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A language that has a client library, and the program in it that the suite of conformance starts. */
enum ClientLanguage {
    PYTHON("/usr/bin/python3", "python/src/howdah", "worker.py", "ValueError", "Traceback"),
    /** {@code npm ci} and {@code npm run build} make it. */
    TYPESCRIPT("/usr/bin/node", "typescript/dist/esm/index.js", "worker.mjs", "TypeError", "    at ");

    private final Path runtime;
    private final Path library;
    private final Path program;
    private final String error;
    private final String stack;

    ClientLanguage(String runtime, String library, String program, String error, String stack) {
        this.runtime = Path.of(runtime);
        this.library = Path.of("../clients", library);
        this.program = Path.of("../clients/conformance", program);
        this.error = error;
        this.stack = stack;
    }

    /** Why it cannot be tested here; empty: it can. */
    String missing() {
        if (!Files.exists(runtime))
            return "there is no " + runtime + " here, so the client for " + this + " is not tested";
        if (!Files.exists(library)) return library + " is not there, so the client for " + this + " is not tested";
        return "";
    }

    /** The first word of an error that a handler raises, as the type of it. */
    String error() {
        return error;
    }

    /** How the second line of it begins. */
    String stack() {
        return stack;
    }

    /** Whether numbers of a payload are exact in it. */
    boolean isExact() {
        return this == PYTHON;
    }

    ProcessBuilder program(String address, List<String> arguments, Map<String, String> environment) {
        ProcessBuilder started =
                new ProcessBuilder(runtime.toString(), program.toString(), address);
        started.command().addAll(arguments);
        started.environment()
                .put("PYTHONPATH", library.getParent().toAbsolutePath().toString());
        started.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        started.environment().putAll(environment);
        return started.redirectErrorStream(true);
    }
}
