package dev.howdah.internal.wire;

import dev.howdah.Database;
import dev.howdah.Database.HostPort;
import dev.howdah.internal.wire.transport.Deadline;
import dev.howdah.internal.wire.transport.Endpoint;
import dev.howdah.internal.wire.transport.Transport;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** One way through hosts, addresses and TLS modes to a session. */
final class Opening {
    /** The server is starting up, shutting down or recovering: another host may be better. */
    private static final String CANNOT_CONNECT_NOW = "57P03";
    /** No line in pg_hba.conf, which has lines for TLS and for none. */
    private static final String INVALID_AUTHORIZATION = "28000";

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Database database;
    private final Map<String, String> startup;
    private final Duration timeout;
    private final List<WireException> failures = new ArrayList<>();

    Opening(Database database, Map<String, String> startup, Duration timeout) {
        this.database = database;
        this.startup = startup;
        this.timeout = timeout;
    }

    WireConnection open() throws WireException {
        SessionKind wanted =
                SessionKind.of(Objects.requireNonNullElse(database.parameter("target_session_attrs"), "any"));
        for (SessionKind kind : wanted.inOrder()) {
            for (HostPort server : servers()) {
                WireConnection connection = tryServer(server, kind);
                if (connection != null) return connection;
            }
        }
        throw failure(failures.get(0));
    }

    /** What ended the search, with all that was met before it. */
    private WireException failure(WireException decisive) {
        // With TLS and without it a server mostly refuses for the same reason.
        boolean same = failures.stream().map(Throwable::getMessage).distinct().count() == 1;
        if (same) return decisive;
        StringBuilder text = new StringBuilder("cannot connect to " + database.describe());
        failures.stream()
                .map(Throwable::getMessage)
                .distinct()
                .forEach(m -> text.append("\n  ").append(m));
        WireException all = new WireException(text.toString(), decisive.sqlState(), decisive.serverMessage(), decisive);
        failures.stream().filter(f -> f != decisive).forEach(all::addSuppressed);
        return all;
    }

    private List<HostPort> servers() {
        List<HostPort> servers = new ArrayList<>(database.hosts());
        if ("random".equals(database.parameter("load_balance_hosts"))) Collections.shuffle(servers);
        return servers;
    }

    /** Null if the next server is to be tried. */
    private @Nullable WireConnection tryServer(HostPort server, SessionKind kind) throws WireException {
        List<Endpoint> endpoints;
        try {
            endpoints = Endpoint.of(server);
        } catch (IOException e) {
            failures.add(unreachable(server, e));
            return null;
        }
        for (Endpoint endpoint : endpoints) {
            WireConnection connection = tryModes(endpoint, kind);
            if (connection != null) return connection;
        }
        return null;
    }

    private @Nullable WireConnection tryModes(Endpoint endpoint, SessionKind kind) throws WireException {
        List<Tls> modes = endpoint.isUnixSocket() ? List.of(Tls.NO) : Tls.modes(database.sslMode());
        for (int i = 0; i < modes.size(); i++) {
            boolean last = i + 1 == modes.size();
            try {
                return attempt(endpoint, modes.get(i), kind);
            } catch (WireException e) {
                boolean otherMode = !last && e.sqlState().equals(INVALID_AUTHORIZATION) && e.serverMessage() != null;
                boolean otherServer = e instanceof WrongKind || e.sqlState().equals(CANNOT_CONNECT_NOW);
                failures.add(e);
                if (!otherMode && !otherServer) throw failure(e);
                if (otherServer) return null;
            } catch (SSLException e) {
                failures.add(unreachable(endpoint.server(), e));
                if (last) return null;
            } catch (IOException e) {
                failures.add(unreachable(endpoint.server(), e));
                return null;
            }
        }
        return null;
    }

    private WireConnection attempt(Endpoint endpoint, Tls mode, SessionKind kind) throws IOException {
        long begun = System.nanoTime();
        Transport plain = endpoint.connect(database, timeout);
        boolean done = false;
        // One deadline for all of it: the connection, TLS, and what is said until the session is ready.
        try (Deadline deadline = new Deadline(left(begun), plain)) {
            try {
                WireConnection connection = new WireConnection(database, endpoint, secure(plain, endpoint, mode));
                connection.logIn(startup);
                kind.check(connection, endpoint.server());
                done = true;
                return connection;
            } catch (IOException e) {
                if (!deadline.passed()) throw e;
                throw new IOException("no answer within " + timeout.toMillis() + " ms", e);
            }
        } finally {
            if (!done) plain.close();
        }
    }

    private Duration left(long begun) {
        if (timeout.isZero()) return timeout;
        Duration left = timeout.minusNanos(System.nanoTime() - begun);
        return left.compareTo(SHORTEST) > 0 ? left : SHORTEST;
    }

    private Transport secure(Transport plain, Endpoint endpoint, Tls mode) throws IOException {
        if (mode == Tls.NO) return plain;
        Transport secured =
                new TlsUpgrade(database).upgrade(plain, endpoint.server().host());
        if (secured != null) return secured;
        if (mode == Tls.IF_OFFERED) return plain;
        throw new SSLException("the server does not support TLS, but sslmode is " + database.sslMode());
    }

    private WireException unreachable(HostPort server, IOException e) {
        String why = e instanceof UnknownHostException
                ? "unknown host \"" + server.host() + "\""
                : Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
        return new WireException(
                "cannot connect to " + database.withServer(server).describe() + ": " + why, "08001", null, e);
    }

    /** The use of TLS in one attempt. */
    private enum Tls {
        NO,
        IF_OFFERED,
        YES;

        static List<Tls> modes(String sslMode) {
            return switch (sslMode) {
                case "disable" -> List.of(NO);
                case "allow" -> List.of(NO, YES);
                case "prefer" -> List.of(IF_OFFERED, NO);
                default -> List.of(YES);
            };
        }
    }
}
