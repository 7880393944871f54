package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.console.ConsoleMonitoring;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.PostgresPort;
import dev.howdah.daemon.config.ServedTable;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.config.TableList;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Signals;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.ReadyText;
import dev.howdah.daemon.monitoring.DaemonMonitoring;
import dev.howdah.daemon.monitoring.MonitoringServer;
import dev.howdah.daemon.monitoring.Prometheus;
import dev.howdah.daemon.monitoring.Readiness;
import dev.howdah.daemon.monitoring.ServiceManager;
import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.embedded.EmbeddedPostgresException;
import dev.howdah.spi.Metrics;
import dev.howdah.task.TaskRights;
import dev.howdah.task.TaskSchedulers;
import dev.howdah.task.TaskTuning;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code howdah up}: serves a table of tasks, with a PostgreSQL of its own or with one that is there already.
 *
 * <p>The main thread starts everything, waits for events (a signal to stop, the end of PostgreSQL), and
 * closes everything in reverse order.
 */
@Command(
        name = "up",
        description = "Run the daemon, with a PostgreSQL of its own in a directory, or with yours (--url).",
        footer = {
            "",
            "It runs until Ctrl-C or SIGTERM, then stops cleanly with exit code 0; a second signal ends it at once.",
            "It prints its address to the standard output when it is ready; its log goes to the standard error."
        })
public final class Up implements Callable<Integer> {
    /** PostgreSQL may end this often in this time before starting it again is given up. */
    private static final int MOST_ENDS = 5;

    private static final Duration ENDS_WITHIN = Duration.ofMinutes(1);

    private static final Pattern PASSWORD_IN_URI = Pattern.compile("://[^/@:]*:[^@]+@|(?i)\\bpassword\\s*=");

    private enum Event {
        STOP,
        RELOAD,
        POSTGRES_ENDED
    }

    private final Terminal terminal;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final Deque<Long> ends = new ArrayDeque<>();
    private final Readiness readiness = new Readiness();
    private Metrics figures = Metrics.none();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--json", description = "When ready, print one JSON object on one line instead of text for people.")
    private boolean json;

    @Option(
            names = "--paused",
            description = "Pause everything in each database that is served before anything begins there,"
                    + " until howdah resume --all.")
    private boolean paused;

