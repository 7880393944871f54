package dev.howdah.internal.conninfo;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Properties;

/**
 * Sockets for a session that only listens. Before pgjdbc hands out a notification it waits a millisecond for another one:
 * it reads with a timeout of 1 ms, which no other code does. On these that is a question whether something is there. And it
 * hands out nothing while more keeps coming, however much that is: on these nothing more is there when it has read a
 * certain amount since it last waited, so that a flood of notifications is handed out in parts. Public because pgjdbc
 * makes it, by its name.
 */
public final class PromptSockets extends LiveSockets {
    /** The property that asks for them. */
    public static final String WANTED = "howdah.promptSockets";

    /** @param times as text, as pgjdbc hands them on */
    public PromptSockets(String times) {
        super(times);
    }

    /** Puts them in the place of {@link LiveSockets}, where they are {@link #WANTED}. */
    public static void replaceIn(Properties properties) {
        boolean wanted = properties.remove(WANTED) != null;
        if (wanted && LiveSockets.class.getName().equals(properties.getProperty("socketFactory")))
            properties.setProperty("socketFactory", PromptSockets.class.getName());
    }

    @Override
    Socket socket() {
        return new Prompt();
    }

    /** So many bytes are handed out in one part. */
    private static final long PART = 256 * 1024;

    private static final class Prompt extends Socket {
        private volatile int timeout;
        private volatile long read;
        /** An answer is expected: it is read at full speed, however long it is. */
        private volatile boolean asked;

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            if (millis != 1) read = 0;
            asked = false;
            timeout = millis;
        }

        private boolean isPartOver() {
            return !asked && read >= PART;
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int one) throws IOException {
                    asked = true;
                    out.write(one);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    asked = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    if (timeout == 1 && available() == 0) throw new SocketTimeoutException("nothing there");
                    // A part ends with a message: the driver's buffer must not hold the beginning of another one.
                    int count = super.read(bytes, offset, isPartOver() ? Math.min(length, 1) : length);
                    if (count > 0) read += count;
                    return count;
                }

                @Override
                public int available() throws IOException {
                    return isPartOver() ? 0 : super.available();
                }
            };
        }
    }
}
