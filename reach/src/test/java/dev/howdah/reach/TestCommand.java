package dev.howdah.reach;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;

/** What the SSH server of a test runs; without the text of its standard error. */
abstract class TestCommand implements Command {
    InputStream in = InputStream.nullInputStream();
    OutputStream out = OutputStream.nullOutputStream();
    ExitCallback exit = (code, message, now) -> {};

    @Override
    public final void setInputStream(InputStream from) {
        in = from;
    }

    @Override
    public final void setOutputStream(OutputStream to) {
        out = to;
    }

    @Override
    public final void setErrorStream(OutputStream to) {}

    @Override
    public final void setExitCallback(ExitCallback callback) {
        exit = callback;
    }

    /** Writes to its standard output at once. */
    final void say(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void destroy(ChannelSession channel) {}
}
