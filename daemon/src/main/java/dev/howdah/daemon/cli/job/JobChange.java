package dev.howdah.daemon.cli.job;

import static dev.howdah.daemon.cli.job.JobFilterOptions.name;
import static dev.howdah.job.query.JobState.CANCELLED;
import static dev.howdah.job.query.JobState.FAILED;
import static dev.howdah.job.query.JobState.PLANNED;
import static dev.howdah.job.query.JobState.RETRYING;
import static dev.howdah.job.query.JobState.WAITING;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
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
    private final JobState[] states;

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
     * @param action as it is printed
     * @param states for which it is; the first is the default
     */
    JobChange(Terminal terminal, String action, JobState... states) {
        this.terminal = terminal;
        this.action = action;
        this.states = states;
    }

    /** Why nothing was done with a job. */
    @FunctionalInterface
    interface Undone {
        String of(JobSummary job);
    }

    /**
     * The change of one job.
     *
     * @param column in which the answer is printed
     * @param change gives the answer
     * @param refused the answers that mean that nothing was done
     * @param undone what is said then
     */
    record Single(String column, BiFunction<JobAdmin, Long, Object> change, Set<Object> refused, Undone undone) {
        /** One that answers whether it was done; an id that does not exist is no error, so that the others go on. */
        static Single ofJobThatExists(String column, BiPredicate<JobAdmin, Long> change, String undone) {
            return new Single(
                    column,
                    (admin, id) -> admin.find(id).isPresent() && change.test(admin, id),
                    Set.of(false),
                    job -> undone + " (" + name(job.state()) + ")");
        }
    }

    /** Null: there is no such change of one job. */
    abstract @Nullable Single single();

    /** Changes all jobs of a query: how many. */
    abstract long changeAll(JobAdmin admin, JobQuery query);

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
        changeEach(queries, single);
        return 0;
    }

    /** @throws CliException if nothing was done with one of the jobs, after all have been tried */
    private void changeEach(JobQueries queries, Single single) {
        List<String> complaints = new ArrayList<>();
        Listing<Map.Entry<Long, Object>>.Rows rows = new Listing<Map.Entry<Long, Object>>()
                .number("id", Map.Entry::getKey)
                .text(single.column(), Map.Entry::getValue)
                .to(terminal, json);
        for (long id : ids) {
            Object answer = queries.admin(admin -> single.change().apply(admin, id));
            if (single.refused().contains(answer)) complaints.add(complaint(queries, id, single.undone()));
            rows.add(Map.entry(id, answer));
        }
        rows.end();
        if (!complaints.isEmpty()) throw CliException.failed(String.join("; ", complaints));
    }

    private static String complaint(JobQueries queries, long id, Undone undone) {
        return queries.admin(admin -> admin.find(id))
                .map(job -> "job " + id + " " + undone.of(job))
                .orElseGet(() -> queries.missing(id));
    }

    private int changeAll(JobQueries queries) {
        JobState of = state == null ? states[0] : JobFilterOptions.state(state, states);
        JobQuery query = filter.in(of, null, queries);
        long jobs = queries.admin(admin -> dryRun ? admin.count(query) : changeAll(admin, query));
        if (json)
            terminal.out()
                    .println(Json.line(
                            Json.fields("action", action, "state", name(of), "jobs", jobs, "dry_run", dryRun)));
        else terminal.out().println(said(jobs));
        return 0;
    }

    private String said(long jobs) {
        if (jobs == 1) return dryRun ? "1 job meets the filter" : "1 job was changed";
        return jobs + (dryRun ? " jobs meet the filter" : " jobs were changed");
    }

    /** {@code howdah job cancel}. */
    @Command(
            name = "cancel",
            description = "Cancel jobs: waiting jobs at once, running jobs by interrupting their handlers.")
    static final class Cancel extends JobChange {
        Cancel(Terminal terminal) {
            super(terminal, "cancel", WAITING, PLANNED, RETRYING);
        }

        @Override
        Single single() {
            return new Single(
                    "state",
                    (admin, id) -> name(admin.cancel(id)),
                    Set.of("ended", "unclaimed_entry", "not_found"),
                    Cancel::undone);
        }

        private static String undone(JobSummary job) {
            // Of what waits only an entry of a log queue is refused.
            return job.state() == WAITING
                    ? "is an entry of the log queue " + job.queue() + ", which cannot be cancelled before it is claimed"
                    : "has ended (" + name(job.state()) + ")";
        }

        @Override
        long changeAll(JobAdmin admin, JobQuery query) {
            return admin.cancelAll(query);
        }
    }

    /** {@code howdah job retry}. */
    @Command(name = "retry", description = "Retry failed or cancelled jobs, with all their attempts.")
    static final class Retry extends JobChange {
        Retry(Terminal terminal) {
            super(terminal, "retry", FAILED, CANCELLED);
        }

        @Override
        Single single() {
            return Single.ofJobThatExists("retried", JobAdmin::retry, "has neither failed nor been cancelled");
        }

        @Override
        long changeAll(JobAdmin admin, JobQuery query) {
            return admin.retryAll(query);
        }
    }

    /** {@code howdah job run-now}. */
    @Command(name = "run-now", description = "Make jobs due now that are planned or wait for a retry.")
    static final class RunNow extends JobChange {
        RunNow(Terminal terminal) {
            super(terminal, "run_now", RETRYING, PLANNED);
        }

        @Override
        Single single() {
            return Single.ofJobThatExists("hurried", JobAdmin::runNow, "is neither planned nor waits for a retry");
        }

        @Override
        long changeAll(JobAdmin admin, JobQuery query) {
            return admin.runNowAll(query);
        }
    }

    /** {@code howdah job move}. */
    @Command(name = "move", description = "Move waiting jobs to another queue; those with a key or an order key stay.")
    static final class Move extends JobChange {
        @Option(names = "--to", paramLabel = "QUEUE", required = true, description = "The other queue.")
        private @Nullable String to;

        Move(Terminal terminal) {
            super(terminal, "move", WAITING, PLANNED, RETRYING);
        }

        @Override
        @Nullable
        Single single() {
            return null;
        }

        @Override
        long changeAll(JobAdmin admin, JobQuery query) {
            return admin.moveAll(query, Objects.requireNonNull(to));
        }
    }

    /** {@code howdah job delete}. */
    @Command(name = "delete", description = "Delete failed or cancelled jobs. They cannot be retried any more.")
    static final class Delete extends JobChange {
        Delete(Terminal terminal) {
            super(terminal, "delete", FAILED, CANCELLED);
        }

        @Override
        Single single() {
            return Single.ofJobThatExists("deleted", JobAdmin::delete, "has neither failed nor been cancelled");
        }

        @Override
        long changeAll(JobAdmin admin, JobQuery query) {
            return admin.deleteAll(query);
        }
    }
}
