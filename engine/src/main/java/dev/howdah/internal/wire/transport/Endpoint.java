package dev.howdah.internal.wire.transport;

import dev.howdah.Database;
import dev.howdah.Database.HostPort;
import dev.howdah.internal.conninfo.LiveSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One place to knock at: an address of a server, or its Unix socket.
 *
 * @param address null for a Unix socket
 */
public record Endpoint(HostPort server, @Nullable InetAddress address) {
    /** All addresses of that server. */
    public static List<Endpoint> of(HostPort server) throws UnknownHostException {
        if (server.isUnixSocket()) return List.of(new Endpoint(server, null));
        List<Endpoint> endpoints = new ArrayList<>();
        try {
            for (InetAddress address : InetAddress.getAllByName(server.host()))
                endpoints.add(new Endpoint(server, address));
        } catch (UnknownHostException e) {
            UnknownHostException clear = new UnknownHostException("unknown host \"" + server.host() + "\"");
            clear.initCause(e);
            throw clear;
        }
        return endpoints;
    }

    public boolean isUnixSocket() {
        return address == null;
    }

    /** Connects, within that time; zero means no limit. */
    public Transport connect(Database database, Duration timeout) throws IOException {
        return address == null ? connectUnix() : connectTcp(address, database, timeout);
    }

    private Transport connectUnix() throws IOException {
        Path path = Path.of(server.host(), ".s.PGSQL." + server.port());
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
            return new Transport(
                    Channels.newInputStream(channel), Channels.newOutputStream(channel), channel, null, null);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private Transport connectTcp(InetAddress to, Database database, Duration timeout) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            if (!"0".equals(database.parameter("keepalives")))
                LiveSockets.KeepAlive.of(database::parameter).apply(socket);
            socket.connect(
                    new InetSocketAddress(to, server.port()), (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()));
            return new Transport(socket.getInputStream(), socket.getOutputStream(), socket, socket, null);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
