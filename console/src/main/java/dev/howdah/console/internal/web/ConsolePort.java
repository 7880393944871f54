package dev.howdah.console.internal.web;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.access.Secret;
import dev.howdah.console.internal.audit.Audit;
import dev.howdah.console.internal.audit.AuditJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.CountedSource;
import dev.howdah.console.internal.settings.ProgramSettings;
import dev.howdah.console.internal.web.ConsoleServer.Settings;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * A port that the console has taken, and what logs in there. Taking it costs some milliseconds; the server behind it, which has half a second of classes to load, begins later.
 * Clients that connect before it begins wait. Safe for use by many threads.
 */
public final class ConsolePort implements AutoCloseable {
    /** How many clients wait until they are accepted. */
    private static final int BACKLOG = 128;

    private static final int LAST_PRIVILEGED = 1023;

    private final @Nullable ServerSocketChannel channel;
    private final int number;
    private final ConsoleData given;
    private final CountedSource counted;
    private final ConsoleData data;
    private final Settings settings;
    private final Secret forms = new Secret();
    private final AuditStore rows;
    private final Audit audit;
    private final TokenStore tokens;
    private final LoginServer logins;
    private final RequestGuard guard;
    private @Nullable ConsoleServer server;
    private boolean closed;

    private ConsolePort(@Nullable ServerSocketChannel channel, ConsoleData given, Settings settings)
            throws IOException {
        this.channel = channel;
        this.number = channel == null ? 0 : ((InetSocketAddress) channel.getLocalAddress()).getPort();
        this.given = given;
        this.settings = settings;
        counted = new CountedSource(given.source());
        tokens = new TokenStore(counted, given.schema());
        data = new ConsoleData(counted, given.schema(), given.tables(), given.metrics(), tokens);
        AccessSettings access = settings.access();
        rows = new AuditStore(data.source(), data.schema(), access.auditDays());
        audit = new Audit(rows, new AuditJson(access.masker()), data);
        logins = new LoginServer(access, tokens, audit);
        guard = new RequestGuard(access, forms, logins, audit);
        logins.listensOn(number);
        guard.listensOn(number);
    }

    /** Everything but a port, for an agent that is answered in this process. */
    public static ConsolePort none(ConsoleData data, Settings settings) {
        try {
            return new ConsolePort(null, data, settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Takes that port.
     *
     * @return null if another program has it
     * @throws IllegalStateException if this machine does not have the address; caused by a {@link BindException}, if it does not let this program
     *     have the port
     */
    public static @Nullable ConsolePort take(ConsoleData data, Settings settings, int port) {
        String host = settings.access().host();
        InetSocketAddress wanted = new InetSocketAddress(host, port);
        if (wanted.isUnresolved())
            throw new IllegalStateException("the console cannot listen on " + host + ": no such host is known");
        try {
            ServerSocketChannel channel = ServerSocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(wanted, BACKLOG);
                return new ConsolePort(channel, data, settings);
            } catch (BindException e) {
                channel.close();
                // One of these is also refused where the user of this process may not have it.
                if (port > 0 && port <= LAST_PRIVILEGED)
                    throw new IllegalStateException(
                            "the console cannot listen on port " + port + " of " + host + ": " + e.getMessage(), e);
                if (isMine(wanted)) return null;
                throw new IllegalStateException(
                        "the console cannot listen on " + host + ": this machine does not have that address");
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new IllegalStateException("the console cannot listen on " + host + ": " + e.getMessage(), e);
        }
    }

    /** Whether that address is one of this machine: any port of it can be had. */
    private static boolean isMine(InetSocketAddress wanted) throws IOException {
        try (ServerSocketChannel any = ServerSocketChannel.open()) {
            any.bind(new InetSocketAddress(wanted.getAddress(), 0));
            return true;
        } catch (BindException e) {
            return false;
        }
    }

    /** Begins to answer. Does nothing if it has begun, or is closed. */
    public synchronized void serve() {
        if (server == null && !closed) server = ConsoleServer.start(this);
    }

    Connector connector(Server of, HttpConfiguration http) {
        ServerConnector connector = new ServerConnector(of, new HttpConnectionFactory(http));
        // The channel is bound already: this is what Jetty says of it, which is 0.0.0.0 else.
        connector.setHost(settings.access().host());
        connector.setPort(number);
        try {
            connector.open(Objects.requireNonNull(channel, "there is no port"));
        } catch (IOException e) {
            throw new UncheckedIOException("the console cannot use its port", e);
        }
        SlowHeaders headers = new SlowHeaders(
                connector,
                SlowClients.MOST_OF_AN_ADDRESS,
                address -> settings.access().proxies().contains(address));
        connector.addBean(headers);
        connector.addEventListener(new LifeCycle.Listener() {
            @Override
            public void lifeCycleStarted(LifeCycle started) {
                headers.begin();
            }
        });
        return connector;
    }

    ConsoleData given() {
        return given;
    }

    ConsoleData data() {
        return data;
    }

    Settings settings() {
        return settings;
    }

    /** What the page of settings shows. */
    ProgramSettings program() {
        return new ProgramSettings(
                settings.version(),
                settings.label(),
                settings.openId() == null ? null : settings.openId().issuer(),
                settings.sweeps() != null,
                settings.given());
    }

    /** What signs the forms of sessions. */
    Secret forms() {
        return forms;
    }

    AuditStore rows() {
        return rows;
    }

    Audit audit() {
        return audit;
    }

    TokenStore tokens() {
        return tokens;
    }

    LoginServer logins() {
        return logins;
    }

    RequestGuard guard() {
        return guard;
    }

    long sessionsTaken() {
        return counted.taken();
    }

    public int number() {
        return number;
    }

    /** The path of a link that opens the console. */
    public String loginPath() {
        return logins.path();
    }

    /** What {@code howdah console} has to show for another link. */
    public String secret() {
        return logins.secret();
    }

    /** The methods and paths of all routes, in their order; none before it answers. */
    public synchronized List<String> routes() {
        return server == null ? List.of() : server.routes();
    }

    /** Ends all requests and gives the port back. */
    @Override
    public synchronized void close() {
        closed = true;
        if (server != null) server.close();
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the console cannot give its port back", e);
        }
    }
}
