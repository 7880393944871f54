package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.WorkflowOperations;
import dev.howdah.operations.listed.WorkflowLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.NewWorkflow;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah job workflow}: jobs that are added together, some of which wait for others. */
@Command(
        name = "workflow",
        description = "Add, list, show, close and cancel workflows: jobs that are added together.",
        synopsisSubcommandLabel = "COMMAND")
final class WorkflowCommands extends CommandGroup {
    private WorkflowCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new WorkflowCommands(terminal));
        ListCommands.add(line, terminal, WorkflowLists.WORKFLOWS);
        OperationCommands.add(line, "job workflow", terminal, WorkflowOperations.ALL);
        return withDatabase(line);
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "add", description = "Add a workflow and print its id.")
    int add(
            @Parameters(
                            paramLabel = "JOBS",
                            description = "A JSON array of jobs: name, queue, kind, payload, after, when and others.")
                    String jobs,
            @Option(names = "--name", paramLabel = "NAME", description = "A name that lists show.") @Nullable
                    String name,
            @Option(names = "--open", description = "Let jobs be added later; it ends when it is closed.") boolean open,
            @Option(names = "--when-ended", paramLabel = "JOB", description = "A job for when all have ended.")
                    @Nullable
                    String ended,
            @Option(names = "--when-done", paramLabel = "JOB", description = "A job for when all are done.") @Nullable
                    String done,
            @Option(
                            names = "--when-failed",
                            paramLabel = "JOB",
                            description = "A job for when all have ended and one has failed.")
                    @Nullable
                    String failed) {
        NewWorkflow workflow = new NewWorkflow(jobs, name, open, ended, done, failed);
        long id = queries("add").with(connection -> EngineReads.addWorkflow(connection, workflow));
        terminal().out().println(id);
        return 0;
    }

    @Command(name = "add-jobs", description = "Add jobs with names to an open workflow and print their ids.")
    int addJobs(
            @Parameters(index = "0", paramLabel = "ID", description = "The id of the workflow.") long id,
            @Parameters(
                            index = "1",
                            paramLabel = "JOBS",
                            description = "A JSON array of jobs: name, queue, kind, payload, after, when and others.")
                    String jobs,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        return queries("add-jobs").list(ListOptions.of(json), "command_workflow_add_jobs", id, jobs);
    }

    @Command(name = "show", description = "Print the counts of a workflow, and its jobs that have names.")
    int show(
            @Parameters(paramLabel = "ID", description = "Its id.") long id,
            @Option(names = "--json", description = "Print JSON objects: the workflow, then its jobs.") boolean json) {
        JobQueries queries = queries("show");
        if (queries.one("command_workflow_show", id).isEmpty())
            throw CliException.failed("there is no workflow " + id + ", or it has been removed");
        ListOptions options = ListOptions.of(json);
        queries.list(options, "command_workflow_show", id);
        if (!queries.one("command_workflow_jobs", id).isEmpty()) queries.list(options, "command_workflow_jobs", id);
        return 0;
    }
}
