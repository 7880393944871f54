package dev.howdah.reach;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A proxy that asks for a login, connects with CONNECT to any port of this machine, and answers other requests itself. */
final class TestProxy implements AutoCloseable {
    static final String LOGIN = "howdah:s3cr3t-proxy";

    /** The first line of each request that had the login. */
    final Queue<String> seen = new ConcurrentLinkedQueue<>();

    /** What a CONNECT is answered; empty: it connects. */
    volatile String refusal = "";

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    TestProxy() throws IOException {
        Thread thread = new Thread(this::accept, "test-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed())
            try {
                Socket socket = server.accept();
                Thread thread = new Thread(() -> serve(socket), "test-proxy-connection");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            while (request(socket, in)) {}
        } catch (IOException e) {
            // The other side has left.
        }
    }

    private boolean request(Socket socket, BufferedReader in) throws IOException {
        String first = in.readLine();
        if (first == null) return false;
        boolean known = false;
        String wanted = "Basic " + Base64.getEncoder().encodeToString(LOGIN.getBytes(StandardCharsets.US_ASCII));
        int body = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            known |= line.equalsIgnoreCase("Proxy-Authorization: " + wanted);
            if (line.startsWith("Content-Length: ")) body = Integer.parseInt(line.substring(16));
        }
        while (body-- > 0) if (in.read() < 0) return false;
        if (!known) {
            say(socket, "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"", "");
            return true;
        }
        seen.add(first);
        if (!first.startsWith("CONNECT ")) {
            say(socket, "200 OK\r\nContent-Type: text/plain", "by the proxy");
            return true;
        }
        if (!refusal.isEmpty()) {
            say(socket, refusal, "");
            return false;
        }
        connect(socket, Integer.parseInt(first.split("[: ]")[2]));
        return false;
    }

    private static void connect(Socket socket, int port) throws IOException {
        try (Socket target = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("HTTP/1.1 200 ok\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Thread back = new Thread(() -> copy(target, socket), "test-proxy-back");
            back.setDaemon(true);
            back.start();
            copy(socket, target);
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
            to.shutdownOutput();
        } catch (IOException e) {
            // One of them has left.
        }
    }

    private static void say(Socket socket, String head, String body) throws IOException {
        socket.getOutputStream()
                .write(("HTTP/1.1 " + head + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
