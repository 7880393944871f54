package dev.howdah.internal.wire;

import dev.howdah.Database;
import dev.howdah.internal.wire.transport.Deadline;
import dev.howdah.internal.wire.transport.Endpoint;
import dev.howdah.internal.wire.transport.Transport;
import java.io.IOException;
import java.time.Duration;

/**
 * A request to cancel the statement of a session, sent over a connection of its own.
 *
 * @param endpoint of the session
 * @param encrypted whether the session is
 */
record CancelRequest(Database database, Endpoint endpoint, boolean encrypted) {
    private static final int CODE = 80877102;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Returns when the server has passed the request on. */
    void send(int backendPid, byte[] key) throws IOException {
        Transport side = endpoint.connect(database, TIMEOUT);
        try (Deadline deadline = new Deadline(TIMEOUT, side)) {
            Transport secured = encrypted
                    ? new TlsUpgrade(database).upgrade(side, endpoint.server().host())
                    : side;
            if (secured == null) throw new IOException("the server has no TLS for a request to cancel");
            new MessageWriter(secured.out())
                    .beginUntyped()
                    .int32(CODE)
                    .int32(backendPid)
                    .bytes(key)
                    .end()
                    .flush();
            // No answer ever comes: the server hangs up when it has passed the request on.
            if (secured.in().read() >= 0 || deadline.passed())
                throw new IOException("the request to cancel was not taken by " + endpoint.server());
        } finally {
            side.close();
        }
    }
}
