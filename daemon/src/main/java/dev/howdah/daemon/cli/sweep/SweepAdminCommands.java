package dev.howdah.daemon.cli.sweep;

import dev.howdah.console.internal.sweep.SweepOrder;
import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.cli.SchemaVersions;
import dev.howdah.daemon.cli.SortOption;
import dev.howdah.daemon.console.AlignedTable;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Times;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.error.PlainText;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepGeneration;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import dev.howdah.sweep.Sweeps;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code howdah sweep list} and the like: what can be done with sweeps that there are. A superclass of the command above them,
 * since those are methods that picocli looks for in its object.
 */
abstract class SweepAdminCommands {
    private static final List<String> DEFINITION = List.of("table", "where", "key", "order", "mark", "sql");

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
    private CommandSpec spec;

    SweepAdminCommands(Terminal terminal) {
        this.terminal = terminal;
    }

    final Terminal terminal() {
        return terminal;
    }

    final CommandSpec spec() {
        return spec;
    }

    /** Something to do with the sweeps of a database. */
    private interface Work<T extends @Nullable Object> {
        T with(Sweeps sweeps);
    }

    private CommandSpec command(String command) {
        CommandLine line = spec.subcommands().get(command);
        if (line == null) throw new IllegalArgumentException("no command " + command);
        CommandGroup.refuseOptionsBefore(line.getCommandSpec());
        return line.getCommandSpec();
    }

    private CommandTarget target(String command) {
        return CommandTarget.of(ConfigurationOptions.read(command(command), terminal), terminal.environment());
    }

    private <T extends @Nullable Object> T ask(String command, Work<T> work) {
        CommandTarget target = target(command);
        try {
            return work.with(Sweeps.on(new SessionSource(target.database())));
        } catch (SweepException e) {
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        }
    }

    @Command(
            name = "list",
            description = "List the sweeps of the database, the oldest first unless --sort says another order.")
    public final int list(
            @Mixin SortOption sort,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        SweepOrder order = sort.of(SweepOrder.OLDEST, SweepOrder.values());
        List<SweepProgress> sweeps =
                ask("list", Sweeps::list).stream().sorted(order.comparator()).toList();
        if (json) {
            sweeps.forEach(each -> terminal.out().println(Json.line(SweepWatch.fields(each))));
            return 0;
        }
        AlignedTable table = AlignedTable.ofList(
                terminal.out(),
                columns(
                        "name",
                        "state",
                        "done+",
                        "failed+",
                        "left+",
                        "rows/s+",
                        "time left",
                        "workers+",
                        "started",
                        "waits"));
        for (SweepProgress each : sweeps) {
            List<@Nullable String> row = new ArrayList<>();
            row.add(each.name());
            row.add(state(each));
            row.add(Long.toString(each.done()));
            row.add(Long.toString(each.failed()));
            row.add(each.left() < 0 ? null : Long.toString(each.left()));
            row.add(each.workers().isEmpty() ? null : Long.toString(Math.round(each.rowsPerSecond())));
            row.add(timeLeft(each));
            row.add(Integer.toString(each.workers().size()));
            row.add(Times.local(each.started()));
            row.add(each.held());
            table.row(row);
        }
        table.end();
        return 0;
    }

    private static String state(SweepProgress sweep) {
        return state(sweep.state());
    }

    private static String state(SweepState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable String timeLeft(SweepProgress sweep) {
        Duration left = sweep.ended() == null ? sweep.timeLeft() : null;
        return left == null ? null : SweepWatch.text(left);
    }

    /** @param names those with a plus behind them stand at the right */
    private static List<AlignedTable.Column> columns(String... names) {
        List<AlignedTable.Column> columns = new ArrayList<>();
        for (String each : names) columns.add(new AlignedTable.Column(each.replace("+", ""), each.endsWith("+")));
        return columns;
    }

    @Command(name = "show", description = "Show the progress of a sweep and each of its workers.")
    public final int show(
            @Parameters(paramLabel = "NAME", description = "The name of the sweep.") String name,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        SweepProgress sweep = ask("show", sweeps -> sweeps.find(name))
                .orElseThrow(() -> CliException.failed("there is no sweep named " + name));
        if (json) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>(SweepWatch.fields(sweep));
            fields.put("definition", sweep.definition());
            fields.put("throttle", sweep.throttle() > 0 ? sweep.throttle() : null);
            fields.put("between", sweep.hours());
            fields.put(
                    "workers",
                    sweep.workers().stream().map(SweepAdminCommands::worker).toList());
            terminal.out().println(Json.line(fields));
            return 0;
        }
        print("name", sweep.name());
        print("state", state(sweep));
        for (String each : DEFINITION) print(each, sweep.definition().get(each));
        print("started", Times.local(sweep.started()));
        print("ended", sweep.ended() == null ? null : Times.local(sweep.ended()));
        print("total", sweep.total() < 0 ? null : (sweep.isTotalExact() ? "" : "about ") + sweep.total());
        print("done", Long.toString(sweep.done()));
        print("failed", Long.toString(sweep.failed()));
        print("left", sweep.left() < 0 ? null : Long.toString(sweep.left()));
        print("rows/s", Long.toString(Math.round(sweep.rowsPerSecond())));
        print("time left", timeLeft(sweep));
        print("waits", sweep.held());
        print("between", sweep.hours());
        print("throttle", sweep.throttle() > 0 ? sweep.throttle() + " rows/s" : null);
        print("error", sweep.error());
        if (sweep.workers().isEmpty()) return 0;
        terminal.out().println();
        AlignedTable table = AlignedTable.ofList(
                terminal.out(), columns("process+", "called", "worker+", "done+", "failed+", "rows/s+", "waits"));
        for (SweepProgress.Worker each : sweep.workers()) {
            List<@Nullable String> row = new ArrayList<>();
            row.add(Integer.toString(each.process()));
            row.add(each.processName());
            row.add(Integer.toString(each.number()));
            row.add(Long.toString(each.done()));
            row.add(Long.toString(each.failed()));
            row.add(Long.toString(Math.round(each.rowsPerSecond())));
            row.add(each.held());
            table.row(row);
        }
        table.end();
        return 0;
    }

