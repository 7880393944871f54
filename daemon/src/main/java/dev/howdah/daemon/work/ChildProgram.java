package dev.howdah.daemon.work;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.ReadyText;
import dev.howdah.internal.run.Threads;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.SweepException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The program that works on rows of a sweep, run again and again. Nothing stands between it and us that would read its words, such
 * as a shell. Safe for use by many threads.
 */
public final class ChildProgram {
    /** So much can always be written into a pipe without a reader. */
    private static final int PIPE = 4_096;

    /** So much of what a program has said at last stands with its error. */
    private static final int SAID = 1_000;

    /** EX_TEMPFAIL of sysexits.h. */
    private static final int LATER = 75;

    private static final long LONGEST_NAP_MILLIS = 50;

    private final Path file;
    private final List<String> command;
    private final Duration timeout;
    private final Runnable gone;
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private volatile boolean isEnding;

    /** @param gone told when the program is not there any more: then no row is to blame */
    private ChildProgram(Path file, List<String> command, Duration timeout, Runnable gone) {
        this.file = file;
        this.command = command;
        this.timeout = timeout;
        this.gone = gone;
    }

    /**
     * Finds the program, as a shell would.
     *
     * @throws CliException if it is not there, or cannot be run
     */
    public static ChildProgram of(
            String program, List<String> arguments, Duration timeout, Map<String, String> environment, Runnable gone) {
        Path file = find(program, environment);
        List<String> command = new ArrayList<>();
        // In a session of its own Ctrl-C does not reach it: a row that is in work is finished.
        Path session = search("setsid", environment);
        if (session != null) command.add(session.toString());
        command.add(file.toString());
        command.addAll(arguments);
        return new ChildProgram(file, command, timeout, gone);
    }

    private static Path find(String program, Map<String, String> environment) {
        if (program.isBlank()) throw CliException.usage("--exec: the name of the program is empty");
        Path file =
                program.contains("/") ? Path.of(program).toAbsolutePath().normalize() : search(program, environment);
        if (file == null || !Files.exists(file)) {
            String hint = program.contains(" ") && !program.contains("/")
                    ? "; its arguments come behind it, after --"
                    : program.contains("/") ? "" : " on the PATH; one in this directory is ./" + program;
            throw CliException.usage("--exec: there is no program " + program + hint);
        }
        if (!Files.isRegularFile(file)) throw CliException.usage("--exec: " + program + " is not a program");
        if (!Files.isExecutable(file))
            throw CliException.usage("--exec: " + program + " cannot be run: chmod +x " + ReadyText.shell(program));
        return file;
    }

    private static @Nullable Path search(String program, Map<String, String> environment) {
        return Arrays.stream(environment.getOrDefault("PATH", "/usr/bin:/bin").split(":", -1))
                .map(directory ->
                        Path.of(directory.isEmpty() ? "." : directory, program).toAbsolutePath())
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }

    /**
     * Runs it.
     *
     * @param more arguments behind its own
     * @param input for its standard input
     * @param output gets its standard output; null: that is discarded
     * @param most how many bytes of output it may write; then it is killed
     * @return why it has failed; null: it ended with exit code 0
     * @throws InterruptedException also if the program is gone
     */
    @Nullable
    Exception run(List<String> more, byte[] input, @Nullable Path output, long most) throws InterruptedException {
        List<String> words = new ArrayList<>(command);
        words.addAll(more);
        Process process;
        try {
            process = new ProcessBuilder(words)
                    .redirectOutput(
                            output == null
                                    ? ProcessBuilder.Redirect.DISCARD
                                    : ProcessBuilder.Redirect.to(output.toFile()))
                    .start();
        } catch (IOException e) {
            if (isThere()) return new SweepException("the program cannot be started: " + e.getMessage(), e);
            throw awaitEnd();
        }
        running.add(process);
        try {
            give(process, input);
            Tail said = new Tail();
            End end = await(process, said, output, most);
            if (end == End.LATE)
                return new SweepException("the program has not ended within " + timeout.toSeconds() + " s" + said);
            if (end == End.TALKATIVE)
                return new TooMuchException("the program has written more than " + (most >> 20) + " MiB" + said);
            int code = process.exitValue();
            if (code == 0) return null;
            if (code == 126 || code == 127) {
                if (!isThere()) throw awaitEnd();
            }
            if (code == LATER) return new ReceiverUnavailableException("exit code " + code + said);
            if (isEnding) return new InterruptedException("the program was told to end");
            return new SweepException("exit code " + code + said);
        } finally {
            kill(process);
            running.remove(process);
        }
    }

