package dev.howdah.daemon.cli.job;

import static dev.howdah.daemon.cli.job.JobFilterOptions.name;

import dev.howdah.daemon.cli.operation.OperationRun;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.JobOperations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command that changes the jobs of some ids, or with {@code --all} those that meet its filter. */
@Command
final class JobChange implements Callable<Integer> {
    private static final String TO = "--" + JobOperations.TO.word();

    private final Terminal terminal;
    private final Action action;
    private final Operation operation;
    private final List<JobState> states;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Their ids; none with --all.")
    private List<Long> ids = List.of();

    @Option(names = "--all", description = "All jobs that meet the filter, a thousand in a transaction.")
    private boolean all;

    @Option(names = "--dry-run", description = "With --all: only count them.")
    private boolean dryRun;

    @Option(names = "--yes", description = "With --all: do not ask on a terminal.")
    private boolean yes;

    @Option(names = "--state", paramLabel = "STATE", description = "With --all: the state of these jobs.")
    private @Nullable String state;

    @Mixin
    private final JobFilterOptions filter = new JobFilterOptions();

    @Option(names = "--json", description = "Print a JSON object on a line for each, or for all.")
    private boolean json;

    private JobChange(Terminal terminal, Action action) {
        this.terminal = terminal;
        this.action = action;
        this.operation = JobOperations.of(action);
        this.states = JobOperations.states(action);
    }

    /** A command for each action. */
    static List<CommandLine> commandLines(Terminal terminal) {
        List<CommandLine> lines = new ArrayList<>();
        for (Action each : Action.values()) lines.add(commandLine(new JobChange(terminal, each)));
        return lines;
    }

    private static CommandLine commandLine(JobChange change) {
        CommandLine line = new CommandLine(change);
        line.setCommandName(change.operation.verb());
        line.getCommandSpec().usageMessage().description(change.operation.help());
        if (change.operation.parameters().contains(JobOperations.TO))
            line.getCommandSpec()
                    .addOption(OptionSpec.builder(TO)
                            .paramLabel("QUEUE")
                            .type(String.class)
                            .required(true)
                            .description(JobOperations.TO.help())
                            .build());
        return line;
    }

    @Override
    public Integer call() {
        if (all && !ids.isEmpty())
            throw CliException.usage("--all and the id " + ids.get(0) + ": it is one or the other");
        if (!all && ids.isEmpty()) throw CliException.usage("missing ID, or --all");
        if (!all && (dryRun || yes || state != null || !filter.isEmpty()))
            throw CliException.usage("--dry-run, --yes, --state and the filter are for --all");
        Values values = values();
        try (OperationRun run = OperationRun.of(spec, terminal)) {
            if (all) changeAll(run, values);
            else changeEach(run, values);
        }
        return 0;
    }

    private Values values() {
        String to = spec.commandLine().getParseResult().matchedOptionValue(TO, null);
        try {
            return operation.read(name -> to);
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--" + e.getMessage());
        }
    }

    /** @throws CliException if nothing was done with one of the jobs, after all have been tried */
    private void changeEach(OperationRun run, Values values) {
        List<String> complaints = new ArrayList<>();
        for (long id : ids) {
            ChangeOutcome outcome = run.call(operation, JobOperations.key(id), values);
            if (outcome.isFailed()) complaints.add(outcome.problem());
            if (json) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>(Map.of("id", id));
                OperationRun.put(fields, outcome);
                terminal.out().println(Json.line(fields));
            } else if (!outcome.isFailed()) terminal.out().println(outcome.sentence());
        }
        if (!complaints.isEmpty()) throw CliException.failed(String.join("; ", complaints));
    }

    private void changeAll(OperationRun run, Values values) {
        JobState of = state == null ? states.get(0) : JobFilterOptions.state(state, states.toArray(JobState[]::new));
        JobQuery query = filter.in(of, null, JobQueries.of(spec, terminal));
        long jobs;
        if (dryRun) jobs = run.failing(() -> run.engine().jobs().count(query));
        else {
            if (operation.isDangerous() && !yes && terminal.canAsk()) {
                long meant = run.failing(() -> run.engine().jobs().count(query));
                terminal.confirm(operation.question(words(meant, of), meant == 1, values));
            }
            Map<String, String> sent = new LinkedHashMap<>(filter.texts());
            sent.put("state", name(of));
            sent.putAll(values.texts());
            jobs = run.audited(
                    operation.audit(),
                    null,
                    sent,
                    () -> run.engine()
                            .jobs()
                            .change(
                                    new BulkChange(action, query, values.find(JobOperations.TO)),
                                    (changed, left) -> true));
        }
        if (json)
            terminal.out()
                    .println(Json.line(Json.fields(
                            "action", operation.verb(), "state", name(of), "jobs", jobs, "dry_run", dryRun)));
        else terminal.out().println(said(jobs));
    }

    private static String words(long jobs, JobState of) {
        return (jobs == 1 ? "the only " : "all " + jobs + " ") + name(of) + (jobs == 1 ? " job" : " jobs");
    }

    private String said(long jobs) {
        if (jobs == 1) return dryRun ? "1 job meets the filter" : "1 job was changed";
        return jobs + (dryRun ? " jobs meet the filter" : " jobs were changed");
    }
}
