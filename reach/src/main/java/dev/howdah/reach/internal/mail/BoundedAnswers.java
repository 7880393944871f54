package dev.howdah.reach.internal.mail;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * What a mail server says in a connection, up to a bound: an answer without an end would be kept until the memory is used up. For one
 * thread.
 */
final class BoundedAnswers extends FilterInputStream {
    /** Far more than the answers to the mails of a connection, with their TLS. */
    static final int MOST = 4 << 20;

    private int left = MOST;

    /** The server has said too much. */
    static final class TooMuchException extends IOException {
        private static final long serialVersionUID = 1;

        TooMuchException() {
            super("the mail server has answered more than " + (MOST >> 20) + " MiB");
        }
    }

    BoundedAnswers(InputStream from) {
        super(from);
    }

    @Override
    public int read() throws IOException {
        int one = super.read();
        return one < 0 ? one : count(1, one);
    }

    @Override
    public int read(byte[] some, int from, int length) throws IOException {
        int count = super.read(some, from, length);
        return count < 0 ? count : count(count, count);
    }

    private int count(int bytes, int result) throws TooMuchException {
        left -= bytes;
        if (left < 0) throw new TooMuchException();
        return result;
    }
}
