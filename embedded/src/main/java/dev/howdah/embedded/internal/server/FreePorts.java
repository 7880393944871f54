package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.EmbeddedPostgresException;
import dev.howdah.embedded.internal.system.IoErrors;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** TCP ports of the loopback address. */
public final class FreePorts {
    public static final String HOST = "127.0.0.1";
    private static final int CONNECT_MILLIS = 500;

    private FreePorts() {}

    public static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(HOST, 0));
            return socket.getLocalPort();
        }
    }

    static void mustBeFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(HOST, port));
        } catch (IOException e) {
            throw taken(port, IoErrors.of(e));
        }
    }

    public static EmbeddedPostgresException taken(int port, String why) {
        boolean denied = why.contains("ermission denied");
        return new EmbeddedPostgresException("port " + port + " on " + HOST
                + (denied ? " may not be used by this user" : " is in use by another program")
                + "; choose another port with --pg-port (0 takes a free one)");
    }

    static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(HOST, port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
