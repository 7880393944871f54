package dev.howdah.examples.billing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Stands before a mail server, and refuses recipients in its place. */
final class RefusingMailProxy implements AutoCloseable {
    private static final Pattern RECIPIENT = Pattern.compile("(?i)RCPT TO:<([^>]*)>.*");

    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int server;
    private final Function<String, @Nullable String> refusal;

    /**
     * @param server its port
     * @param refusal what to answer to a recipient; null where the server answers
     */
    RefusingMailProxy(int server, Function<String, @Nullable String> refusal) throws IOException {
        this.server = server;
        this.refusal = refusal;
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "mail proxy");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return entrance.getLocalPort();
    }

    private void accept() {
        while (!entrance.isClosed())
            try {
                Socket client = entrance.accept();
                start(() -> serve(client));
            } catch (IOException e) {
                // The test is over.
            }
    }

    private void serve(Socket client) {
        try (client;
                Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
                BufferedReader lines = reader(client);
                BufferedReader answers = reader(there)) {
            pass(answers, client);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher recipient = RECIPIENT.matcher(line);
                String refused = recipient.matches() ? refusal.apply(recipient.group(1)) : null;
                if (refused != null) {
                    write(client.getOutputStream(), refused);
                    continue;
                }
                write(there.getOutputStream(), line);
                if (pass(answers, client).startsWith("354")) mail(lines, answers, client, there);
            }
        } catch (IOException e) {
            // One of both has left.
        }
    }

    private static void mail(BufferedReader lines, BufferedReader answers, Socket client, Socket there)
            throws IOException {
        StringBuilder mail = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            mail.append(line).append("\r\n");
            if (!line.equals(".")) continue;
            there.getOutputStream().write(mail.toString().getBytes(StandardCharsets.ISO_8859_1));
            there.getOutputStream().flush();
            pass(answers, client);
            return;
        }
        throw new IOException("half a mail");
    }

    /** An answer of one line or several, the last of which it returns. */
    private static String pass(BufferedReader answers, Socket client) throws IOException {
        while (true) {
            String line = answers.readLine();
            if (line == null) throw new IOException("no answer");
            write(client.getOutputStream(), line);
            if (line.length() < 4 || line.charAt(3) != '-') return line;
        }
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    private static void write(OutputStream to, String line) throws IOException {
        to.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        to.flush();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
    }
}
