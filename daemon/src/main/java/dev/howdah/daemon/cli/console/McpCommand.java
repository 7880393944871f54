package dev.howdah.daemon.cli.console;

import dev.howdah.console.Agent;
import dev.howdah.console.Console;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.SecretFile;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah mcp}: answers an agent that has started it, by the Model Context Protocol. */
@Command(
        name = "mcp",
        description = "Answer an agent by the Model Context Protocol, through standard input and output.",
        footer = {
            "",
            "Without a token the agent reads, and changes nothing. The token of an operator lets it do what an operator may;"
                    + " before it ends work or loses something, it is given a question for a person.",
            "",
            "Examples:",
            "  howdah mcp --url postgresql://db.example/shop",
            "  howdah mcp --token-file operator.token"
        })
public final class McpCommand implements Callable<Integer> {
    private static final String TOKEN = "HOWDAH_TOKEN";

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "A file with a token of the console, by which the agent changes what the role of the token may"
                            + " change (default: HOWDAH_TOKEN of the environment, or none).")
    private @Nullable Path tokenFile;

    private McpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new McpCommand(terminal));
        ConfigurationOptions.addAllFeatures(line.getCommandSpec());
        return line;
    }

    @Override
    public Integer call() {
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        SessionSource sessions = new SessionSource(target.database().with("application_name", "howdah mcp"));
        try (Agent agent = Console.on(sessions)
                .schema(Installation.of(configuration).name())
                .taskTable(target.schema(), target.table())
                .mask(
                        configuration.list(Setting.CONSOLE_MASK_KEYS),
                        configuration.find(Setting.CONSOLE_MASK).map(List::of).orElse(List.of()))
                .agent(token())) {
            answer(agent);
            return 0;
        } catch (IllegalArgumentException e) {
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw CliException.failed("the messages cannot be read: " + e.getMessage(), e);
        }
    }

    private @Nullable String token() {
        Path file = tokenFile;
        return file == null ? terminal.environment().get(TOKEN) : SecretFile.text("--token-file", file);
    }

    /** A message is a line, and so is its answer. */
    private void answer(Agent agent) throws IOException {
        BufferedReader messages = new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
        for (String message = messages.readLine(); message != null; message = messages.readLine()) {
            if (message.isBlank()) continue;
            String answer = agent.answer(message);
            if (answer != null) terminal.out().println(answer);
            terminal.out().flush();
        }
    }
}
