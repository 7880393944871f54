package dev.howdah.embedded.internal.system;

import dev.howdah.embedded.EmbeddedPostgresException;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program run to its end, with what it printed. */
public record ExternalCommand(int exit, String output) {

    public static final boolean WINDOWS = File.separatorChar == '\\';

    /** The file that is always empty. */
    public static final File NOTHING = new File(WINDOWS ? "NUL" : "/dev/null");

    public boolean succeeded() {
        return exit == 0;
    }

    /** Runs a program. One that is not there ends with 127, as in a shell; one that takes too long is killed. */
    public static ExternalCommand run(List<String> words, String input, Duration limit) {
        try {
            Process process = builder(words).redirectErrorStream(true).start();
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(process::destroyForcibly);
            try (OutputStream stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // It ended without reading: its exit code and output tell why.
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new ExternalCommand(process.waitFor(), output.strip());
        } catch (IOException e) {
            return new ExternalCommand(127, IoErrors.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("interrupted while running " + words.get(0), e);
        }
    }

    public static ExternalCommand run(String... words) {
        return run(List.of(words), "", Duration.ofSeconds(20));
    }

    /** Is there a program of this name to be found? */
    public static boolean installed(String program) {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (!directory.isEmpty() && new File(directory, program).canExecute()) {
                return true;
            }
        }
        return false;
    }

    /** A process whose environment says nothing to PostgreSQL, and whose messages are in English. */
    public static ProcessBuilder builder(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        // Where this process stands, another user may not be allowed to.
        builder.directory(new File("/"));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_") || name.equals("LANG"));
        environment.put("LC_ALL", "C");
        return builder;
    }

    /**
     * Sends a signal by name to a server: Java itself knows only SIGTERM, which PostgreSQL takes to mean "wait for clients". On Windows, which
     * has no signals, pg_ctl beside the server's program tells the server.
     */
    public static void signal(ProcessHandle server, String name) {
        String pid = Long.toString(server.pid());
        if (!WINDOWS) run("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, pid);
        else
            server.info()
                    .command()
                    .ifPresent(program ->
                            run(Path.of(program).resolveSibling("pg_ctl").toString(), "kill", name, pid));
    }
}