    /** The program has written more than it may. */
    static final class TooMuchException extends SweepException {
        private static final long serialVersionUID = 1;

        TooMuchException(String message) {
            super(message);
        }
    }

    private enum End {
        ENDED,
        LATE,
        TALKATIVE
    }

    private boolean isThere() {
        return Files.isExecutable(file);
    }

    /** No row is to blame: the sweep leaves this one to others, when it has heard. */
    private InterruptedException awaitEnd() throws InterruptedException {
        gone.run();
        TimeUnit.SECONDS.sleep(1);
        return new InterruptedException("the program is gone");
    }

    private static void give(Process process, byte[] row) {
        if (row.length > PIPE) {
            Threads.daemon("howdah-sweep-row", () -> write(process, row)).start();
        } else write(process, row);
    }

    private static void write(Process process, byte[] row) {
        try (OutputStream in = process.getOutputStream()) {
            in.write(row);
        } catch (IOException e) {
            // It need not read what it is given.
        }
    }

    /** Waits, and hears what it says. */
    private End await(Process process, Tail said, @Nullable Path output, long most) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        long nap = 1;
        InputStream err = process.getErrorStream();
        while (true) {
            long left = end - System.nanoTime();
            boolean over = process.waitFor(
                    Math.max(Math.min(TimeUnit.MILLISECONDS.toNanos(nap), left), 0), TimeUnit.NANOSECONDS);
            // Only what is there: a program that was started by it may hold the pipe open for ever.
            nap = said.hear(err) ? 1 : Math.min(nap * 2, LONGEST_NAP_MILLIS);
            if (output != null && output.toFile().length() > most) return End.TALKATIVE;
            if (over || left <= 0) return over ? End.ENDED : End.LATE;
        }
    }

    private static void kill(Process process) {
        List<ProcessHandle> children = process.isAlive() ? process.descendants().toList() : List.of();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        try {
            process.getErrorStream().close();
        } catch (IOException e) {
            // There is nothing more to hear.
        }
    }

    /** Rows that end from now on may have been made to. */
    public void end() {
        isEnding = true;
    }

    /** Kills all programs that run, with what they have started. */
    public void killAll() {
        end();
        running.forEach(ChildProgram::kill);
    }

    /** The last words of a program. Not safe for use by many threads. */
    private static final class Tail {
        private final byte[] some = new byte[8_192];
        private byte[] last = new byte[0];

        /** False if there was nothing. */
        boolean hear(InputStream from) {
            boolean any = false;
            try {
                // Not for ever: there is a timeout to look at.
                for (int i = 0; i < 16 && from.available() > 0; i++) {
                    int count = from.read(some, 0, Math.min(some.length, from.available()));
                    if (count <= 0) break;
                    add(count);
                    any = true;
                }
            } catch (IOException e) {
                return any;
            }
            return any;
        }

        private void add(int count) {
            int kept = Math.min(last.length, Math.max(SAID * 4 - count, 0));
            int taken = Math.min(count, SAID * 4);
            byte[] joined = Arrays.copyOfRange(last, last.length - kept, last.length + taken);
            System.arraycopy(some, count - taken, joined, kept, taken);
            last = joined;
        }

        @Override
        public String toString() {
            String text = new String(last, StandardCharsets.UTF_8)
                    .replaceAll("[\\p{Cntrl}\\s]+", " ")
                    .strip();
            if (text.isEmpty()) return "";
            return ": " + (text.length() <= SAID ? text : "..." + text.substring(text.length() - SAID));
        }
    }
}
