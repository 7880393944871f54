package dev.howdah.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.howdah.Database;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a real server does not do: lie, crash on cue, or ask for what we do not have. */
class FalseServerTest {
    private static final byte[] OK = message('R', ints(0));
    private static final byte[] KEY = message('K', ints(7, 8));
    private static final byte[] READY = message('Z', new byte[] {'I'});

    private final ServerSocket listener;
    private final Database address;
    private CompletableFuture<Void> session = CompletableFuture.completedFuture(null);

    FalseServerTest() throws IOException {
        listener = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
        address = Database.of(
                "host=127.0.0.1 user=me password=hunter2 sslmode=disable port=" + listener.getLocalPort(), Map.of());
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
        session.join();
    }

    /** Reads the start-up packet and then answers each message, the first of them included, with the next of these. */
    private void answer(byte[]... answers) {
        session = CompletableFuture.runAsync(() -> {
            try (Socket socket = listener.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                OutputStream out = socket.getOutputStream();
                in.skipNBytes(in.readInt() - 4);
                for (byte[] answer : answers) {
                    if (answer != answers[0]) {
                        in.readByte();
                        in.skipNBytes(in.readInt() - 4);
                    }
                    out.write(answer);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static byte[] message(char type, byte[] body) {
        return ByteBuffer.allocate(5 + body.length)
                .put((byte) type)
                .putInt(4 + body.length)
                .put(body)
                .array();
    }

    private static byte[] ints(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length);
        for (int value : values) buffer.putInt(value);
        return buffer.array();
    }

    private static byte[] all(byte[]... parts) {
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        for (byte[] part : parts) buffer.put(part);
        byte[] exact = new byte[buffer.position()];
        buffer.flip().get(exact);
        return exact;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private WireConnection open() throws WireException {
        return WireConnection.open(address, Map.of(), Duration.ofSeconds(10));
    }

    private WireException failure() {
        return catchThrowableOfType(WireException.class, () -> open().close());
    }

    @Test
    void logIn_byAnUnknownMethod_namesIt() {
        answer(message('R', ints(7)));
        assertThat(failure()).hasMessageContaining("asks for authentication by GSSAPI, which is not supported");
    }

    @Test
    void logIn_byAnUnknownMechanism_namesIt() {
        answer(message('R', all(ints(10), text("OAUTHBEARER\0\0"))));
        assertThat(failure()).hasMessageContaining("asks for authentication by OAUTHBEARER, which is not supported");
    }

    @Test
    void logIn_ofAServerThatSkipsItsProof_isNotBelieved() {
        answer(message('R', all(ints(10), text("SCRAM-SHA-256\0\0"))), all(OK, KEY, READY));
        assertThat(failure()).hasMessageContaining("the server has not proved that it knows the password");
    }

    @Test
    void logIn_withNonsenseInScram_failsWithoutSecrets() {
        answer(message('R', all(ints(10), text("SCRAM-SHA-256\0\0"))), message('R', all(ints(11), text("nonsense"))));
        WireException failure = failure();
        assertThat(failure).hasMessageContaining("SCRAM failed");
        assertThat(failure.toString()).doesNotContain("hunter2");
    }

    /** 2,000,000,000 iterations would take a processor for many minutes, whatever the deadline. */
    @Test
    void scram_withIterationsWithoutBound_isRefused() {
        for (String iterations : new String[] {"100001", "2000000000", "99999999999999999999999", "-1", "many"}) {
            answer(
                    message('R', all(ints(10), text("SCRAM-SHA-256\0\0"))),
                    message('R', all(ints(11), text("r=nonce,s=c2FsdA==,i=" + iterations))));
            assertThat(failure())
                    .hasMessageContaining("iterations of SCRAM")
                    .hasMessageContaining("at most 100000 are accepted");
            session.join();
        }
    }

    @Test
    void logIn_withoutAnyAuthentication_isNotBelieved() {
        answer(READY);
        assertThat(failure()).hasMessageContaining("ready before the log-in was done");
    }

    @Test
    void newerProtocol_notKnownToTheServer_isNoMatter() throws WireException {
        answer(all(message('v', ints(0, 0)), OK, message('K', ints(7, 1, 2, 3, 4)), READY));
        try (WireConnection connection = open()) {
            assertThat(connection.backendPid()).isEqualTo(7);
        }
    }

    @Test
    void crash_announcedByAWarning_isTheReasonOfTheLoss() throws WireException {
        byte[] warning = message('N', text("SWARNING\0VWARNING\0C57P02\0Mterminating connection because of crash\0\0"));
        answer(all(OK, KEY, READY), warning);
        try (WireConnection connection = open()) {
            WireException loss = catchThrowableOfType(
                    WireException.class, () -> connection.query("SELECT 1", new WireListener() {}));
            assertThat(loss.sqlState()).isEqualTo("57P02");
            assertThat(loss).hasMessageContaining("terminating connection because of crash");
        }
    }

    @Test
    void connection_cutInTheMiddle_isLost() throws WireException {
        answer(all(OK, KEY, READY), new byte[] {'D', 0, 0, 1});
        try (WireConnection connection = open()) {
            WireException loss = catchThrowableOfType(
                    WireException.class, () -> connection.query("SELECT 1", new WireListener() {}));
            assertThat(loss.sqlState()).isEqualTo("08006");
            assertThat(loss).hasMessageEndingWith("was lost: the server closed the connection");
            assertThat(connection.isOpen()).isFalse();
        }
    }

    @Test
    void message_thatContradictsItself_isNotTheProtocol() throws WireException {
        byte[][] broken = {
            message('D', new byte[] {0, 2, 0, 0, 0, 9, 1}),
            message('D', new byte[] {0, 1, -1, -1, -1, -2}),
            message('C', text("no end")),
            message('T', new byte[] {0, 3, 'a', 0}),
            message('E', text("Sx")),
            message('?', new byte[0]),
            {'D', 0x7f, -1, -1, -1},
            {'C', 0, 1, 0, 0},
            {'Z', 0, 0, 0, 0},
        };
        for (byte[] each : broken) {
            answer(all(OK, KEY, READY), each);
            try (WireConnection connection = open()) {
                WireException loss = catchThrowableOfType(
                        WireException.class, () -> connection.query("SELECT 1", new WireListener() {}));
                assertThat(loss.sqlState()).isEqualTo("08P01");
            }
            session.join();
        }
    }
}
