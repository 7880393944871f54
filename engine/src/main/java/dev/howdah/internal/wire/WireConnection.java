package dev.howdah.internal.wire;

import dev.howdah.Database;
import dev.howdah.internal.wire.transport.Deadline;
import dev.howdah.internal.wire.transport.Endpoint;
import dev.howdah.internal.wire.transport.Transport;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A session with a server. See the package's description for how it works.
 *
 * <p>For one thread at a time, except {@link #cancel()}, {@link #abort()}, {@link #backendPid()}, {@link
 * #waitingSince()}, {@link #address()} and {@link #isOpen()}, which any thread may call at any time.
 */
public final class WireConnection implements AutoCloseable {
    private static final int VERSION_3_0 = 3 << 16;
    private static final WireListener NOBODY = new WireListener() {};

    private final Database database;
    private final Endpoint endpoint;
    private final Transport transport;
    private final MessageReader reader;
    private final MessageWriter writer;
    private final Map<String, String> parameters = new HashMap<>();
    private volatile int backendPid;
    private volatile byte[] cancelKey = new byte[0];
    private volatile boolean open = true;
    private volatile boolean aborted;
    private boolean passwordAsked;
    private char transactionStatus = 'I';
    private Charset charset = StandardCharsets.UTF_8;
    /** A server that crashes says why in a warning and then hangs up. */
    private @Nullable ServerMessage lastWarning;

    private int[] offsets = new int[0];
    private int[] lengths = new int[0];

    WireConnection(Database database, Endpoint endpoint, Transport transport) {
        this.database = database;
        this.endpoint = endpoint;
        this.transport = transport;
        this.reader = new MessageReader(transport.in());
        this.writer = new MessageWriter(transport.out());
    }

    /**
     * Connects and logs in, trying the hosts in order.
     *
     * @param startup parameters of the session beside those that the database gives; {@code options} are appended
     *     to the database's, others go before them. {@code client_encoding} defaults to UTF8, and should stay so
     * @param timeout for each attempt to reach one address; zero means no limit
     * @throws WireException if no host could be reached, or one refused the log-in
     */
    public static WireConnection open(Database database, Map<String, String> startup, Duration timeout)
            throws WireException {
        return new Opening(database, startup, timeout).open();
    }

    /** The start-up packet, the log-in, and all that the server says before it is ready. */
    void logIn(Map<String, String> startup) throws IOException {
        writer.beginUntyped().int32(VERSION_3_0);
        startupParameters(startup)
                .forEach((name, value) ->
                        writer.string(Encodings.encode(name, charset)).string(Encodings.encode(value, charset)));
        writer.string(new byte[0]).end().flush();
        StartupAuthentication authentication = new StartupAuthentication(database, endpoint, transport.tls(), writer);
        boolean authenticated = false;
        for (; ; ) {
            char type = reader.next();
            switch (type) {
                case 'R' -> authenticated = authentication.answer(reader);
                case 'E' -> throw WireException.of("cannot connect to " + place(), serverMessage());
                case 'K' -> {
                    backendPid = reader.int32();
                    cancelKey = reader.bytes(reader.remaining());
                }
                case 'v' -> {} // NegotiateProtocolVersion: a server that is older than what we ask for, by its minor
                // version
                case 'Z' -> {
                    if (!authenticated) throw new ProtocolException("ready before the log-in was done");
                    transactionStatus = reader.int8();
                    passwordAsked = authentication.passwordAsked();
                    return;
                }
                default -> aside(type, NOBODY);
            }
        }
    }

    private Map<String, String> startupParameters(Map<String, String> startup) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("user", database.user());
        all.put("database", database.database());
        all.put("application_name", database.applicationName());
        all.put("client_encoding", "UTF8");
        all.putAll(startup);
        String options = Objects.requireNonNullElse(database.parameter("options"), "");
        String both = (options + " " + startup.getOrDefault("options", "")).strip();
        if (!both.isEmpty()) all.put("options", both);
        return all;
    }

    /** The process of this session in the server. */
    public int backendPid() {
        return backendPid;
    }

    /** A setting that the server reports, with its value of now: {@code server_version}, {@code TimeZone}, ... */
    public @Nullable String parameter(String name) {
        return parameters.get(name);
    }

    /** {@code I}: no transaction; {@code T}: in a transaction; {@code E}: in a failed transaction. */
    public char transactionStatus() {
        return transactionStatus;
    }

    /** The character set of everything sent and received. */
    public Charset charset() {
        return charset;
    }

    /** Returns whether the server wanted a password before it let this session in. */
    public boolean passwordAsked() {
        return passwordAsked;
    }

    /** Returns whether the bytes of this session go through TLS. */
    public boolean isEncrypted() {
        return transport.tls() != null;
    }

    /** The server that it has found, as another connection to it needs it. */
    public Database address() {
        return database.withServer(endpoint.server());
    }

    /**
     * Since when nothing has come of an answer that is waited for, or nothing has gone of what is to be sent, by {@link
     * System#nanoTime}; 0 if neither. May be called by any thread.
     */
    public long waitingSince() {
        long writing = writer.waitingSince();
        return writing != 0 ? writing : reader.waitingSince();
    }

    /** Returns whether this is not closed and no loss has been seen yet. */
    public boolean isOpen() {
        return open;
    }

    /**
     * Sends the text as one message, which may hold several statements, and returns when the server is ready again.
     *
     * @throws WireException if the connection is lost; an ERROR of the server goes to the listener
     * @throws IllegalArgumentException if the text has a NUL or a character that the session's encoding does not have
     */
    public void query(String sql, WireListener listener) throws WireException {
        query(Encodings.encode(sql, charset), listener);
    }

    /** As {@link #query(String, WireListener)}, with a text that is in the session's encoding already. */
    public void query(byte[] sql, WireListener listener) throws WireException {
        writeQuery(sql);
        send(listener);
        answer(listener, false);
    }

    /**
     * Executes one statement with parameters {@code $1}, {@code $2}, ... given as text, null for NULL, in one round trip.
     *
     * @throws WireException if the connection is lost; an ERROR of the server goes to the listener
     * @throws IllegalArgumentException if a text has a NUL or a character that the session's encoding does not have
     */
    public void execute(String sql, List<@Nullable String> values, WireListener listener) throws WireException {
        writeStatement(sql, values, true);
        writer.begin('S').end();
        send(listener);
        answer(listener, true);
    }

    /** Several requests in one write; nothing else may be asked before all of them are answered. */
    public WirePipeline pipeline() {
        return new WirePipeline(this);
    }

    /** A text as one message. */
    void writeQuery(String sql) {
        writeQuery(Encodings.encode(sql, charset));
    }

    private void writeQuery(byte[] sql) {
        for (byte b : sql)
            if (b == 0) throw new IllegalArgumentException("PostgreSQL does not accept NUL characters in text");
        writer.begin('Q').string(sql).end();
    }

    /** One statement of the extended protocol, without the Sync that has to follow. */
    void writeStatement(String sql, List<@Nullable String> values, boolean described) {
        if (values.size() > 0xffff) throw new IllegalArgumentException("more than 65535 parameters");
        byte[] text = Encodings.encode(sql, charset);
        List<byte @Nullable []> encoded = new ArrayList<>();
        for (String value : values) encoded.add(value == null ? null : Encodings.encode(value, charset));
        writer.begin('P').string(new byte[0]).string(text).int16(0).end();
        writer.begin('B').string(new byte[0]).string(new byte[0]).int16(0).int16(encoded.size());
        for (byte[] value : encoded) {
            if (value == null) writer.int32(-1);
            else writer.int32(value.length).bytes(value);
        }
        writer.int16(0).end();
        if (described) writer.begin('D').bytes(new byte[] {'P', 0}).end();
        writer.begin('E').string(new byte[0]).int32(0).end();
    }

    /** Forgets what was written and not sent. */
    void unwrite() {
        writer.clear();
    }

    private interface Exchange {
        void run() throws IOException;
    }

    /** Sends what was written. */
    void send(WireListener listener) throws WireException {
        guard(() -> {
            if (!open) throw closed(null);
            while (reader.hasInput()) aside(reader.next(), listener);
            flush(listener);
        });
    }

    /** Reads the answer to one request. */
    void answer(WireListener listener, boolean extended) throws WireException {
        guard(() -> read(listener, extended));
    }

    /**
     * Reads the answer to statements that were sent without a Sync.
     *
     * @param count of the statements
     * @return null when all of them have succeeded; else the error, after which the server has left out whatever else
     *     was sent, and is ready again
     */
    @Nullable
    ServerMessage guardAnswer(int count) throws WireException {
        @Nullable ServerMessage[] refused = {null};
        guard(() -> {
            for (int done = 0; done < count && refused[0] == null; ) {
                char type = reader.next();
                switch (type) {
                    case 'C' -> done++;
                    case 'E' -> {
                        ServerMessage message = serverMessage();
                        if (message.isFatal()) throw lost(message);
                        refused[0] = message;
                    }
                    case '1', '2', 'n', 'D', 'I' -> {}
                    default -> aside(type, NOBODY);
                }
            }
            if (refused[0] == null) return;
            writer.begin('S').end();
            flush(NOBODY);
            read(NOBODY, true);
        });
        return refused[0];
    }

    /** Whatever goes wrong in the middle of an exchange closes the session. */
    private void guard(Exchange exchange) throws WireException {
        try {
            exchange.run();
        } catch (WireException e) {
            disconnect();
            throw e;
        } catch (IOException e) {
            disconnect();
            throw closed(e);
        } catch (RuntimeException | Error e) {
            disconnect();
            throw e;
        } finally {
            if (!open) writer.clear();
        }
    }

    private void flush(WireListener listener) throws IOException {
        try {
            writer.flush();
        } catch (IOException e) {
            lastWords(listener, e);
            throw e;
        }
    }

    /** A server that ends a session says why before it hangs up: look for that when writing fails. */
    private void lastWords(WireListener listener, IOException failure) throws WireException {
        try {
            for (; ; ) aside(reader.next(), listener);
        } catch (WireException e) {
            e.addSuppressed(failure);
            throw e;
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void read(WireListener listener, boolean extended) throws IOException {
        for (; ; ) {
            char type = reader.next(listener);
            switch (type) {
                case MessageReader.LEFT_OUT -> {}
                case 'D' -> row(listener);
                case 'd' -> listener.copyData(reader.buffer(), reader.position(), reader.remaining());
                case 'T' -> columns(listener);
                case 'C' -> listener.complete(reader.string(charset));
                case 'I' -> listener.empty();
                case 'E' -> {
                    ServerMessage message = serverMessage();
                    if (message.isFatal()) throw lost(message);
                    listener.error(message);
                }
                case 'G' -> refuseCopy(extended);
                case '1', '2', 'n', 'H', 'c' -> {} // parsed, bound, no rows to come, COPY begins, COPY ends
                case 'Z' -> {
                    transactionStatus = reader.int8();
                    return;
                }
                default -> aside(type, listener);
            }
        }
    }

    /** Messages that may come at any time. */
    private void aside(char type, WireListener listener) throws IOException {
        switch (type) {
            case 'N' -> {
                ServerMessage message = serverMessage();
                if (message.code().startsWith("57P")) lastWarning = message;
                listener.notice(message);
            }
            case 'S' -> setParameter(reader.string(charset), reader.string(charset));
            case 'A' -> {} // a notification: listeners use another kind of session
            case 'E' -> throw lost(serverMessage());
            default -> throw new ProtocolException("unexpected message of type 0x" + Integer.toHexString(type));
        }
    }

    private void setParameter(String name, String value) {
        parameters.put(name, value);
        if (name.equals("client_encoding") || name.equals("server_encoding")) {
            String client = parameters.getOrDefault("client_encoding", "UTF8");
            // SQL_ASCII stands for no conversion: what comes is what the server has.
            boolean raw = client.equals("SQL_ASCII");
            charset = Encodings.charset(raw ? parameters.getOrDefault("server_encoding", "") : client);
        }
    }

    private void row(WireListener listener) throws ProtocolException {
        int count = reader.int16();
        if (count != offsets.length) {
            offsets = new int[count];
            lengths = new int[count];
        }
        for (int i = 0; i < count; i++) {
            int length = reader.int32();
            offsets[i] = reader.position();
            lengths[i] = length;
            if (length > 0) reader.skip(length);
            else if (length < -1) throw new ProtocolException("value of length " + length);
        }
        listener.row(reader.buffer(), offsets, lengths);
    }

    private void columns(WireListener listener) throws ProtocolException {
        int count = reader.int16();
        List<WireColumn> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String name = reader.string(charset);
            reader.skip(6); // table and column there
            columns.add(new WireColumn(name, reader.int32()));
            reader.skip(8); // size, modifier, format
        }
        listener.columns(List.copyOf(columns));
    }

    /** In COPY mode the server reads over the Sync that was sent with the request, so another one has to follow. */
    private void refuseCopy(boolean extended) throws IOException {
        writer.begin('f')
                .string("COPY FROM STDIN is not supported", StandardCharsets.US_ASCII)
                .end();
        if (extended) writer.begin('S').end();
        writer.flush();
    }

    private ServerMessage serverMessage() throws ProtocolException {
        Map<Character, String> fields = new HashMap<>();
        for (char field = reader.int8(); field != 0; field = reader.int8()) fields.put(field, reader.string(charset));
        return new ServerMessage(fields);
    }

    /**
     * Asks the server, over a connection of its own, to stop what this session is doing, and returns when the server
     * has passed it on. It is too late if the statement has ended by then; it may hit the next one.
     */
    public void cancel() throws IOException {
        new CancelRequest(database, endpoint, isEncrypted()).send(backendPid, cancelKey);
    }

    /** Closes the socket at once. A call of another thread that is waiting for the server throws a WireException. */
    public void abort() {
        aborted = true;
        disconnect();
    }

    /** Says good-bye and closes. The server rolls an open transaction back. */
    @Override
    public void close() {
        if (!open) return;
        try (Deadline deadline = new Deadline(Duration.ofSeconds(1), transport)) {
            writer.clear();
            writer.begin('X').end().flush();
        } catch (IOException e) {
            // It is being closed: no caller is left to tell.
        } finally {
            disconnect();
        }
    }

    private void disconnect() {
        open = false;
        try {
            transport.close();
        } catch (IOException e) {
            // The descriptor is gone all the same.
        }
    }

    private String place() {
        return database.withServer(endpoint.server()).describe();
    }

    private WireException lost(ServerMessage message) {
        return WireException.of("the connection to " + place() + " was ended by the server", message);
    }

    private WireException closed(@Nullable IOException cause) {
        if (aborted || cause == null)
            return new WireException("the connection to " + place() + " was closed", "08003", null, cause);
        ServerMessage warning = lastWarning;
        if (warning != null && !(cause instanceof ProtocolException))
            return new WireException(
                    "the connection to " + place() + " was ended by the server: " + warning,
                    warning.code(),
                    warning,
                    cause);
        return new WireException(
                "the connection to " + place() + " was lost: " + cause.getMessage(),
                cause instanceof ProtocolException ? "08P01" : "08006",
                null,
                cause);
    }

    @Override
    public String toString() {
        return "WireConnection[" + place() + ", pid " + backendPid + (open ? "" : ", closed") + "]";
    }
}
