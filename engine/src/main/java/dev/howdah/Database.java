package dev.howdah;

import dev.howdah.internal.conninfo.Conninfo;
import dev.howdah.internal.conninfo.JdbcUrl;
import dev.howdah.internal.conninfo.Keyword;
import dev.howdah.internal.conninfo.LiveSockets;
import dev.howdah.internal.conninfo.PasswordFile;
import dev.howdah.internal.conninfo.PromptSockets;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * The address of a database, with all that is needed to connect.
 *
 * <p>Made from a connection string in any of the three forms in use: a URI ({@code postgresql://user@host/name}),
 * libpq's words ({@code host=localhost dbname=name}) or a URL of JDBC ({@code jdbc:postgresql://host/name?user=me}).
 * What it leaves open comes from the places psql looks in: a service file, the environment ({@code PGHOST} and so
 * on), a password file; then defaults: host {@code localhost}, port 5432, the user's name in the operating system,
 * and a database named like the user.
 *
 * <p>No message, and no text made by {@link #toString}, holds a password. Immutable and safe for use by many threads.
 */
public final class Database {
    private static final Map<String, String> SERVER_TYPES = Map.of(
            "any", "any",
            "primary", "primary",
            "read-write", "primary",
            "standby", "secondary",
            "read-only", "secondary",
            "prefer-standby", "preferSecondary");

    private final Map<String, String> words;
    private final Path home;
    private final List<HostPort> hosts;

    /**
     * One server.
     *
     * @param host a name or address, or a directory of Unix sockets (it begins with a slash)
     */
    public record HostPort(String host, int port) {
        /** Returns true for a directory of Unix sockets. */
        public boolean isUnixSocket() {
            return host.startsWith("/");
        }

        /** {@code host:port}, with an IPv6 address in brackets. */
        @Override
        public String toString() {
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        }
    }

    private Database(Map<String, String> words, Path home) {
        this.words = words;
        this.home = home;
        this.hosts = readHosts(words);
    }

    /**
     * The database that this text and the environment of the process describe; an empty text leaves all to the
     * environment.
     *
     * @throws DatabaseAddressException if the text, the environment or a service file cannot be understood
     */
    public static Database of(String text) {
        return of(text, System.getenv());
    }

    /** As {@link #of(String)}, with an environment of one's own. */
    public static Database of(String text, Map<String, String> environment) {
        return new Database(Conninfo.resolve(text, environment), Conninfo.home(environment));
    }

    /**
     * The database that this text alone describes, for texts of users that must not get what belongs to this process:
     * nothing is taken from its environment, and a service, a password file or a certificate may not be named.
     *
     * @throws DatabaseAddressException if the text cannot be understood, or names such a thing
     */
    public static Database ofTextAlone(String text) {
        return new Database(Conninfo.resolveAlone(text), Conninfo.home(Map.of()));
    }

    private static List<HostPort> readHosts(Map<String, String> words) {
        String[] names = words.getOrDefault("host", "").split(",", -1);
        String[] addresses = words.getOrDefault("hostaddr", "").split(",", -1);
        String[] ports = words.getOrDefault("port", "").split(",", -1);
        int count = Math.max(names.length, addresses.length);
        boolean addressGiven = !words.getOrDefault("hostaddr", "").isEmpty();
        if (addressGiven && words.containsKey("host") && names.length != addresses.length)
            throw new DatabaseAddressException(
                    "could not match " + names.length + " host names to " + addresses.length + " hostaddr values");
        if (ports.length != 1 && ports.length != count)
            throw new DatabaseAddressException(
                    "could not match " + ports.length + " port numbers to " + count + " hosts");
        List<HostPort> hosts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = i < names.length ? names[i].strip() : "";
            String host = addressGiven && !addresses[i].isBlank() ? addresses[i].strip() : name;
            hosts.add(
                    new HostPort(host.isEmpty() ? "localhost" : host, Keyword.port(ports[ports.length == 1 ? 0 : i])));
        }
        return List.copyOf(hosts);
    }

    /** The user to connect as. */
    public String user() {
        String user = parameter("user");
        return user != null ? user : Objects.requireNonNullElse(System.getProperty("user.name"), "");
    }

    /** The name of the database. */
    public String database() {
        String name = parameter("dbname");
        return name != null ? name : user();
    }

    /** The servers, in the order they are to be tried; {@code hostaddr}, where given, takes the place of the name. */
    public List<HostPort> hosts() {
        return hosts;
    }

    /**
     * The value of a keyword of libpq ({@code sslmode}, {@code options}, ...) as text, service or environment gave
     * it; null if none of them did or the value is empty.
     */
    public @Nullable String parameter(String keyword) {
        String value = words.get(keyword);
        return value == null || value.isEmpty() ? null : value;
    }

    /** The password for that server: the one given, or the one in the password file; null if there is none. */
    public @Nullable String password(HostPort server) {
        String given = parameter("password");
        if (given != null) return given;
        String file = parameter("passfile");
        return new PasswordFile(file != null ? Path.of(file) : home.resolve(".pgpass"))
                .password(server.host(), server.port(), database(), user());
    }

    /** Returns the timeout of one attempt to reach one server. Zero means no limit. Defaults to 10 seconds. */
    public Duration connectTimeout() {
        String seconds = parameter("connect_timeout");
        return Duration.ofSeconds(seconds == null ? 10 : Math.max(0, Integer.parseInt(seconds.strip())));
    }

    /**
     * The TLS mode, by libpq's rules: {@code prefer} unless given, and {@code require} means {@code verify-ca} when
     * there is a root certificate to verify by.
     */
    public String sslMode() {
        String mode = Objects.requireNonNullElse(parameter("sslmode"), "prefer");
        boolean root = parameter("sslrootcert") != null || Files.exists(home.resolve(".postgresql/root.crt"));
        return mode.equals("require") && root ? "verify-ca" : mode;
    }

    /** Returns the application name of sessions. Defaults to {@code howdah}. */
    public String applicationName() {
        String name = parameter("application_name");
        return name != null ? name : Objects.requireNonNullElse(parameter("fallback_application_name"), "howdah");
    }

    /** Another database of the same servers. */
    public Database withDatabase(String name) {
        return with("dbname", name);
    }

    /** The same database as another user; a password that was given stays. */
    public Database withUser(String name) {
        return with("user", name);
    }

    /**
     * This database with one keyword of libpq changed; an empty value restores the default.
     *
     * @throws DatabaseAddressException if there is no such keyword, or it cannot have this value
     */
    public Database with(String keyword, String value) {
        Keyword.check(keyword, value);
        if (keyword.startsWith("service"))
            throw new DatabaseAddressException("\"" + keyword + "\" can only be given in the connection string");
        Map<String, String> changed = new LinkedHashMap<>(words);
        changed.put(keyword, value);
        return new Database(changed, home);
    }

    /** This database on that one of its servers only. */
    public Database withServer(HostPort server) {
        Map<String, String> changed = new LinkedHashMap<>(words);
        changed.remove("hostaddr");
        changed.put("host", server.host());
        changed.put("port", Integer.toString(server.port()));
        return new Database(changed, home);
    }

    /**
     * The same address with that server before the others, which keep their order; without {@code load_balance_hosts}, so that
     * they are tried in it.
     *
     * @param server one of {@link #hosts}; the address is unchanged where it is none of them
     */
    public Database beginningWith(HostPort server) {
        int place = hosts.indexOf(server);
        if (place < 0 || place == 0 && parameter("load_balance_hosts") == null) return this;
        Map<String, String> changed = new LinkedHashMap<>(words);
        for (String list : List.of("host", "hostaddr", "port")) {
            List<String> values =
                    new ArrayList<>(List.of(words.getOrDefault(list, "").split(",", -1)));
            if (values.size() != hosts.size()) continue; // one port for all, or no addresses
            values.add(0, values.remove(place));
            changed.put(list, String.join(",", values));
        }
        changed.remove("load_balance_hosts");
        return new Database(changed, home);
    }

    /** A new connection of pgjdbc, which the caller closes. */
    public Connection connect() throws SQLException {
        return connect(new Properties());
    }

    /**
     * A new connection of pgjdbc, which the caller closes.
     *
     * @param extra properties of pgjdbc that go before those made from this address
     * @throws SQLException as the driver does, or if a host is a directory of Unix sockets, which JDBC cannot reach
     */
    public Connection connect(Properties extra) throws SQLException {
        for (HostPort server : hosts)
            if (server.isUnixSocket())
                throw new SQLException(
                        "JDBC cannot use the Unix socket in " + server.host() + ": a host name or address is needed",
                        "08001");
        List<SQLException> failures = new ArrayList<>();
        for (Properties wanted : inOrderOfPreference(extra)) {
            for (HostPort server : inOrder()) {
                try {
                    return connectTo(server, wanted);
                } catch (SQLException e) {
                    failures.add(e);
                }
            }
        }
        throw failure(failures);
    }

    /** The servers in the order in which they are tried this time. */
    private List<HostPort> inOrder() {
        if (!"random".equals(parameter("load_balance_hosts"))) return hosts;
        List<HostPort> shuffled = new ArrayList<>(hosts);
        Collections.shuffle(shuffled);
        return shuffled;
    }

    /** What is asked of a server, and what is asked of it where none has that. */
    private List<Properties> inOrderOfPreference(Properties extra) {
        Properties properties = jdbcProperties();
        extra.stringPropertyNames().forEach(name -> properties.setProperty(name, extra.getProperty(name)));
        PromptSockets.replaceIn(properties);
        if (!"preferSecondary".equals(properties.getProperty("targetServerType"))) return List.of(properties);
        Properties secondary = new Properties();
        secondary.putAll(properties);
        secondary.setProperty("targetServerType", "secondary");
        properties.setProperty("targetServerType", "any");
        return List.of(secondary, properties);
    }

    /**
     * One server at a time, because the driver has one deadline for all of them together, of which a server that takes the
     * connection and then says nothing would leave nothing to the others. Within the time to connect each answer at the
     * start of the session has to come, too: an attempt that was given up would otherwise wait for ever.
     */
    private Connection connectTo(HostPort server, Properties properties) throws SQLException {
        Properties one = new Properties();
        one.putAll(properties);
        String password = password(server);
        if (password != null && !one.containsKey("password")) one.setProperty("password", password);
        String later = properties.getProperty("socketTimeout");
        long seconds = connectTimeout().toSeconds();
        if (seconds > 0) one.setProperty("socketTimeout", Long.toString(seconds));
        String url = "jdbc:postgresql://" + server + "/" + Conninfo.percentEncode(database());
        Connection connection;
        try {
            connection = new Driver().connect(url, one);
        } catch (SQLException e) {
            // The driver says only that the attempt failed.
            if (e.getCause() instanceof UnknownHostException)
                throw new SQLException("unknown host \"" + server.host() + "\"", e.getSQLState(), e);
            throw e;
        }
        if (connection == null) throw new SQLException("pgjdbc does not accept the address " + this, "08001");
        if (seconds > 0) connection.setNetworkTimeout(Runnable::run, later == null ? 0 : millis(later));
        return connection;
    }

    private static int millis(String seconds) {
        return (int) Math.min(Integer.parseInt(seconds.strip()) * 1000L, Integer.MAX_VALUE);
    }

    private SQLException failure(List<SQLException> failures) {
        SQLException last = failures.get(failures.size() - 1);
        if (hosts.size() == 1) return last;
        String reasons = failures.stream()
                .map(each -> String.valueOf(each.getMessage()))
                .distinct()
                .collect(Collectors.joining("; "));
        SQLException all =
                new SQLException("no server of " + describe() + " can be used: " + reasons, last.getSQLState(), last);
        failures.stream().filter(each -> each != last).forEach(all::addSuppressed);
        return all;
    }

    private Properties jdbcProperties() {
        Properties properties = new Properties();
        words.forEach((keyword, value) -> {
            if (keyword.startsWith(JdbcUrl.PREFIX))
                properties.setProperty(keyword.substring(JdbcUrl.PREFIX.length()), value);
        });
        properties.setProperty("user", user());
        long seconds = connectTimeout().toSeconds();
        properties.setProperty("connectTimeout", Long.toString(seconds));
        properties.setProperty("loginTimeout", Long.toString(seconds));
        properties.setProperty("tcpKeepAlive", Boolean.toString(!"0".equals(parameter("keepalives"))));
        properties.setProperty("ApplicationName", applicationName());
        properties.setProperty("sslmode", sslMode());
        String attributes = Objects.requireNonNullElse(parameter("target_session_attrs"), "any");
        properties.setProperty("targetServerType", SERVER_TYPES.getOrDefault(attributes, "any"));
        if (hosts.size() > 1) properties.putIfAbsent("hostRecheckSeconds", "0");
        LiveSockets.KeepAlive.of(this::parameter).addTo(properties);
        copy(properties, "channel_binding", "channelBinding");
        for (String same : List.of("options", "sslrootcert", "sslcert", "sslkey", "sslpassword"))
            copy(properties, same, same);
        return properties;
    }

    private void copy(Properties properties, String keyword, String property) {
        String value = parameter(keyword);
        if (value != null) properties.setProperty(property, value);
    }

    /** For messages: {@code database "x" at host:port as user "y"}. */
    public String describe() {
        return "database \"" + database() + "\" at "
                + hosts.stream().map(HostPort::toString).collect(Collectors.joining(",")) + " as user \"" + user()
                + "\"";
    }

    /** The address as a URI, without its secrets. */
    @Override
    public String toString() {
        String servers = hosts.stream()
                .map(h -> h.isUnixSocket() ? Conninfo.percentEncode(h.host()) + ":" + h.port() : h.toString())
                .collect(Collectors.joining(","));
        String query = words.entrySet().stream()
                .filter(word -> isShown(word.getKey()) && !word.getValue().isEmpty())
                .map(word -> word.getKey() + "=" + Conninfo.percentEncode(word.getValue()))
                .collect(Collectors.joining("&"));
        return "postgresql://" + Conninfo.percentEncode(user()) + "@" + servers + "/"
                + Conninfo.percentEncode(database()) + (query.isEmpty() ? "" : "?" + query);
    }

    private static boolean isShown(String keyword) {
        return !Keyword.isSecret(keyword)
                && !keyword.startsWith(JdbcUrl.PREFIX)
                && !List.of("user", "host", "hostaddr", "port", "dbname").contains(keyword);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Database that && words.equals(that.words) && home.equals(that.home);
    }

    @Override
    public int hashCode() {
        return words.hashCode();
    }
}
