package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.operation.ChangeOfMany;
import dev.howdah.daemon.cli.operation.OperationRun;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.JobLists;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command that changes jobs. */
@Command
final class JobChange extends ChangeOfMany<JobState> {
    private final Action action;

    private JobChange(Terminal terminal, Action action) {
        super(terminal, JobOperations.of(action), JobOperations.states(action), JobLists.FILTERS);
        this.action = action;
    }

    /** Adds a command for each action. */
    static void addTo(CommandLine group, Terminal terminal) {
        for (Action each : Action.values()) new JobChange(terminal, each).addTo(group);
    }

    @Override
    protected Values key(long id) {
        return JobOperations.key(id);
    }

    @Override
    protected String word(JobState of) {
        return ListModel.word(of);
    }

    @Override
    protected All all(OperationRun run, JobState of, Values filter, Values values) {
        JobQuery query = JobLists.query(filter.with(JobLists.STATE, ListModel.word(of)));
        JobAdmin jobs = run.engine().jobs();
        return new All() {
            @Override
            public long count() {
                return jobs.count(query);
            }

            @Override
            public long change() {
                return jobs.change(
                        new BulkChange(action, query, values.find(JobOperations.TO)), (changed, left) -> true);
            }
        };
    }
}
