package dev.howdah.reach.internal.exec;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.child.Tail;
import dev.howdah.reach.internal.trace.ReachTracing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Programs of the daemon's machine, by name from a list, never by a shell. Input is standard input, output standard output. Safe for use
 * by many threads.
 */
public final class ExecScheme implements Scheme {
    private static final int LARGEST_OUTPUT = 1 << 20;
    private static final int SHOWN_ERROR = 1_000;
    private static final int LATER = 75;
    private static final Duration TERM = Duration.ofSeconds(5);

    private final Supplier<Programs> programs;

    /** @param programs that there are, now */
    public ExecScheme(Supplier<Programs> programs) {
        this.programs = programs;
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        target.onlyOptions("arg");
        if (call.credential() != null) throw ReachFailure.lasting("a program takes no credential");
        String name = target.host();
        Programs.Program program = programs.get().of(name);
        List<String> command = Programs.command(name, program, target.options().getOrDefault("arg", List.of()));
        Process process = builder(call, program, command).start();
        call.cancellation()
                .onCancel(() ->
                        Threads.daemon("howdah-exec-stop", () -> stop(process)).start());
        Tail errors = new Tail(process.getErrorStream());
        Thread reader = Threads.daemon("howdah-exec-errors", errors);
        reader.start();
        Thread writer = Threads.daemon(
                "howdah-exec-input", () -> write(process, call.task().input()));
        writer.start();
        byte[] output = process.getInputStream().readNBytes(LARGEST_OUTPUT + 1);
        if (output.length > LARGEST_OUTPUT) {
            stop(process);
            throw ReachFailure.lasting("the program " + name + " wrote more than " + LARGEST_OUTPUT / 1024 + " KiB");
        }
        int exit = process.waitFor();
        // A child that it has left may keep the pipe.
        reader.join(Duration.ofSeconds(1).toMillis());
        String text = AnswerText.strictly(output, StandardCharsets.UTF_8);
        if (call.cancellation().isCancelled()) throw new InterruptedException();
        if (exit != 0) throw failed(name, exit, errors.text(), text);
        if (text == null) throw ReachFailure.lasting("the program " + name + " wrote bytes that are no text");
        return text.isEmpty() ? null : text;
    }

    private static ReachFailure failed(String name, int exit, String errors, @Nullable String output) {
        String last = AnswerText.shown(errors.substring(Math.max(errors.length() - SHOWN_ERROR, 0)));
        String what = exit > 128 && exit < 193
                ? "the program " + name + " was ended by signal " + (exit - 128)
                : "the program " + name + " ended with exit code " + exit;
        ReachFailure failure =
                exit == LATER ? ReachFailure.passing(what + ": later", last) : ReachFailure.passing(what, last);
        return output == null || output.isEmpty() ? failure : failure.after(output);
    }

    private static ProcessBuilder builder(Call call, Programs.Program program, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        Path directory = program.directory();
        builder.directory(directory == null ? Path.of("/").toFile() : directory.toFile());
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put("LANG", "C.UTF-8");
        ReachTracing.headers().forEach((name, value) -> environment.put(name.toUpperCase(Locale.ROOT), value));
        environment.putAll(program.environment());
        environment.put("HOWDAH_TASK", Long.toString(call.task().id()));
        environment.put("HOWDAH_KEY", call.task().key());
        environment.put("HOWDAH_OWNER", call.task().owner());
        environment.put("HOWDAH_ATTEMPT", Integer.toString(call.task().attempt()));
        return builder;
    }

    private static void write(Process process, String input) {
        try (OutputStream to = process.getOutputStream()) {
            to.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It need not read what it is given.
        }
    }

    /** The program and what it has begun: asked first. */
    private static void stop(Process process) {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroy();
        all.forEach(ProcessHandle::destroy);
        try {
            process.waitFor(TERM.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        all.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            // What is left of it may hold the pipe.
            process.getInputStream().close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() {
        // What runs is cancelled by its scheduler.
    }
}
