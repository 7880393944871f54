package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.SchemaVersions;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Times;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.error.PlainText;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.Sweeps;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
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

    private static final Listing<SweepProgress> SWEEP = Listing.of(SweepLists.SWEEP);
    private static final Listing<SweepProgress.Worker> WORKERS = Listing.of(SweepLists.WORKER);

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

    @Command(name = "show", description = "Show the progress of a sweep and each of its workers.")
    public final int show(
            @Parameters(paramLabel = "NAME", description = "The name of the sweep.") String name,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        SweepProgress sweep = ask("show", sweeps -> sweeps.find(name))
                .orElseThrow(() -> CliException.failed("there is no sweep named " + name));
        if (json) {
            Map<String, @Nullable Object> fields = SWEEP.fields(sweep);
            fields.put("definition", sweep.definition());
            fields.put("throttle", sweep.throttle() > 0 ? sweep.throttle() : null);
            fields.put("between", sweep.hours());
            fields.put("workers", sweep.workers().stream().map(WORKERS::fields).toList());
            terminal.out().println(Json.line(fields));
            return 0;
        }
        print("name", sweep.name());
        print("state", ListModel.word(sweep.state()));
        for (String each : DEFINITION) print(each, sweep.definition().get(each));
        print("started", Times.local(sweep.started()));
        print("ended", sweep.ended() == null ? null : Times.local(sweep.ended()));
        print("total", sweep.total() < 0 ? null : (sweep.isTotalExact() ? "" : "about ") + sweep.total());
        print("done", Long.toString(sweep.done()));
        print("failed", Long.toString(sweep.failed()));
        print("left", sweep.left() < 0 ? null : Long.toString(sweep.left()));
        print("rows/s", Long.toString(Math.round(sweep.rowsPerSecond())));
        Duration left = sweep.ended() == null ? sweep.timeLeft() : null;
        print("time left", left == null ? null : SweepWatch.text(left));
        print("waits", sweep.held());
        print("between", sweep.hours());
        print("throttle", sweep.throttle() > 0 ? sweep.throttle() + " rows/s" : null);
        print("error", sweep.error());
        if (sweep.workers().isEmpty()) return 0;
        terminal.out().println();
        WORKERS.print(terminal, false, sweep.workers());
        return 0;
    }

    private void print(String name, @Nullable String value) {
        if (value != null)
            terminal.out().printf("%-9s %s%n", name, PlainText.of(value).replace("\n", "\n          "));
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
