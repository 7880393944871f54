package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah job limit}: limits of queues, kinds and groups of jobs. */
@Command(
        name = "limit",
        description =
                "Limit how many jobs run at a time or begin within a period, share a queue between groups; list and remove limits.",
        synopsisSubcommandLabel = "COMMAND")
final class LimitCommands extends CommandGroup {
    private LimitCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        return commandLine(new LimitCommands(terminal));
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    private int said(String what) {
        terminal().out().println(what);
        return 0;
    }

    @Command(name = "list", description = "List all limits, rates, shares and ageings.")
    int list(@Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        queries("list").table(json, "command_limit_list");
        return 0;
    }

    @Command(name = "concurrency", description = "Limit how many jobs run at a time.")
    int concurrency(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "N", description = "1 or more.") int jobs,
            @Mixin LimitScopeOptions of,
            @Option(names = "--each-node", description = "On each node, not on all together.") boolean eachNode) {
        queries("concurrency").one("command_limit", queue, jobs, of.kind, eachNode, of.group, of.eachGroup);
        return said("limited");
    }

    @Command(name = "rate", description = "Limit how many jobs begin within a period.")
    int rate(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "N", description = "1 to 1000000.") int jobs,
            @Parameters(index = "2", paramLabel = "PERIOD", description = "10 ms to 366 days.") String period,
            @Option(
                            names = "--burst",
                            paramLabel = "N",
                            description = "How many begin at once at most, the others at even distances.")
                    @Nullable
                    Integer burst,
            @Mixin LimitScopeOptions of) {
        queries("rate").one("command_rate", queue, jobs, period, burst, of.kind, of.group, of.eachGroup);
        return said("limited");
    }

    @Command(name = "share", description = "Set how many jobs a group gets in proportion to the others of its queue.")
    int share(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "GROUP", description = "The group.") String group,
            @Parameters(index = "2", paramLabel = "SHARE", description = "0.001 to 1000; 1 is that of any other group.")
                    double share) {
        queries("share").one("command_share", queue, group, share);
        return said("shared");
    }

    @Command(name = "ageing", description = "Let jobs rise in priority while they wait.")
    int ageing(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(
                            index = "1",
                            paramLabel = "INTERVAL",
                            description = "By one each time that this has passed; a second or longer.")
                    String every,
            @Option(
                            names = "--most",
                            paramLabel = "N",
                            defaultValue = "10",
                            description = "By how much at most, 1 to 200 (default: ${DEFAULT-VALUE}).")
                    int most) {
        queries("ageing").one("command_ageing", queue, every, most);
        return said("set");
    }

    @Command(name = "remove", description = "Remove a limit.")
    int remove(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "SETTING", description = "concurrency, rate or ageing.")
                    String setting,
            @Mixin LimitScopeOptions of,
            @Option(names = "--each-node", description = "The limit of each node.") boolean eachNode,
            @Option(names = "--period", paramLabel = "PERIOD", description = "Only the rate with this period.")
                    @Nullable
                    String period) {
        if (period != null && !setting.equals("rate"))
            throw CliException.usage("--period is for the SETTING rate, not for " + setting);
        if (eachNode && !setting.equals("concurrency"))
            throw CliException.usage("--each-node is for the SETTING concurrency, not for " + setting);
        if (setting.equals("ageing") && !of.isWholeQueue())
            throw CliException.usage("--kind, --group and --each-group are not for the SETTING ageing");
        JobQueries queries = queries("remove");
        switch (setting) {
            case "concurrency" -> queries.one("command_limit", queue, null, of.kind, eachNode, of.group, of.eachGroup);
            case "rate" -> queries.one("command_rate", queue, null, period, null, of.kind, of.group, of.eachGroup);
            case "ageing" -> queries.one("command_ageing", queue, null, null);
            default -> throw CliException.usage("SETTING has to be concurrency, rate or ageing, not " + setting);
        }
        return said("removed");
    }
}
