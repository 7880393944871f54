package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.PipelineOperations;
import dev.howdah.operations.listed.WorkflowLists;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah job pipeline}: pipelines that are defined in SQL. */
@Command(
        name = "pipeline",
        description = "Put, list and remove pipelines that are defined in SQL; add to them.",
        synopsisSubcommandLabel = "COMMAND")
final class PipelineCommands extends CommandGroup {
    private PipelineCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new PipelineCommands(terminal));
        ListCommands.add(line, terminal, WorkflowLists.PIPELINES);
        OperationCommands.add(line, "job pipeline", terminal, PipelineOperations.ALL);
        return withDatabase(line);
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "put", description = "Store a pipeline; one of that name is changed.")
    int put(
            @Parameters(index = "0", paramLabel = "NAME", description = "The name of the pipeline.") String name,
            @Parameters(
                            index = "1",
                            paramLabel = "STAGES",
                            description = "A JSON array of stages: name, queue, kind, payload and others.")
                    String stages) {
        queries("put").one("command_pipeline_put", name, stages);
        terminal().out().println("stored");
        return 0;
    }

    @Command(name = "add", description = "Add a workflow of the stages of a pipeline, and print its id.")
    int add(
            @Parameters(index = "0", paramLabel = "NAME", description = "The name of the pipeline.") String name,
            @Parameters(index = "1", paramLabel = "INPUT", description = "JSON.", defaultValue = "null") String input) {
        terminal()
                .out()
                .println(queries("add").one("command_pipeline_add", name, input).get("id"));
        return 0;
    }
}