    private static Map<String, @Nullable Object> worker(SweepProgress.Worker worker) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("process", worker.process());
        fields.put("called", worker.processName());
        fields.put("worker", worker.number());
        fields.put("done", worker.done());
        fields.put("failed", worker.failed());
        fields.put("rowsPerSecond", Math.round(worker.rowsPerSecond()));
        fields.put("held", worker.held());
        return fields;
    }

    private void print(String name, @Nullable String value) {
        if (value != null)
            terminal.out().printf("%-9s %s%n", name, PlainText.of(value).replace("\n", "\n          "));
    }

    @Command(name = "errors", description = "List rows of a sweep that have failed, oldest first.")
    public final int errors(
            @Parameters(paramLabel = "NAME", description = "The name of the sweep.") String name,
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        int most = limit.rows();
        List<SweepError> errors = ask("errors", sweeps -> sweeps.errors(name, most));
        if (json) {
            for (SweepError each : errors) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                fields.put("key", each.key());
                fields.put("attempts", each.attempts());
                fields.put("at", each.at());
                fields.put("retryAt", each.retryAt());
                fields.put("error", each.error());
                terminal.out().println(Json.line(fields));
            }
            return 0;
        }
        AlignedTable table =
                AlignedTable.ofList(terminal.out(), columns("key", "attempts+", "at", "again at", "error"));
        for (SweepError each : errors)
            table.row(List.of(
                    String.join(", ", each.key()),
                    Integer.toString(each.attempts()),
                    Times.local(each.at()),
                    Times.local(each.retryAt()),
                    each.error().lines().findFirst().orElse("")));
        table.end();
        return 0;
    }

    @Command(
            name = "history",
            description =
                    "List the generations of a sweep before the present one, which --again has begun; latest first.")
    public final int history(
            @Parameters(paramLabel = "NAME", description = "The name of the sweep.") String name,
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        int most = limit.rows();
        List<SweepGeneration> generations = ask("history", sweeps -> sweeps.history(name, most));
        if (json) {
            for (SweepGeneration each : generations) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                fields.put("generation", each.number());
                fields.put("state", state(each.state()));
                fields.put("started", each.started());
                fields.put("ended", each.ended());
                fields.put("done", each.done());
                fields.put("failed", each.failed());
                terminal.out().println(Json.line(fields));
            }
            return 0;
        }
        AlignedTable table = AlignedTable.ofList(
                terminal.out(), columns("generation+", "state", "done+", "failed+", "started", "ended"));
        for (SweepGeneration each : generations) {
            List<@Nullable String> row = new ArrayList<>();
            row.add(Integer.toString(each.number()));
            row.add(state(each.state()));
            row.add(Long.toString(each.done()));
            row.add(Long.toString(each.failed()));
            row.add(Times.local(each.started()));
            row.add(each.ended() == null ? null : Times.local(each.ended()));
            table.row(row);
        }
        table.end();
        return 0;
    }

    @Command(name = "install", description = "Create the tables of sweeps, or bring them up to date.")
    public final int install() {
        CommandTarget target = target("install");
        try (Connection connection = target.database().connect()) {
            Sweep.install(connection);
            terminal.out().println("the tables of sweeps are up to date");
            return 0;
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }

    @Command(name = "uninstall", description = "Drop the tables of sweeps with their rows; those that are swept stay.")
    public final int uninstall(
            @Option(names = "--force", description = "Drop them even if sweeps have not ended.") boolean force) {
        CommandTarget target = target("uninstall");
        try (Connection connection = target.database().connect()) {
            Sweep.uninstall(connection, force);
            terminal.out().println("the tables of sweeps are gone");
            return 0;
        } catch (SweepException e) {
            throw CliException.failed(e.getMessage() + "; --force removes the tables all the same");
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }

    @Command(name = "schema", description = "Print the SQL that creates the tables of sweeps.")
    public final int schema(@Mixin SchemaVersions versions) {
        command("schema");
        terminal.out().print(versions.text(Sweep::schema, Sweep::schema));
        return 0;
    }
}
