package dev.howdah.daemon.cli.console;

import dev.howdah.console.internal.store.AuditFilter;
import dev.howdah.console.internal.store.AuditOrder;
import dev.howdah.console.internal.store.AuditRow;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.SortOption;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.value.Moments;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah audit}: changes by the console, the API and commands, and logins. */
@Command(
        name = "audit",
        description = "List changes by the console, the HTTP API and commands, logins and refusals.",
        footer = {
            "",
            "Examples:",
            "  howdah audit --by ann",
            "  howdah audit --object tasks/42 --json",
            "  howdah audit --from 2026-11-01 --until 2026-11-30 --csv --limit 10000"
        })
public final class AuditCommand implements Callable<Integer> {
    private static final int MOST = 10_000;

    private static final Listing<AuditRow> ROWS = new Listing<AuditRow>()
            .number("id", AuditRow::id)
            .text("at", AuditRow::at)
            .text("actor", row -> row.entry().actor())
            .text("role", row -> row.entry().role())
            .text("via", row -> row.entry().via())
            .text("address", row -> row.entry().address())
            .text("action", row -> row.entry().action())
            .text("object", row -> row.entry().object())
            .text("outcome", AuditRow::outcome)
            .text("message", AuditRow::message)
            .text("before", row -> row.entry().before())
            .text("sent", row -> row.entry().after())
            .text("after", AuditRow::result)
            .wide("address")
            .more("id role via before sent after");

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--by", paramLabel = "NAME", description = "Only of callers whose names contain this.")
    private @Nullable String actor;

    @Option(names = "--object", paramLabel = "PATH", description = "Only of objects that begin so: tasks/42, jobs.")
    private @Nullable String object;

    @Option(names = "--action", paramLabel = "NAME", description = "Only actions that begin so: tasks.cancel, login.")
    private @Nullable String action;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Only at this time or later: 2026-11-25T14:00:00Z, or 2026-11-25, a day in UTC.")
    private @Nullable String from;

    @Option(names = "--until", paramLabel = "TIME", description = "Only before this time; a day in UTC is included.")
    private @Nullable String until;

    @Mixin
    private final SortOption sort = new SortOption();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most so many, 1 to 10000 (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Mixin
    private final ListOptions options = new ListOptions();

    private AuditCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new AuditCommand(terminal));
        ConfigurationOptions.add(
                line.getCommandSpec(), Setting.DATA, Setting.URL, Setting.CONFIG, Setting.INSTALLATION);
        return line;
    }

    @Override
    public Integer call() {
        if (limit < 1 || limit > MOST)
            throw CliException.usage("--limit has to be a number from 1 to " + MOST + ", not " + limit);
        AuditFilter filter = new AuditFilter(
                actor,
                object,
                action,
                time("--from", from, false),
                time("--until", until, true),
                sort.of(AuditOrder.NEWEST, AuditOrder.values()));
        return options.print(
                terminal, ROWS, () -> ConsoleTarget.of(spec, terminal).audit(store -> store.list(filter, null, limit)));
    }

    private static @Nullable Instant time(String option, @Nullable String text, boolean isEnd) {
        if (text == null) return null;
        try {
            return Moments.parseOrDay(text, isEnd);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(option + ": " + e.getMessage());
        }
    }
}
