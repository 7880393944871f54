package dev.howdah.console;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.TrustedProxies;
import dev.howdah.console.internal.data.ActorSource;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.mask.Masker;
import dev.howdah.console.internal.oidc.OpenIdSettings;
import dev.howdah.console.internal.web.AgentSession;
import dev.howdah.console.internal.web.ConsolePort;
import dev.howdah.console.internal.web.ConsoleServer;
import dev.howdah.operations.Role;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import dev.howdah.spi.Metrics;
import java.net.BindException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link Console}. Not safe for use by many threads.
 */
public final class ConsoleBuilder {
    private static final int USUAL_PORT = 8080;

    /** As long as PostgreSQL takes names. */
    private static final int LONGEST_CHANNEL = 63;

    /** How many ports after the wanted one are tried. */
    private static final int MORE_PORTS = 20;

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

    private final DataSource dataSource;
    private int port = USUAL_PORT;
    private boolean next;
    private String schema = "howdah";
    private Supplier<String> database = () -> "";
    private @Nullable String label;
    private boolean login;
    private String address = "127.0.0.1";
    private Set<String> hosts = Set.of();
    private String basePath = "";
    private List<String> proxies = List.of();
    private List<String> maskedKeys = List.of();
    private List<String> maskedPatterns = List.of();
    private boolean unmasked;
    private int auditDays = 365;
    private Set<String> origins = Set.of();
    private Set<String> channels = Set.of();
    private Metrics metrics = Metrics.none();
    private @Nullable ConsoleMonitoring monitoring;
    private @Nullable DataSource sweeps;
    private @Nullable DataSource workers;
    private Map<String, String> shown = Map.of();
    private @Nullable OpenIdSettings openId;
    private Supplier<Map<String, URI>> others = Map::of;
    private final List<TableName> tables = new ArrayList<>();
    private Supplier<List<TableName>> allTables = () -> List.copyOf(tables);

