package dev.howdah.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server that answers nonsense causes nothing but a {@link WireException}, soon and with little memory. */
class FalseServerFuzzTest {
    private static final int ANSWERS = 400;
    private static final String TYPES = "RKZSENTDCIAtGHWdcsnvV123\0\u00FF";

    @Test
    void answers_mutated_endAsFailuresOfTheConnection() throws Exception {
        long seed = Long.getLong("howdah.fuzz.seed", 1);
        long seconds = Long.getLong("howdah.fuzz.seconds", 0);
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        SplittableRandom random = new SplittableRandom(seed);
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Database address = Database.of(
                    "host=127.0.0.1 user=me password=secret-word sslmode=disable port=" + listener.getLocalPort(),
                    Map.of());
            for (long i = 0; seconds > 0 ? System.nanoTime() < end : i < ANSWERS; i++) {
                byte[] nonsense = nonsense(random);
                CompletableFuture<Void> server = CompletableFuture.runAsync(() -> answer(listener, nonsense));
                try (WireConnection connection = WireConnection.open(address, Map.of(), Duration.ofSeconds(30))) {
                    connection.query("SELECT 1", new WireListener() {});
                } catch (WireException e) {
                    assertThat(String.valueOf(e.getMessage())).doesNotContain("secret-word");
                } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
                    throw new AssertionError("seed " + seed + ", answer " + i + ": " + hex(nonsense), e);
                }
                server.join();
            }
        }
    }

    private static void answer(ServerSocket listener, byte[] nonsense) {
        try (Socket socket = listener.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.skipNBytes(in.readInt() - 4);
            socket.getOutputStream().write(nonsense);
            socket.shutdownOutput();
            in.readAllBytes();
        } catch (IOException e) {
            // The client went away first, as it should.
        }
    }

    /** Often a right beginning, so that the messages after the log-in have their turn. */
    private static byte[] nonsense(SplittableRandom random) {
        ByteBuffer all = ByteBuffer.allocate(4_000);
        if (random.nextBoolean()) {
            message(all, 'R', ints(0));
            message(all, 'K', ints(7, 8));
            message(all, 'Z', new byte[] {'I'});
        }
        for (int messages = random.nextInt(5); messages >= 0; messages--) {
            byte[] body = new byte[random.nextInt(60)];
            random.nextBytes(body);
            if (random.nextBoolean()) body = (random.nextInt(9) + "Mtext\0Cx\0\0").getBytes(StandardCharsets.US_ASCII);
            if (random.nextInt(3) == 0) body = ints(random.nextInt(13), random.nextInt(), random.nextInt(4));
            message(all, TYPES.charAt(random.nextInt(TYPES.length())), body);
            // A length that lies.
            if (random.nextInt(4) == 0) all.putInt(Math.max(1, all.position() - body.length - 4), random.nextInt());
        }
        byte[] exact = new byte[all.position()];
        all.flip().get(exact);
        return exact;
    }

    private static void message(ByteBuffer all, char type, byte[] body) {
        all.put((byte) type).putInt(4 + body.length).put(body);
    }

    private static byte[] ints(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length);
        for (int value : values) buffer.putInt(value);
        return buffer.array();
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) text.append(String.format("%02x", each));
        return text.toString();
    }
}
