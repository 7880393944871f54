package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command that changes the jobs of some ids, or with {@code --all} those that meet its filter. */
abstract class JobChange implements Callable<Integer> {
    private final Terminal terminal;
    private final String action;
    private final String[] states;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Their ids; none with --all.")
    private List<Long> ids = List.of();

    @Option(names = "--all", description = "All jobs that meet the filter, a thousand in a transaction.")
    private boolean all;

    @Option(names = "--dry-run", description = "With --all: only count them.")
    private boolean dryRun;

    @Option(names = "--state", paramLabel = "STATE", description = "With --all: the state of these jobs.")
    private @Nullable String state;

    @Mixin
    private final JobFilterOptions filter = new JobFilterOptions();

    @Option(names = "--json", description = "Print a JSON object on a line for each, or for all.")
    private boolean json;

    /**
     * @param action as howdah.change_jobs names it
     * @param states for which it is; the first is the default
     */
    JobChange(Terminal terminal, String action, String... states) {
        this.terminal = terminal;
        this.action = action;
        this.states = states;
    }

    /** What is done with one job: a statement, when its answer means that nothing was done, and what is said then. */
    record Single(String statement, Predicate<Map<String, @Nullable String>> refused, String undone) {}

    /** Null: there is no such change of one job. */
    abstract @Nullable Single single();

    /** The queue to move to; null for other actions. */
    @Nullable
    String toQueue() {
        return null;
    }

    @Override
    public final Integer call() {
        JobQueries queries = JobQueries.of(spec, terminal);
        Single single = single();
        if (all) {
            if (!ids.isEmpty()) throw CliException.usage("--all and the id " + ids.get(0) + ": it is one or the other");
            return changeAll(queries);
        }
        if (ids.isEmpty() || single == null)
            throw CliException.usage(single == null ? "missing --all" : "missing ID, or --all");
        if (dryRun || state != null || !filter.isEmpty())
            throw CliException.usage("--dry-run, --state and the filter are for --all");
        queries.each(json, single.statement(), ids, single.refused(), single.undone());
        return 0;
    }

    private int changeAll(JobQueries queries) {
        String of = JobFilterOptions.state(state == null ? states[0] : state, states);
        @Nullable Object[] asked = new Object[dryRun ? 9 : 11];
        int i = 0;
        if (!dryRun) asked[i++] = action;
        asked[i++] = of;
        for (Object each : filter.values()) asked[i++] = each;
        asked[i++] = filter.tags();
        if (!dryRun) asked[i] = toQueue();
        String jobs = dryRun
                ? queries.one("command_count", asked).get("jobs")
                : queries.one("command_change", asked).get("changed");
        if (json) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("action", action);
            fields.put("state", of);
            fields.put("jobs", Long.valueOf(String.valueOf(jobs)));
            fields.put("dry_run", dryRun);
            terminal.out().println(Json.line(fields));
        } else terminal.out().println(jobs + (dryRun ? " jobs meet the filter" : " jobs were changed"));
        return 0;
    }

    /** {@code howdah job cancel}. */
    @Command(
            name = "cancel",
            description = "Cancel jobs: waiting jobs at once, running jobs by interrupting their handlers.")
    static final class Cancel extends JobChange {
        Cancel(Terminal terminal) {
            super(terminal, "cancel", "waiting", "planned", "retrying");
        }

        @Override
        Single single() {
            return new Single(
                    "command_cancel",
                    row -> "ended".equals(row.get("state")) || "not_found".equals(row.get("state")),
                    "has ended");
        }
    }

    /** {@code howdah job retry}. */
    @Command(name = "retry", description = "Retry failed or cancelled jobs, with all their attempts.")
    static final class Retry extends JobChange {
        Retry(Terminal terminal) {
            super(terminal, "retry", "failed", "cancelled");
        }

        @Override
        Single single() {
            return new Single(
                    "command_retry", row -> !"t".equals(row.get("retried")), "has neither failed nor been cancelled");
        }
    }

    /** {@code howdah job run-now}. */
    @Command(name = "run-now", description = "Make jobs due now that are planned or wait for a retry.")
    static final class RunNow extends JobChange {
        RunNow(Terminal terminal) {
            super(terminal, "run_now", "retrying", "planned");
        }

        @Override
        Single single() {
            return new Single(
                    "command_run_now",
                    row -> !"t".equals(row.get("hurried")),
                    "is neither planned nor waits for a retry");
        }
    }

    /** {@code howdah job move}. */
    @Command(name = "move", description = "Move waiting jobs to another queue; those with a key or an order key stay.")
    static final class Move extends JobChange {
        @Option(names = "--to", paramLabel = "QUEUE", required = true, description = "The other queue.")
        private @Nullable String to;

        Move(Terminal terminal) {
            super(terminal, "move", "waiting", "planned", "retrying");
        }

        @Override
        @Nullable
        Single single() {
            return null;
        }

        @Override
        @Nullable
        String toQueue() {
            return to;
        }
    }

    /** {@code howdah job delete}. */
    @Command(name = "delete", description = "Delete failed or cancelled jobs. They cannot be retried any more.")
    static final class Delete extends JobChange {
        Delete(Terminal terminal) {
            super(terminal, "delete", "failed", "cancelled");
        }

        @Override
        Single single() {
            return new Single(
                    "command_delete", row -> !"t".equals(row.get("deleted")), "has neither failed nor been cancelled");
        }
    }
}
