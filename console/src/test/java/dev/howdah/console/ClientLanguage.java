package dev.howdah.console;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A language that has a client library, and the program in it that the suite of conformance starts. */
enum ClientLanguage {
    PYTHON(
            "/usr/bin/python3",
            "../clients/python/src/howdah",
            "../clients/conformance/worker.py",
            "ValueError",
            "Traceback");

    private final Path runtime;
    private final Path library;
    private final Path program;
    private final String error;
    private final String stack;

    ClientLanguage(String runtime, String library, String program, String error, String stack) {
        this.runtime = Path.of(runtime);
        this.library = Path.of(library);
        this.program = Path.of(program);
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
        ProcessBuilder program =
                new ProcessBuilder(runtime.toString(), program().toString(), address);
        program.command().addAll(arguments);
        program.environment()
                .put("PYTHONPATH", library.getParent().toAbsolutePath().toString());
        program.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        program.environment().putAll(environment);
        return program.redirectErrorStream(true);
    }

    private File program() {
        return program.toFile();
    }
}