    ConsoleBuilder(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "a console needs a data source, not null");
    }

    /**
     * Sets the port. Defaults to 8080.
     *
     * @param number 1 to 65535; 0 takes any free one
     * @throws IllegalArgumentException if there is no such port
     */
    public ConsoleBuilder port(int number) {
        if (number < 0 || number > 65_535)
            throw new IllegalArgumentException("a port is a number from 0 to 65535, not " + number);
        port = number;
        next = false;
        return this;
    }

    /** As {@link #port(int)}, or one of the next 20 if another program has it. */
    public ConsoleBuilder portOrNext(int number) {
        port(number);
        next = true;
        return this;
    }

    /** Sets the schema of the tables of jobs and processes. Defaults to {@code howdah}. */
    public ConsoleBuilder schema(String name) {
        schema = Objects.requireNonNull(name, "a schema has a name, not null");
        return this;
    }

    /** Adds a table of tasks. Without one there are no tasks to show. */
    public ConsoleBuilder taskTable(String inSchema, String table) {
        tables.add(new TableName(inSchema, table));
        allTables = () -> List.copyOf(tables);
        return this;
    }

    /** Sets the name of the database that is shown, such as {@code db.example/shop}; it must not hold a password. */
    public ConsoleBuilder databaseName(String shown) {
        Objects.requireNonNull(shown, "a name has a text, not null");
        return databaseName(() -> shown);
    }

    /** As {@link #databaseName(String)}, asked for at each request. */
    public ConsoleBuilder databaseName(Supplier<String> shown) {
        database = shown;
        return this;
    }

    /** Sets a word that tells this environment from others, such as {@code production}. Defaults to none. */
    public ConsoleBuilder label(@Nullable String word) {
        label = word;
        return this;
    }

    /**
     * Sets whether a login is needed: a link with a key, see {@link Console#link}, or a token: on a machine with other users, whose privileges in the
     * database are not those of the data source. Defaults to no login.
     */
    public ConsoleBuilder login(boolean needed) {
        login = needed;
        return this;
    }

    /**
     * Sets the address to listen on. Defaults to 127.0.0.1. Any but a loopback address needs {@link #login}, {@link #hosts} and {@link
     * #trustedProxies}: requests from other machines are answered only if they come by such a proxy.
     */
    public ConsoleBuilder listen(String on) {
        address = Objects.requireNonNull(on, "an address is a text, not null");
        return this;
    }

    /**
     * Sets the host names by which browsers ask for it, as they stand in the address bar: {@code ops.example.com}, with a port if it is
     * not that of the scheme. Requests for other names are refused.
     */
    public ConsoleBuilder hosts(List<String> names) {
        for (String each : names)
            if (!each.matches("[\\w.-]+(:\\d{1,5})?|\\[[0-9a-fA-F:.]+](:\\d{1,5})?"))
                throw new IllegalArgumentException(
                        "a host is a name such as ops.example.com, also with a port, not \"" + each + "\"");
        hosts = names.stream().map(each -> each.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
        return this;
    }

    /** Sets the path before all others, such as {@code /howdah}. Defaults to none. */
    public ConsoleBuilder basePath(String path) {
        if (!path.matches("(/[A-Za-z0-9._~-]+)*"))
            throw new IllegalArgumentException("a base path is one such as /howdah, not \"" + path + "\"");
        basePath = path;
        return this;
    }

    /**
     * Sets the addresses of proxies, such as {@code 10.0.0.5} or {@code 10.1.0.0/16}, whose headers {@code X-Forwarded-For}, {@code
     * -Host} and {@code -Proto} are believed. Defaults to none.
     *
     * @throws IllegalArgumentException if one is no address
     */
    public ConsoleBuilder trustedProxies(List<String> addresses) {
        new TrustedProxies(addresses);
        proxies = List.copyOf(addresses);
        return this;
    }

    /**
     * Masks more than passwords, tokens and the like: in all texts that are shown, and in what is written to the audit table.
     *
     * @param keys names of keys of JSON and of {@code key=value}, or parts of them, in any case
     * @param patterns regular expressions
     * @throws IllegalArgumentException if one is no regular expression
     */
    public ConsoleBuilder mask(List<String> keys, List<String> patterns) {
        Masker.with(keys, patterns);
        maskedKeys = List.copyOf(keys);
        maskedPatterns = List.copyOf(patterns);
        return this;
    }

    /** Sets whether administrators see what is masked. Defaults to no. */
    public ConsoleBuilder unmaskedForAdministrators(boolean seen) {
        unmasked = seen;
        return this;
    }

    /**
     * Sets an OpenID Connect provider by which people log in, and switches the login on. The keys: {@code issuer}, {@code client-id},
     * {@code client-secret} (none for a public client), {@code scope} (openid email profile unless given), {@code name-claim} (email), {@code
     * role-claim} (groups), and {@code role.VALUE} with the role of those whose claim has that value.
     *
     * @throws IllegalArgumentException if a key is missing or unknown, or has a value that cannot be
     */
    public ConsoleBuilder openId(Properties settings) {
        openId = OpenIdSettings.read(settings);
        login = true;
        return this;
    }

    /**
     * Lets administrators start sweeps of SQL, on which this process works with the privileges of that data source: at most 4 at once, with 16
     * workers in all, each of which keeps a session, and two sessions more for each sweep. They are left when the console is closed. Defaults to none: the console then
     * offers no such form.
     *
     * @param sessions without a pool, or with one that lends a session for as long as it is used, and without a timeout of statements
     */
    public ConsoleBuilder startSweeps(DataSource sessions) {
        sweeps = Objects.requireNonNull(sessions, "sweeps need a data source, not null");
        return this;
    }

    /**
     * Sets from where the nodes that claim jobs for HTTP workers take their sessions: four for each set of queues and kinds that workers ask
     * for, 20 sets at most, until none has asked for a minute. Defaults to the data source of the console, which then needs as many
     * connections beside those for its pages.
     *
     * @param sessions without a pool, or with one that lends a session for as long as it is used, and without a timeout of statements
     */
    public ConsoleBuilder workerSessions(DataSource sessions) {
        workers = Objects.requireNonNull(sessions, "the nodes of workers need a data source, not null");
        return this;
    }

    /**
     * Sets what the page of settings shows of the program, beside the settings of the console: names and values for people, in their order. They must not hold
     * secrets; what looks like one is masked. Defaults to none.
     */
    public ConsoleBuilder programSettings(Map<String, String> settings) {
        shown = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        return this;
    }

    /**
     * Sets where requests to processes, from pages and by the HTTP API, are measured: {@code progressor_request_preparing_duration_ms}, as for
     * {@link dev.howdah.process.ProcessesBuilder#metrics}. Defaults to nowhere.
     */
    public ConsoleBuilder metrics(Metrics to) {
        metrics = Objects.requireNonNull(to, "metrics are needed, not null: Metrics.none() for none");
        return this;
    }

    /**
     * Serves {@code /metrics}, {@code /live} and {@code /ready} on the port of the console: metrics to programs on this machine and to
     * callers with a token, the probes to all who can reach the port. Defaults to not.
     */
    public ConsoleBuilder monitoring(ConsoleMonitoring told) {
        monitoring = Objects.requireNonNull(told, "monitoring is needed, not null");
        return this;
    }

    /** Sets how many days rows of the audit table are kept, 30 at least. Defaults to 365. */
    public ConsoleBuilder auditDays(int days) {
        if (days < AuditStore.LEAST_DAYS)
            throw new IllegalArgumentException(
                    "the audit table is kept for " + AuditStore.LEAST_DAYS + " days at least, not " + days);
        auditDays = days;
        return this;
    }

    /**
     * Sets from where pages of your own may read the HTTP API and its streams of events, with a token: origins as browsers name them, such as
     * {@code https://shop.example.com}. Defaults to none. They change nothing.
     *
     * @throws IllegalArgumentException if one is no origin
     */
    public ConsoleBuilder origins(List<String> allowed) {
        for (String each : allowed)
            if (!each.matches("https?://([a-z0-9.-]+|\\[[0-9a-f:.]+])(:\\d{1,5})?"))
                throw new IllegalArgumentException(
                        "an origin is one such as https://shop.example.com, in lower case and without a path, not \""
                                + each + "\"");
        origins = Set.copyOf(allowed);
        return this;
    }

    /**
     * Sets the channels of {@code NOTIFY} that streams of events pass on to callers that ask for them. Defaults to none.
     *
     * @throws IllegalArgumentException if there can be no such channel
     */
    public ConsoleBuilder channels(List<String> passed) {
        for (String each : passed)
            if (each.isEmpty()
                    || each.getBytes(StandardCharsets.UTF_8).length > LONGEST_CHANNEL
                    || each.indexOf(0) >= 0)
                throw new IllegalArgumentException(
                        "a channel has a name of 1 to " + LONGEST_CHANNEL + " bytes, not \"" + each + "\"");
        channels = Set.copyOf(passed);
        return this;
    }

    /**
     * Names consoles of other databases, to which the header of each page leads. Each has sessions, logins, roles and an audit log of its own.
     *
     * @param consoles their names and addresses, asked for at each request
     */
    public ConsoleBuilder otherConsoles(Supplier<Map<String, URI>> consoles) {
        others = Objects.requireNonNull(consoles, "other consoles need a supplier, not null");
        return this;
    }

    /** Sets where the tables of tasks are asked for at each request, instead of {@link #taskTable}. */
    public ConsoleBuilder taskTables(Supplier<List<TaskTableName>> served) {
        allTables = () -> served.get().stream()
                .map(each -> new TableName(each.schema(), each.table()))
                .toList();
        return this;
    }

    /**
     * Begins to serve.
     *
     * @throws IllegalStateException if the port is taken: caused by a {@link BindException}; or the settings cannot be
     */
    public Console start() {
        Console console = bind();
        try {
            console.serve();
            return console;
        } catch (RuntimeException e) {
            console.close();
            throw e;
        }
    }

    /**
     * Takes the port. Clients can connect, and are answered after {@link Console#serve}: for a program that has other things to start first.
     *
     * @throws IllegalStateException if the port is taken: caused by a {@link BindException}; or the settings cannot be
     */
    public Console bind() {
        ConsoleData data = data();
        ConsoleServer.Settings settings = settings();
        int first = port;
        for (int each = first; each <= Math.min(65_535, first + (next ? MORE_PORTS : 0)); each++) {
            ConsolePort taken = ConsolePort.take(data, settings, each);
            if (taken != null) return new Console(taken);
        }
        throw new IllegalStateException(
                "port " + port + " of " + address + " is taken by another program"
                        + (next ? ", and so are the next " + MORE_PORTS : ""),
                new BindException("the port is taken"));
    }

    /**
     * Opens an agent in this process, without a server: with the settings of the console, where they are no matter of a server.
     *
     * @param token by which it changes what the role of the token may change; null: it reads
     * @throws IllegalArgumentException if the token is not accepted
     * @throws IllegalStateException if the artifact {@code howdah-mcp} is missing
     */
    public Agent agent(@Nullable String token) {
        return new Agent(new AgentSession(data(), settings()), token);
    }

    private ConsoleData data() {
        DataSource source = ActorSource.of(dataSource);
        return new ConsoleData(source, schema, allTables, metrics, new TokenStore(source, schema));
    }

    private ConsoleServer.Settings settings() {
        String version = Objects.requireNonNullElse(Console.class.getPackage().getImplementationVersion(), "");
        return new ConsoleServer.Settings(
                access(), openId, database, label, version, sweeps, workers, shown, monitoring, others);
    }

    private AccessSettings access() {
        boolean isLocal = LOOPBACK.contains(address);
        if (!isLocal && !login)
            throw new IllegalStateException(
                    "at " + address
                            + " others can reach the console: it listens there only with logins (tokens or an OpenID provider)");
        if (!isLocal && proxies.isEmpty())
            throw new IllegalStateException("at " + address
                    + " others can reach the console, and logins would travel unencrypted: it listens there only for a"
                    + " trusted proxy, which does TLS");
        if (!isLocal && hosts.isEmpty())
            throw new IllegalStateException(
                    "at " + address + " the console has to know the host name by which browsers ask for it");
        return new AccessSettings(
                address,
                Set.of("127.0.0.1", "localhost", "[::1]"),
                hosts,
                basePath,
                new TrustedProxies(proxies),
                login,
                Masker.with(maskedKeys, maskedPatterns),
                unmasked ? Set.of(Role.ADMINISTRATOR) : Set.of(),
                auditDays,
                origins,
                channels);
    }
}
