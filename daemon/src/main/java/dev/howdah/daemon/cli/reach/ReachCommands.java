package dev.howdah.daemon.cli.reach;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.error.PlainText;
import dev.howdah.reach.ReachProbe;
import dev.howdah.reach.ReachRule;
import dev.howdah.reach.ReachStep;
import dev.howdah.reach.ReachStep.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah reach}: what tasks may reach, and whether they do. */
@Command(
        name = "reach",
        description = "List what tasks may reach, and try targets without a task.",
        synopsisSubcommandLabel = "COMMAND")
public final class ReachCommands extends CommandGroup {
    private static final int LONGEST = 3_600;

    private static final Listing<ReachRule> RULES = new Listing<ReachRule>()
            .text("kind", each -> each.kind().name().toLowerCase(Locale.ROOT))
            .text("name", ReachRule::name)
            .text("target", ReachRule::target)
            .text("owners", ReachRule::owners)
            .text("detail", ReachRule::detail)
            .wide("detail");

    private ReachCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new ReachCommands(terminal));
        line.getSubcommands()
                .values()
                .forEach(each -> ConfigurationOptions.add(
                        each.getCommandSpec(), Setting.ALLOW, Setting.REACH, Setting.DATA, Setting.CONFIG));
        return line;
    }

    /** The role and the target of a try. */
    static final class ProbeTarget {
        @Option(
                names = "--owner",
                paramLabel = "ROLE",
                required = true,
                description = "The owner of the task: its role in the database.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before run
        String owner;

        @Parameters(paramLabel = "REMOTE", description = "As it stands in the task: https://api.example/v1#as=shop.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before run
        String remote;
    }

    private Configuration configuration(String command) {
        return ConfigurationOptions.read(command(command), terminal());
    }

    @Command(
            name = "list",
            description = "List the places, credentials and more of the configuration, without secrets.",
            footer = {"", "* is every owner. Secrets are not read, and need not be there."})
    int list(
            @Mixin ListOptions options,
            @Option(names = "--owner", paramLabel = "ROLE", description = "Only what is for tasks of that role.")
                    @Nullable
                    String owner) {
        return options.print(
                terminal(),
                RULES,
                () -> configuration("list").reachWithoutSecrets().rules().stream()
                        .filter(each -> owner == null
                                || each.owners().isEmpty()
                                || each.owners().contains("*")
                                || each.owners().contains(owner))
                        .toList());
    }

    @Command(
            name = "check",
            description = "Say whether tasks of a role may reach a target, by which place and with which credential.",
            footer = {"", "Connects to nothing and reads no secret. Exit codes: 0 it may, 1 it may not."})
    int check(
            @Mixin ProbeTarget target,
            @Option(names = "--json", description = "Print a JSON object on a line for each step.") boolean json) {
        try (ReachProbe probe = new ReachProbe(configuration("check").reachWithoutSecrets())) {
            return print(probe.check(target.owner, target.remote), json);
        }
    }

    @Command(
            name = "test",
            description = "Do what check does, then look up the name, connect and log in as a task would.",
            footer = {
                "",
                "No request, mail, command or statement is sent, and no program is started. To be run as the user of the daemon,",
                "with its environment: the secrets are read. Exit codes: 0 all is well, 1 a step has failed."
            })
    int test(
            @Mixin ProbeTarget target,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            defaultValue = "30",
                            description = "Time for all of it (default: 30).")
                    int timeout,
            @Option(names = "--json", description = "Print a JSON object on a line for each step.") boolean json)
            throws InterruptedException {
        if (timeout < 1 || timeout > LONGEST)
            throw CliException.usage("--timeout has to be 1 to " + LONGEST + ", not " + timeout);
        try (ReachProbe probe = new ReachProbe(configuration("test").reach())) {
            return print(probe.test(target.owner, target.remote, Duration.ofSeconds(timeout)), json);
        }
    }

    private int print(List<ReachStep> steps, boolean json) {
        for (ReachStep each : steps) {
            String outcome = each.outcome().name().toLowerCase(Locale.ROOT);
            if (json) {
                terminal().out().println(Json.line(fields(each, outcome)));
                continue;
            }
            terminal()
                    .out()
                    .printf(Locale.ROOT, "%-7s  %-10s  %s%n", outcome, each.name(), PlainText.of(each.detail()));
            if (each.hint() != null) terminal().out().println("         > " + PlainText.of(each.hint()));
        }
        return steps.stream().anyMatch(each -> each.outcome() == Outcome.FAILED) ? CliException.FAILED : 0;
    }

    private static Map<String, @Nullable Object> fields(ReachStep step, String outcome) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("step", step.name());
        fields.put("outcome", outcome);
        fields.put("detail", step.detail());
        fields.put("hint", step.hint());
        return fields;
    }
}
