package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Signals;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.ReadyText;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.work.ChildProgram;
import dev.howdah.daemon.work.SqlSessions;
import dev.howdah.operations.change.SweepOperations;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepOutageException;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepRefusedException;
import dev.howdah.sweep.SweepState;
import dev.howdah.sweep.Sweeps;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code howdah sweep}: begins a sweep, or joins it, and stays until it is over. */
@Command(
        name = "sweep",
        description = "Process every row of a table that matches a condition, by many workers in as many processes"
                + " and on as many machines as start the same sweep.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "",
            "Without --sql, --exec and --http rows are only marked. With --sql, or without any, each row is processed"
                    + " exactly once. With --exec and --http at least once: a row in work when a process crashes is processed"
                    + " again.",
            "",
            "Ctrl-C leaves the sweep when rows in work are finished; the same command continues. The exit code is 0 when all"
                    + " is done, 3 when the sweep had ended before and nothing was to do, 1 when rows have failed or the sweep was stopped or has failed, 75 after --max-rest, 130 or 143 after Ctrl-C or"
                    + " SIGTERM."
        })
public final class SweepCommand extends SweepAdminCommands implements Callable<Integer> {
    private static final int NOTHING_TO_DO = 3;

    private static final Setting[] SETTINGS = {Setting.DATA, Setting.URL, Setting.HTTP_SECRET, Setting.CONFIG};

    @Mixin
    private final SweepRows rows = new SweepRows();

    @Mixin
    private final SweepWork work = new SweepWork();

    @Mixin
    private final SweepLimits limits = new SweepLimits();

    @Option(
            names = "--again",
            description = "Begin a new run if the sweep of that name has ended: :started is now, counts begin at 0.")
    private boolean again;

    @Option(names = "--retry-failed", description = "Retry rows that have failed before.")
    private boolean retryFailed;

    @Option(
            names = "--dry-run",
            description = "Show how many rows, which plan and how many locks it would take, and exit.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print progress as JSON, an object on a line each second.")
    private boolean json;

    private SweepCommand(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new SweepCommand(terminal));
        ListCommands.add(
                line, terminal, SweepLists.SWEEPS, SweepLists.ERRORS, SweepLists.GENERATIONS, ChartLists.SWEEP);
        OperationCommands.add(line, "sweep", terminal, SweepOperations.ALL);
        ConfigurationOptions.add(line.getCommandSpec(), SETTINGS);
        ConfigurationOptions.addToCommandsOf(line);
        return line;
    }

    @Override
    public Integer call() throws InterruptedException {
        Configuration settings = ConfigurationOptions.read(spec(), terminal(), SETTINGS);
        String stray = work.stray();
        if (stray != null)
            throw new ParameterException(spec().commandLine(), CommandGroup.unknownCommand(stray, spec()));
        rows.check(spec().commandLine(), work.isSql());
        CommandTarget target = CommandTarget.of(settings, terminal().environment());
        SweepBuilder builder = Sweep.on(new SessionSource(target.database()));
        SweepStop stop = new SweepStop(terminal());
        ChildProgram program;
        try {
            rows.tell(builder);
            limits.tell(builder);
            program = work.tell(builder, rows.name(), settings, terminal().environment(), stop::gone);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
        if (retryFailed) builder.retryFailed();
        if (again) builder.again();
        try {
            return dryRun ? plan(builder.dryRun()) : run(builder, target, stop, program);
        } catch (SweepOutageException e) {
            throw CliException.later(String.valueOf(e.getMessage()), e);
        } catch (SweepRefusedException e) {
            throw CliException.failed(String.join("; ", e.objections()) + "; --anyway starts it all the same", e);
        } catch (SweepException e) {
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        }
    }

    private int run(SweepBuilder builder, CommandTarget target, SweepStop stop, @Nullable ChildProgram program)
            throws InterruptedException {
        long begun = System.nanoTime();
        Signals signals = Signals.on(stop::ask, () -> {}, stop::hurry);
        try (Sweep sweep = builder.start();
                SqlSessions watching = new SqlSessions(target.database(), 1)) {
            stop.begun(sweep, program);
            SweepWatch watch = SweepWatch.on(terminal(), json);
            do show(sweep, watch, watching);
            while (!sweep.join(watch.every()));
            SweepProgress end = sweep.join();
            watch.end(end, sweep, Duration.ofNanos(System.nanoTime() - begun));
            boolean nothing = SweepWatch.endedBefore(end, sweep) != null;
            int code = exitCode(end, stop, signals);
            return code == 0 && nothing ? NOTHING_TO_DO : code;
        } finally {
            signals.release();
        }
    }

    private void show(Sweep sweep, SweepWatch watch, SqlSessions watching) {
        try {
            Sweeps.on(watching).find(rows.name()).ifPresent(progress -> watch.show(progress, sweep.doneHere()));
        } catch (SweepException e) {
            // The server may be away for a moment; the workers say so, and go on.
        }
    }

    private int exitCode(SweepProgress end, SweepStop stop, Signals signals) {
        if (stop.isGone())
            throw CliException.failed("the program of --exec is not there any more; the same command goes on");
        if (end.state() == SweepState.FAILED) throw CliException.failed(String.valueOf(end.error()));
        if (end.state() == SweepState.DONE && end.failed() == 0) return 0;
        if (end.state() == SweepState.DONE) throw CliException.failed(failed(end));
        if (signals.exitCode() != 0) return signals.exitCode();
        throw CliException.failed("the sweep was stopped; the same command goes on");
    }

    private static String failed(SweepProgress end) {
        boolean one = end.failed() == 1;
        return SweepWatch.count(end.failed()) + (one ? " row has" : " rows have") + " failed: howdah sweep errors "
                + ReadyText.shell(end.name()) + " lists " + (one ? "it" : "them") + ", --retry-failed has "
                + (one ? "it" : "them") + " tried again";
    }

    private int plan(SweepPlan plan) {
        SweepPlanView view = new SweepPlanView(plan);
        if (json) terminal().out().println(Json.line(view.fields()));
        else view.lines().forEach(terminal().out()::println);
        if (!plan.objections().isEmpty())
            throw CliException.failed("it would be refused: " + String.join("; ", plan.objections()));
        return 0;
    }
}
