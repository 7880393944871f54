package dev.howdah.daemon.serve;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.Database;
import dev.howdah.console.Console;
import dev.howdah.console.ConsoleBuilder;
import dev.howdah.console.ConsoleMonitoring;
import dev.howdah.console.TaskTableName;
import dev.howdah.console.internal.oidc.OpenIdSettings;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.SecretFile;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.RunningHowdah.ConsolePlace;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.spi.Metrics;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.HostSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The console of the daemon. It takes its port at once, and answers when everything else is ready, or three seconds later: its server has half a second of
 * classes to load, which would keep the processors from the rest. Its pages have at most four sessions, which
 * end ten seconds after their last use; sweeps and workers have others.
 */
final class ConsoleService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConsoleService.class);
    private static final int USUAL_PORT = 8080;
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");
    private static final int SESSIONS = 4;

    private static final long START_SECONDS = 10;

    /** It also shows a database that does not answer. */
    private static final long LATEST_SECONDS = 3;

    private final Configuration configuration;
    private final Metrics metrics;
    private final ConsoleMonitoring monitoring;
    private final boolean login;
    private final LateSource source = new LateSource();
    private final LateSource sweeps = new LateSource();
    private final LateSource workers = new LateSource();
    private final CompletableFuture<@Nullable Console> started = new CompletableFuture<>();
    private final CountDownLatch rest = new CountDownLatch(1);
    private volatile Supplier<List<TaskTableName>> tables = List::of;
    private volatile String database = "";
    private @Nullable HikariDataSource pool;
    private volatile @Nullable DatabaseConsoles others;
    private volatile boolean isClosed;
    private volatile @Nullable String link;

    private ConsoleService(Configuration configuration, Metrics metrics, ConsoleMonitoring monitoring) {
        this.configuration = configuration;
        this.metrics = metrics;
        this.monitoring = monitoring;
        // The embedded server trusts each user of the machine: what the console can do, they can do without it.
        this.login = configuration.url().isPresent()
                || configuration.text(Setting.PG_AUTH).equals("password")
                || configuration.given(Setting.CONSOLE_LOGIN)
                || configuration.given(Setting.CONSOLE_OIDC);
    }

    /** Begins to start it, unless it is switched off. */
    static ConsoleService begin(Configuration configuration, Metrics metrics, ConsoleMonitoring monitoring) {
        if (configuration.text(Setting.CONSOLE).equals("on")) check(configuration);
        ConsoleService service = new ConsoleService(configuration, metrics, monitoring);
        if (configuration.text(Setting.CONSOLE).equals("on"))
            Threads.daemon("howdah-console-start", service::start).start();
        else service.started.complete(null);
        return service;
    }

    /** Refuses settings with which it cannot start, before anything else is started. */
    private static void check(Configuration configuration) {
        String address = configuration.text(Setting.CONSOLE_LISTEN);
        if (!LOOPBACK.contains(address)) {
            if (!configuration.find(Setting.CONSOLE_LOGIN).orElse("").equals("token")
                    && !configuration.given(Setting.CONSOLE_OIDC))
                throw CliException.usage(
                        "--console-listen " + address
                                + ": others can reach the console there, so it needs logins: --console-login token, or --console-oidc FILE");
            for (Setting each : List.of(Setting.CONSOLE_HOST, Setting.TRUSTED_PROXY))
                if (!configuration.given(each))
                    throw CliException.usage("--console-listen " + address + " needs " + each.flag() + ": "
                            + (each == Setting.CONSOLE_HOST
                                    ? "the name by which browsers ask for it"
                                    : "the address of the proxy that does TLS; others are refused"));
        }
        try {
            builder(Console.on(new LateSource()), configuration);
            DatabaseConsoles.read(configuration);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    static ConsoleBuilder builder(ConsoleBuilder console, Configuration configuration) {
        configuration
                .find(Setting.CONSOLE_OIDC)
                .ifPresent(file -> console.openId(provider(Setting.CONSOLE_OIDC.flag(), Path.of(file))));
        return console.listen(configuration.text(Setting.CONSOLE_LISTEN))
                .hosts(configuration.list(Setting.CONSOLE_HOST))
                .origins(configuration.list(Setting.CONSOLE_ORIGIN))
                .channels(configuration.list(Setting.CONSOLE_CHANNELS))
                .basePath(configuration.find(Setting.CONSOLE_BASE_PATH).orElse(""))
                .trustedProxies(configuration.list(Setting.TRUSTED_PROXY))
                .mask(
                        configuration.list(Setting.CONSOLE_MASK_KEYS),
                        configuration.find(Setting.CONSOLE_MASK).map(List::of).orElse(List.of()))
                .unmaskedForAdministrators(
                        configuration.text(Setting.CONSOLE_UNMASKED).equals("on"))
                .auditDays(configuration.number(Setting.AUDIT_DAYS));
    }

    /** @param name of the setting, for messages */
    static Properties provider(String name, Path file) {
        Properties settings = new Properties();
        try {
            settings.load(new StringReader(SecretFile.text(name, file)));
            OpenIdSettings.read(settings);
            return settings;
        } catch (IOException | IllegalArgumentException e) {
            throw CliException.usage(name + ": " + file + ": " + e.getMessage());
        }
    }

    private void start() {
        try {
            ConsoleBuilder console = builder(Console.on(source), configuration)
                    .schema(configuration.text(Setting.INSTALLATION))
                    .login(login)
                    .startSweeps(sweeps)
                    .workerSessions(workers)
                    .metrics(metrics)
                    .monitoring(monitoring)
                    .programSettings(configuration.shown())
                    .taskTables(() -> tables.get())
                    .databaseName(() -> database)
                    .otherConsoles(this::others);
            String port = configuration.find(Setting.PORT).orElse(null);
            if (port == null) console.portOrNext(USUAL_PORT);
            else console.port(Integer.parseInt(port));
            started.complete(console.bind());
        } catch (RuntimeException e) {
            started.completeExceptionally(e);
            return;
        }
        serve();
    }

    private void serve() {
        Console console = started.join();
        try {
            if (!rest.await(LATEST_SECONDS, TimeUnit.SECONDS)) log.debug("the console does not wait any longer");
            if (console != null) console.serve();
            List<DatabaseConsoles.Named> named = DatabaseConsoles.read(configuration);
            if (console != null && !named.isEmpty()) {
                others = beside(console, named);
                if (isClosed) close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.warn("there is no console: {}", ErrorText.line(e));
            if (console != null) console.close();
        }
    }

    private Map<String, URI> others() {
        DatabaseConsoles more = others;
        return more == null ? Map.of() : more.others(null);
    }

    private DatabaseConsoles beside(Console console, List<DatabaseConsoles.Named> named) {
        List<String> hosts = configuration.list(Setting.CONSOLE_HOST);
        // Browsers ask for the host also where the proxy is on this machine.
        URI own = hosts.isEmpty()
                ? console.address()
                : URI.create("https://" + hosts.get(0)
                        + configuration.find(Setting.CONSOLE_BASE_PATH).orElse(""));
        return DatabaseConsoles.start(
                configuration, named, () -> database, own, console.address().getPort());
    }

    /** Lets it answer: everything else has started. */
    void answer() {
        rest.countDown();
    }

    /**
     * From now on it shows that database.
     *
     * @throws CliException if the port that was asked for cannot be had
     */
    void open(Database of, Supplier<List<TaskTableName>> served) {
        tables = served;
        database = shown(of);
        HikariDataSource sessions = pool(of);
        pool = sessions;
        source.become(sessions);
        sweeps.become(new SessionSource(of.with("application_name", "howdah console sweep")));
        workers.become(new SessionSource(of.with("application_name", "howdah http workers")));
        if (configuration.find(Setting.PORT).isEmpty()) return;
        String failure = failure();
        if (failure != null) throw CliException.failed("--port: " + failure);
    }

    /** The sessions of the pages of a console. */
    static HikariDataSource pool(Database of) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("console");
        config.setDataSource(new SessionSource(of.with("application_name", "howdah console")));
        config.setMaximumPoolSize(SESSIONS);
        config.setMinimumIdle(0);
        config.setIdleTimeout(TimeUnit.SECONDS.toMillis(10));
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(5));
        config.setInitializationFailTimeout(-1);
        config.setConnectionInitSql("SET statement_timeout = '2s'; SET lock_timeout = '1s'");
        return new HikariDataSource(config);
    }

    /** Where a database is, for people. */
    static String shown(Database of) {
        return of.hosts().stream().map(Database.HostPort::toString).collect(Collectors.joining(",")) + "/"
                + of.database();
    }

    /** Waits until it is there or cannot be, which is logged. */
    void awaitStart() {
        String failure = failure();
        if (failure != null) log.warn("there is no console: {}", failure);
    }

    /** Waits until it is there; returns why it cannot be, if it cannot. */
    private @Nullable String failure() {
        try {
            Console console = started.get(START_SECONDS, TimeUnit.SECONDS);
            if (console != null && link == null) link = console.link().toString();
            return null;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            // What the console itself refuses is a sentence.
            return cause instanceof IllegalStateException ? String.valueOf(cause.getMessage()) : ErrorText.line(cause);
        } catch (TimeoutException e) {
            return "it has not started within " + START_SECONDS + " s";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Where it is; null if it is not there, or not yet. */
    @Nullable
    ConsolePlace place() {
        String to = link;
        Console console = started.isDone() && !started.isCompletedExceptionally() ? started.join() : null;
        if (console == null || to == null) return null;
        return new ConsolePlace(console.address().toString(), to, console.secret());
    }

    /** Also more than once. Sweeps that were started here are left, which needs the database. */
    @Override
    public void close() {
        isClosed = true;
        rest.countDown();
        started.thenAccept(console -> {
            if (console != null) console.close();
        });
        if (pool != null) pool.close();
        DatabaseConsoles more = others;
        if (more != null) more.close();
    }

    /** The sessions, once they are known. */
    private static final class LateSource extends SessionSource {
        private volatile @Nullable DataSource sessions;

        LateSource() {
            super(Database.of("host=127.0.0.1"));
        }

        void become(DataSource known) {
            sessions = known;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return known().getConnection();
        }

        @Override
        public Connection getConnection(HostSpec first) throws SQLException {
            return known() instanceof SessionSource source ? source.getConnection(first) : getConnection();
        }

        private DataSource known() throws SQLException {
            DataSource known = sessions;
            if (known == null) throw new SQLException("PostgreSQL is being started", "08001");
            return known;
        }
    }
}
