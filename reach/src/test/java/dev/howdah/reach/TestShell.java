package dev.howdah.reach;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.channel.ChannelSession;

/** A shell of a device: it talks in a thread of its own until its client leaves. */
abstract class TestShell extends TestCommand {
    private Thread thread = new Thread();

    /** Talks; its end does not end the channel, {@code exit} does. */
    abstract void talk(BufferedReader lines) throws IOException;

    @Override
    public final void start(ChannelSession channel, Environment environment) {
        thread = new Thread(() -> {
            try {
                talk(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
            } catch (IOException e) {
                // The client has left.
            }
        });
        thread.start();
    }

    /** Says lines as terminals have them. */
    final void print(String text) throws IOException {
        say(text.replace("\n", "\r\n"));
    }

    @Override
    public final void destroy(ChannelSession channel) {
        thread.interrupt();
    }
}
