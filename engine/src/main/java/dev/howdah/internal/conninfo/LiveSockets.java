package dev.howdah.internal.conninfo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Properties;
import java.util.function.Function;
import javax.net.SocketFactory;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * Makes sockets that notice within a known time that their peer cannot be reached any more: by TCP's own probes, which
 * cost nothing at either end. pgjdbc can only switch them on, with the system's usual two hours. Public because pgjdbc
 * makes it, by its name.
 */
public class LiveSockets extends SocketFactory {
    private final KeepAlive times;

    /** @param times as text, as pgjdbc hands them on */
    public LiveSockets(String times) {
        this.times = KeepAlive.parse(times);
    }

    /**
     * When to probe.
     *
     * @param idle seconds of silence before the first probe; 0 for the system's own default, as for the others
     * @param interval seconds between probes
     * @param count probes without an answer after which the connection counts as lost
     */
    public record KeepAlive(int idle, int interval, int count) {
        /** As these options of libpq say; a minute, ten seconds, three probes where they say nothing. */
        public static KeepAlive of(Function<String, @Nullable String> options) {
            return new KeepAlive(
                    number(options.apply("keepalives_idle"), 60),
                    number(options.apply("keepalives_interval"), 10),
                    number(options.apply("keepalives_count"), 3));
        }

        private static int number(@Nullable String value, int otherwise) {
            return value == null ? otherwise : Integer.parseInt(value.strip());
        }

        static KeepAlive parse(String text) {
            String[] parts = text.split(",", 3);
            return new KeepAlive(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        }

        /** Has the socket probe at these times. */
        public void apply(Socket socket) throws IOException {
            socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            set(socket, ExtendedSocketOptions.TCP_KEEPIDLE, idle);
            set(socket, ExtendedSocketOptions.TCP_KEEPINTERVAL, interval);
            set(socket, ExtendedSocketOptions.TCP_KEEPCOUNT, count);
        }

        private static void set(Socket socket, SocketOption<Integer> option, int value) throws IOException {
            if (value > 0 && socket.supportedOptions().contains(option)) socket.setOption(option, value);
        }

        /** Has pgjdbc use such sockets, where it can find this class and no others are configured. */
        public void addTo(Properties properties) {
            if (properties.containsKey("socketFactory") || !seenByDriver()) return;
            properties.setProperty("socketFactory", LiveSockets.class.getName());
            properties.setProperty("socketFactoryArg", idle + "," + interval + "," + count);
        }

        private static boolean seenByDriver() {
            try {
                return Class.forName(LiveSockets.class.getName(), false, Driver.class.getClassLoader())
                        == LiveSockets.class;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }
    }

    Socket socket() {
        return new Socket();
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket socket = socket();
        try {
            times.apply(socket);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("only sockets that are not connected yet");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("only sockets that are not connected yet");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("only sockets that are not connected yet");
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException("only sockets that are not connected yet");
    }
}
