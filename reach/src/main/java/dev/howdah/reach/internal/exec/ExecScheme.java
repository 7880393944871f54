package dev.howdah.reach.internal.exec;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.child.Capture;
import dev.howdah.reach.internal.child.CommandAnswer;
import dev.howdah.reach.internal.child.GroupSignals;
import dev.howdah.reach.internal.child.ProcessGroup;
import dev.howdah.reach.internal.child.ProcessLimits;
import dev.howdah.reach.internal.child.Tail;
import dev.howdah.reach.internal.probe.Probe;
import dev.howdah.reach.internal.probe.ProbeSteps;
import dev.howdah.reach.internal.trace.ReachTracing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Programs of the daemon's machine, by name from a list, never by a shell. Input is standard input, output standard output. Safe for use
 * by many threads.
 */
public final class ExecScheme implements Scheme, Probe {
    private static final int LARGEST_OUTPUT = 1 << 20;
    private static final int SHOWN_ERROR = 1_000;
    private static final int LATER = 75;
    private static final int SIGXCPU = 24;
    private static final Duration TERM = Duration.ofSeconds(5);
    private static final Duration LEFT = Duration.ofSeconds(1);

    private final Supplier<Programs> programs;

    private final GroupSignals signals = new GroupSignals();

    /** Starts all programs: those that are killed with the thread that has started them live as long as this does. */
    private final ExecutorService starter =
            Executors.newSingleThreadExecutor(work -> Threads.daemon("howdah-exec-start", work));

    /** @param programs that there are, now */
    public ExecScheme(Supplier<Programs> programs) {
        this.programs = programs;
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        target.onlyOptions("arg", "answer");
        // What is wrong is said before the program runs.
        CommandAnswer.isJson(target);
        if (call.credential() != null) throw ReachFailure.lasting(Code.CREDENTIAL, "a program takes no credential");
        String name = target.host();
        Programs.Program program = programs.get().of(name);
        List<String> command = Programs.command(name, program, target.options().getOrDefault("arg", List.of()));
        Process process = start(builder(call, program, command));
        ProcessGroup group = new ProcessGroup(process, signals);
        Runnable stop = () -> Threads.daemon("howdah-exec-stop", () -> group.end(TERM.toMillis()))
                .start();
        call.cancellation().onCancel(stop);
        Tail errors = new Tail(process.getErrorStream());
        Thread reader = Threads.daemon("howdah-exec-errors", errors);
        reader.start();
        Thread writer = Threads.daemon(
                "howdah-exec-input", () -> write(process, call.task().input()));
        writer.start();
        Capture output = new Capture(process.getInputStream(), LARGEST_OUTPUT, stop);
        Thread outputs = Threads.daemon("howdah-exec-output", output);
        outputs.start();
        int exit = process.waitFor();
        end(group, outputs, reader);
        if (call.cancellation().isCancelled()) throw new InterruptedException();
        if (output.isFull())
            throw ReachFailure.lasting(
                    Code.ANSWER, "the program " + name + " wrote more than " + LARGEST_OUTPUT / 1024 + " KiB");
        String text = AnswerText.strictly(output.bytes(), StandardCharsets.UTF_8);
        if (exit != 0) throw failed(name, program.limits(), exit, errors.text(), text);
        return CommandAnswer.of(target, "the program " + name + " wrote", output.bytes(), errors.text());
    }

    private Process start(ProcessBuilder builder) throws IOException, InterruptedException {
        Future<Process> started = starter.submit(builder::start);
        try {
            return started.get();
        } catch (InterruptedException e) {
            // Behind the start.
            starter.execute(() -> killStarted(started));
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failed) throw failed;
            throw new IllegalStateException(e.getCause());
        }
    }

    private void killStarted(Future<Process> started) {
        try {
            new ProcessGroup(started.get(), signals).kill();
        } catch (ExecutionException e) {
            // It has not started.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void probe(Call call, ProbeSteps steps) throws ReachFailure {
        steps.begin("program");
        String name = call.target().host();
        Programs.Program program = programs.get().of(name);
        Programs.command(name, program, call.target().options().getOrDefault("arg", List.of()));
        steps.done(program.command().get(0) + ", user " + program.user().user());
    }

    /**
     * What it has begun and left is ended with it. Whether that has its output open cannot be told: the end of the process may end the streams here before
     * those who read them wait for more.
     */
    private static void end(ProcessGroup group, Thread... readers) throws InterruptedException {
        for (Thread each : readers) each.join(LEFT.toMillis());
        group.kill();
        for (Thread each : readers) each.join(LEFT.toMillis());
    }

    private static ReachFailure failed(
            String name, ProcessLimits limits, int exit, String errors, @Nullable String output) {
        String last = AnswerText.shown(errors.substring(Math.max(errors.length() - SHOWN_ERROR, 0)));
        String what = exit > 128 && exit < 193
                ? "the program " + name + " was ended by signal " + (exit - 128)
                : "the program " + name + " ended with exit code " + exit;
        ReachFailure failure;
        if (exit == 128 + SIGXCPU && limits.cpuSeconds() != null)
            failure = ReachFailure.lasting(
                    Code.EXIT,
                    "the program " + name + " used more than its " + limits.cpuSeconds() + " s of processor time",
                    last,
                    "The administrator of the program can change it: \"cpuSeconds\" in the file of --reach.");
        else if (exit == LATER) failure = ReachFailure.passing(Code.EXIT_FOR_NOW, what + ": later", last);
        else failure = ReachFailure.passing(Code.EXIT, what, withLimits(last, limits));
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

    /** A limit shows itself as an error of the program, in its own words. */
    private static @Nullable String withLimits(@Nullable String said, ProcessLimits limits) {
        if (limits.equals(ProcessLimits.NONE)) return said;
        return (said == null ? "" : said + " ") + "(It has at most " + limits + ".)";
    }

    @Override
    public void close() {
        // What runs is cancelled by its scheduler, and would end with this thread.
        starter.shutdown();
        signals.close();
    }
}
