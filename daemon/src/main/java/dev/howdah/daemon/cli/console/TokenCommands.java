package dev.howdah.daemon.cli.console;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.text.NameText;
import dev.howdah.operations.Role;
import dev.howdah.operations.change.TokenOperations;
import dev.howdah.operations.listed.DatabaseLists;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah token}: tokens of the console and the HTTP API. */
@Command(
        name = "token",
        description = "Add, list and revoke tokens of the console and the HTTP API.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  howdah token add ann --role operator --expires 90d",
            "  howdah token add shop --role producer --queue mail",
            "  howdah token list",
            "  howdah token revoke ann"
        })
public final class TokenCommands extends CommandGroup {
    private static final int MOST_DAYS = 366;

    private TokenCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new TokenCommands(terminal));
        ListCommands.add(line, terminal, DatabaseLists.TOKENS);
        OperationCommands.add(line, "token", terminal, TokenOperations.ALL);
        withDatabase(line);
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    private ConsoleTarget target(String command) {
        return ConsoleTarget.of(command(command), terminal());
    }

    @Command(name = "add", description = "Add a token and print it; it is shown only once.")
    int add(
            @Parameters(paramLabel = "NAME", description = "The person or program that uses it, 1 to 100 characters.")
                    String given,
            @Option(
                            names = "--role",
                            paramLabel = "ROLE",
                            required = true,
                            description = "worker, producer, sender, viewer, operator, submitter or administrator.")
                    String role,
            @Option(
                            names = "--queue",
                            paramLabel = "QUEUE",
                            description =
                                    "The only queue that a worker or producer may use; several times for several of them. A producer needs one.")
                    @Nullable
                    List<String> queues,
            @Option(
                            names = "--expires",
                            paramLabel = "PERIOD",
                            description = "Until it expires, such as 12h or 90d, 366d at most (default: never).")
                    @Nullable
                    String expires,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        String name = given.strip();
        if (name.isEmpty() || name.length() > 100)
            throw CliException.usage("NAME has to have 1 to 100 characters, not " + name.length());
        String objection = NameText.objection(name);
        if (objection != null) throw CliException.usage("NAME " + objection);
        if (Role.of(role).isEmpty())
            throw CliException.usage("--role has to be one of " + Role.names() + ", not \"" + role + "\"");
        List<String> used = queues == null ? List.of() : queues;
        Role.of(role).ifPresent(each -> check(each, used));
        Duration lasts = expires == null ? null : period(expires);
        Map<String, @Nullable Object> detail = new LinkedHashMap<>();
        detail.put("role", role);
        detail.put("expires", expires);
        if (!used.isEmpty()) detail.put("queues", used);
        String token = target("add")
                .change(
                        "tokens.add",
                        "tokens/" + name,
                        Json.line(detail),
                        tokens -> tokens.add(name, role, lasts, ConsoleTarget.user(), used.toArray(String[]::new)));
        if (json) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("name", name);
            fields.put("role", role);
            fields.put("token", token);
            terminal().out().println(Json.line(fields));
        } else {
            terminal().out().println(token);
        }
        return 0;
    }

    private static void check(Role role, List<String> queues) {
        try {
            role.checkQueues(queues);
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--queue: " + e.getMessage());
        }
    }

    private static Duration period(String text) {
        if (text.matches("\\d{1,6}[mhd]")) {
            long number = Long.parseLong(text.substring(0, text.length() - 1));
            Duration period = switch (text.charAt(text.length() - 1)) {
                case 'm' -> Duration.ofMinutes(number);
                case 'h' -> Duration.ofHours(number);
                default -> Duration.ofDays(number);
            };
            if (!period.isZero() && period.compareTo(Duration.ofDays(MOST_DAYS)) <= 0) return period;
        }
        throw CliException.usage("--expires has to be a period such as 30m, 12h or 90d, of " + MOST_DAYS
                + " days at most, not \"" + text + "\"");
    }
}