    private Up(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new Up(terminal));
        ConfigurationOptions.add(line.getCommandSpec(), Setting.values());
        return line;
    }

    @Override
    public Integer call() throws IOException {
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        Services plan = Services.of(configuration);
        Thread main = Thread.currentThread();
        Starting starting = new Starting(main);
        Signals signals = Signals.on(
                () -> {
                    events.add(Event.STOP);
                    starting.cutShort();
                },
                () -> events.add(Event.RELOAD),
                () -> terminal.err().println("howdah: in a hurry, ending at once"));
        HeapTrimmer.start();
        Prometheus prometheus = new Prometheus().withJvm();
        DaemonMonitoring monitoring = new DaemonMonitoring(prometheus, readiness, readiness::pause);
        boolean isShown = configuration.given(Setting.METRICS_PORT)
                || configuration.text(Setting.CONSOLE).equals("on");
        try (MonitoringServer shown = shown(configuration, monitoring);
                ServiceManager manager =
                        ServiceManager.start(terminal.environment(), readiness::startObstacle, readiness);
                ConsoleService console =
                        ConsoleService.begin(configuration, isShown ? prometheus : Metrics.none(), monitoring)) {
            if (manager != null) log().debug("reporting to systemd");
            if (shown != null) log().debug("metrics are served on port {}", shown.port());
            if (isShown) figures = prometheus;
            String url = configuration.url().orElse(null);
            return url == null
                    ? withOwnPostgres(configuration, plan, starting, console)
                    : withDatabaseAt(url, configuration, plan, console);
        } catch (EmbeddedPostgresException e) {
            if (events.contains(Event.STOP)) return 0;
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            return 0;
        } finally {
            terminal.out().flush();
            signals.stopped();
        }
    }

    /** The time in which the main thread starts PostgreSQL and hears of a wish to stop only by an interrupt. */
    private static final class Starting {
        private final Thread main;
        private boolean busy;

        Starting(Thread main) {
            this.main = main;
        }

        synchronized void begin() {
            busy = true;
        }

        synchronized void end() {
            busy = false;
            if (Thread.interrupted()) log().debug("asked to stop while PostgreSQL started");
        }

        synchronized void cutShort() {
            if (busy) main.interrupt();
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(Up.class);
    }

    private int withOwnPostgres(Configuration configuration, Services plan, Starting starting, ConsoleService console)
            throws IOException, InterruptedException {
        Path directory = configuration.data();
        int wanted = configuration.find(Setting.PG_PORT).map(Integer::parseInt).orElse(-1);
        PostgresPort port = new PostgresPort(directory);
        boolean password = configuration.text(Setting.PG_AUTH).equals("password");
        EmbeddedPostgres postgres;
        starting.begin();
        try {
            postgres = start(directory, wanted < 0 ? port.choose() : wanted, password);
        } finally {
            starting.end();
        }
        try {
            if (wanted < 0) port.remember(postgres.port());
            return serveOwn(configuration, plan, starting, console, postgres, password);
        } catch (IOException | RuntimeException | InterruptedException e) {
            postgres.close();
            throw e;
        }
    }

    private EmbeddedPostgres start(Path directory, int port, boolean password) {
        EmbeddedPostgres postgres = EmbeddedPostgres.at(directory)
                .port(port)
                .passwordRequired(password)
                .start();
        postgres.onExit(() -> events.add(Event.POSTGRES_ENDED));
        return postgres;
    }

    private int serveOwn(
            Configuration configuration,
            Services plan,
            Starting starting,
            ConsoleService console,
            EmbeddedPostgres first,
            boolean password)
            throws InterruptedException {
        Database database = Database.of(first.uri(), terminal.environment());
        StartupReporter announcer = announcer(
                configuration,
                new StartupReporter.Served(database, first.uri(), usual(configuration, database), first.directory()),
                console,
                "PostgreSQL " + first.version() + " in " + first.directory(),
                dataFlag(configuration));
        announcer.publish();
        console.open(database, announcer::tables);
        EmbeddedPostgres postgres = first;
        EmbeddedMetrics metrics = new EmbeddedMetrics(figures);
        StartGuard guard = guard(configuration);
        Supervisor supervisor = supervisor(configuration, database, announcer, figures, guard);
        Services.Worked worked = plan.start(database, figures, guard);
        readiness.alsoFollow(worked::obstacle);
        try {
            for (Event event = events.take(); event != Event.STOP; event = events.take()) {
                if (event == Event.RELOAD) {
                    reload(supervisor);
                    continue;
                }
                if (tooManyEnds())
                    throw CliException.failed("PostgreSQL ended " + MOST_ENDS + " times within a minute; its log is "
                            + first.directory().resolve("postgres.log"));
                log().warn("PostgreSQL has ended by itself: starting it again");
                metrics.ended();
                int port = postgres.port();
                postgres.close();
                starting.begin();
                try {
                    postgres = start(first.directory(), port, password);
                } finally {
                    starting.end();
                }
                metrics.runs();
                log().info("PostgreSQL is back");
            }
            return 0;
        } finally {
            log().info("stopping");
            readiness.end("stopping");
            // While the database is there: workers of sweeps finish their rows.
            console.close();
            worked.close();
            supervisor.close();
            postgres.close();
            announcer.withdraw();
        }
    }

    private boolean tooManyEnds() {
        long now = System.nanoTime();
        ends.addLast(now);
        ends.removeIf(then -> now - then > ENDS_WITHIN.toNanos());
        return ends.size() >= MOST_ENDS;
    }

    private int withDatabaseAt(String url, Configuration configuration, Services plan, ConsoleService console)
            throws InterruptedException {
        List<String> pointless = configuration.onlyForEmbedded();
        if (!pointless.isEmpty())
            throw CliException.usage(
                    String.join(", ", pointless) + " with --url: that is for the PostgreSQL that howdah brings along");
        Database database = CommandTarget.database(url, terminal.environment());
        boolean secret = PASSWORD_IN_URI.matcher(url).find();
        if (secret)
            log().warn("a password on the command line or in a file of settings is easily seen by others:"
                    + " PGPASSWORD or a password file (~/.pgpass) is better");
        StartupReporter announcer = announcer(
                configuration,
                new StartupReporter.Served(
                        database, secret ? url : database.toString(), usual(configuration, database), null),
                console,
                "PostgreSQL",
                "--url " + ReadyText.shell(database.toString()));
        console.open(database, announcer::tables);
        StartGuard guard = guard(configuration);
        Supervisor supervisor = supervisor(configuration, database, announcer, figures, guard);
        Services.Worked worked = plan.start(database, figures, guard);
        readiness.alsoFollow(worked::obstacle);
        try {
            while (events.take() == Event.RELOAD) reload(supervisor);
            return 0;
        } finally {
            log().info("stopping");
            readiness.end("stopping");
            // While the database is there: workers of sweeps finish their rows.
            console.close();
            worked.close();
            supervisor.close();
            announcer.withdraw();
        }
    }

    private @Nullable MonitoringServer shown(Configuration configuration, ConsoleMonitoring told) {
        return configuration
                .find(Setting.METRICS_PORT)
                .map(port -> MonitoringServer.start(
                        configuration.text(Setting.METRICS_ADDRESS), Integer.parseInt(port), told))
                .orElse(null);
    }

    private static @Nullable String dataFlag(Configuration configuration) {
        return configuration.usualData()
                ? null
                : "--data " + ReadyText.shell(configuration.data().toString());
    }

    private StartupReporter announcer(
            Configuration configuration,
            StartupReporter.Served served,
            ConsoleService console,
            String server,
            @Nullable String flag) {
        StartupReporter reporter = new StartupReporter(
                terminal,
                json,
                configuration.data(),
                served,
                console,
                running -> ReadyText.of(running, server, flag, dataFlag(configuration), terminal.outIsScreen()));
        readiness.follow(reporter::obstacle);
        readiness.tell(reporter::pause);
        return reporter;
    }

    /** The one table that is served where nothing else is set. */
    private static ServedTable usual(Configuration configuration, Database database) {
        return new ServedTable(
                database.database(),
                "",
                configuration.text(Setting.SCHEMA),
                configuration.text(Setting.TABLE),
                TaskTuning.NONE);
    }

    /** Reads the list of tables again, and from the file of settings what tasks may reach. */
    private void reload(Supervisor supervisor) {
        try {
            Configuration now = ConfigurationOptions.read(spec, terminal);
            supervisor.reach(now.reach()).remotePlaces(now.remotePlaces());
        } catch (CliException e) {
            log().warn("the settings are wrong, those from before stay: {}", e.getMessage());
        }
        supervisor.reload();
    }

    private StartGuard guard(Configuration configuration) {
        return new StartGuard(
                paused, configuration.text(Setting.PAUSED_WHEN_MOVED).equals("on"), Installation.of(configuration));
    }

    private static Supervisor supervisor(
            Configuration configuration,
            Database database,
            StartupReporter announcer,
            Metrics figures,
            StartGuard guard) {
        int sessions = configuration.number(Setting.SESSIONS);
        int inAll = configuration
                .find(Setting.TOTAL_SESSIONS)
                .map(Integer::parseInt)
                .orElse(sessions);
        return new Supervisor(
                        database,
                        TableList.of(configuration, database),
                        usual(configuration, database),
                        TaskSchedulers.bounded(sessions, inAll),
                        announcer,
                        Duration.ofSeconds(configuration.number(Setting.LEASE)),
                        guard)
                .metrics(figures)
                .remotePlaces(configuration.remotePlaces())
                .reach(configuration.reach())
                .rights(configuration
                        .find(Setting.RIGHTS)
                        .map(whose -> TaskRights.valueOf(whose.toUpperCase(Locale.ROOT)))
                        .orElse(null))
                .adopt(Set.copyOf(configuration.list(Setting.ADOPT)))
                .start();
    }
}
