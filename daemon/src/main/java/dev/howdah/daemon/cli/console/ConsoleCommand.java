package dev.howdah.daemon.cli.console;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.RunningHowdah;
import dev.howdah.daemon.database.RunningHowdah.ConsolePlace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah console}: a link that opens the console of a daemon that runs. */
@Command(
        name = "console",
        description =
                "Print a link that opens the console of the daemon; where it asks for a login, the link works once.",
        footer = {
            "",
            "Run it as the user that runs the daemon, on the same machine.",
            "",
            "Examples:",
            "  howdah console",
            "  howdah console --data /var/lib/howdah"
        })
public final class ConsoleCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--json", description = "Print a JSON object on one line.")
    private boolean json;

    private ConsoleCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new ConsoleCommand(terminal));
        ConfigurationOptions.add(line.getCommandSpec(), Setting.DATA, Setting.CONFIG);
        return line;
    }

    @Override
    public Integer call() {
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        List<RunningHowdah> all = RunningHowdah.all(configuration);
        List<RunningHowdah> running =
                all.stream().filter(each -> each.console() != null).toList();
        if (running.isEmpty())
            throw CliException.failed(
                    all.isEmpty()
                            ? "no howdah is running on " + configuration.data() + ": start one with \"howdah up"
                                    + CommandTarget.data(configuration) + "\""
                            : "the howdah that runs on " + configuration.data()
                                    + " serves no console: it was started with --console off, or has found no free port");
        for (RunningHowdah each : running) print(each, running.size() > 1);
        return 0;
    }

    private void print(RunningHowdah running, boolean several) {
        ConsolePlace place = running.console();
        if (place == null) return;
        String link = link(place);
        if (json) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("postgres", running.postgres());
            fields.put("console", link);
            terminal.out().println(Json.line(fields));
        } else {
            terminal.out().println(several ? running.postgres() + "  " + link : link);
        }
    }

    private static String link(ConsolePlace place) {
        HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(place.address()).resolve("/login-link"))
                .header("X-Howdah-Secret", place.secret())
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200)
                throw CliException.failed("the console at " + place.address()
                        + " gives no link: its answer has the status " + answer.statusCode());
            return place.address() + answer.body().strip();
        } catch (IOException e) {
            throw CliException.failed("the console at " + place.address() + " does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted", e);
        }
    }
}
