package dev.howdah.daemon.cli.top;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.Database;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.operation.CommandEngine;
import dev.howdah.daemon.cli.top.list.TopAction;
import dev.howdah.daemon.cli.top.list.TopJobs;
import dev.howdah.daemon.cli.top.list.TopProcesses;
import dev.howdah.daemon.cli.top.list.TopQueues;
import dev.howdah.daemon.cli.top.list.TopRow;
import dev.howdah.daemon.cli.top.list.TopSweeps;
import dev.howdah.daemon.cli.top.list.TopTasks;
import dev.howdah.daemon.cli.top.list.TopVerb;
import dev.howdah.daemon.cli.top.list.TopView;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Signals;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.operations.Engine;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.client.ProcessClient;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah top}: tasks, queues, jobs, processes and sweeps, live. */
@Command(
        name = "top",
        description = "Watch tasks, queues, jobs, processes and sweeps in the terminal, and change them.",
        footer = {
            "",
            "Keys: 1 to 5 choose a list, s the state, / a filter, Enter shows why, r retries, c cancels, p pauses,"
                    + " ? lists all keys, q quits.",
            "",
            "Examples:",
            "  howdah top",
            "  howdah top --url postgresql://db.example/shop",
            "  NO_COLOR=1 howdah top"
        })
public final class TopCommand implements Callable<Integer> {
    private static final int SESSIONS = 2;
    private static final int INTERRUPTED = 130;

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--no-color", description = "Use no colours; NO_COLOR in the environment does the same.")
    private boolean colourless;

    private TopCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new TopCommand(terminal));
        ConfigurationOptions.addAllFeatures(line.getCommandSpec());
        return line;
    }

    @Override
    public Integer call() {
        if (!terminal.outIsScreen()) throw TopTerminal.missing();
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        SchemaName schema = Installation.of(configuration);
        try (HikariDataSource sessions = sessions(target)) {
            // What is wrong with the database is said before the terminal is taken.
            sessions.getConnection().close();
            return watch(sessions, target, schema);
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }

    private static HikariDataSource sessions(CommandTarget target) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("top");
        config.setDataSource(new SessionSource(target.database().with("application_name", "howdah top")));
        config.setMaximumPoolSize(SESSIONS);
        config.setMinimumIdle(0);
        config.setIdleTimeout(TimeUnit.SECONDS.toMillis(10));
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(5));
        config.setInitializationFailTimeout(-1);
        config.setConnectionInitSql("SET statement_timeout = '2s'; SET lock_timeout = '1s'");
        return new HikariDataSource(config);
    }

    /** Returns the exit code. */
    private int watch(DataSource sessions, CommandTarget target, SchemaName schema) {
        BlockingQueue<TopEvent> events = new LinkedBlockingQueue<>();
        PrintStream log = System.err;
        try (TopTerminal screen = TopTerminal.open();
                TopReader reader = new TopReader(sessions, events::add)) {
            Signals signals = Signals.on(() -> events.add(new TopEvent.Quit(false)), () -> {}, screen::giveBack);
            try {
                // What is logged would stand in the middle of the lists.
                System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
                TopScreen end = show(screen, reader, events, views(sessions, target, schema), name(target.database()));
                return end.wasInterrupted() ? INTERRUPTED : signals.exitCode();
            } finally {
                System.setErr(log);
                screen.giveBack();
                signals.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.failed("interrupted", e);
        }
    }

    /** Returns the screen as it was at the end. */
    private TopScreen show(
            TopTerminal terminal,
            TopReader reader,
            BlockingQueue<TopEvent> events,
            List<TopView> views,
            String database)
            throws InterruptedException {
        TopPainter painter = new TopPainter(!colourless && hasColours(terminal), database);
        TopScreen screen = new TopScreen(views, requests(reader));
        terminal.listen(events::add);
        screen.show();
        reader.start();
        while (takeAll(events, screen)) terminal.paint(painter.paint(screen), screen.width(), screen.height());
        return screen;
    }

    private boolean hasColours(TopTerminal screen) {
        return screen.hasColours()
                && terminal.environment().getOrDefault("NO_COLOR", "").isEmpty();
    }

    private static String name(Database database) {
        return database.hosts().stream().map(Database.HostPort::toString).collect(Collectors.joining(",")) + "/"
                + database.database();
    }

    /** Waits for an event, and takes all that are there; false: one was the last. */
    private static boolean takeAll(BlockingQueue<TopEvent> events, TopScreen screen) throws InterruptedException {
        for (TopEvent each = events.take(); each != null; each = events.poll()) if (!screen.take(each)) return false;
        return true;
    }

    private static List<TopView> views(DataSource sessions, CommandTarget target, SchemaName schema) {
        JacksonCodec codec = new JacksonCodec();
        Engine engine = new CommandEngine(target, sessions, schema);
        return List.of(
                new TopTasks(engine),
                new TopQueues(engine),
                new TopJobs(engine),
                new TopProcesses(
                        ProcessReader.on(sessions, codec, schema.name()),
                        ProcessClient.on(sessions, codec, schema.name())),
                new TopSweeps(engine));
    }

    private static TopScreen.Requests requests(TopReader reader) {
        return new TopScreen.Requests() {
            @Override
            public void show(TopQuery query) {
                reader.show(query);
            }

            @Override
            public void details(TopView view, TopRow row) {
                reader.details(view, row);
            }

            @Override
            public void prepare(TopView view, TopVerb verb, TopRow row) {
                reader.prepare(view, verb, row);
            }

            @Override
            public void run(TopAction action) {
                reader.run(action);
            }
        };
    }
}
