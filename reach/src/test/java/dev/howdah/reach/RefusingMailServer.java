package dev.howdah.reach;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A mail server without security that answers what it is told to, else with 250. */
public final class RefusingMailServer implements AutoCloseable {
    /** The answer after which there is no other: the connection ends without one. */
    public static final String HANG_UP = "";

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final AtomicInteger connections = new AtomicInteger();
    private final Map<String, String> answers;
    private volatile Socket last = new Socket();

    public RefusingMailServer(Map<String, String> answers) throws IOException {
        this.answers = answers;
        new Thread(this::serve).start();
    }

    /** Ends the connection that is open. */
    public void leave() throws IOException {
        last.close();
    }

    public String address() {
        return "smtp://127.0.0.1:" + server.getLocalPort();
    }

    /** The lines that it has got. */
    public Queue<String> seen() {
        return seen;
    }

    /** How many there were. */
    public int connections() {
        return connections.get();
    }

    private void serve() {
        while (!server.isClosed())
            try (Socket socket = server.accept()) {
                last = socket;
                connections.incrementAndGet();
                talk(socket);
            } catch (IOException e) {
                // The client has left, or the test is over.
            }
    }

    private void talk(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        say(socket, "220 test");
        boolean data = false;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            seen.add(line);
            if (data && !line.equals(".")) continue;
            String key = data ? "DATA-END" : line;
            data = !data && line.equals("DATA");
            String answer = data ? "354 go on" : answers.getOrDefault(key, "250 ok");
            if (answer.equals(HANG_UP)) return;
            say(socket, answer);
        }
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
