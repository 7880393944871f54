package dev.howdah.daemon.console;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A stream to print to in UTF-8 that keeps the first error, which a {@link PrintStream} swallows. */
public final class WatchedOutput extends PrintStream {
    private static final int BUFFER = 1 << 16;

    private final Keeping keeping;

    public WatchedOutput(OutputStream target) {
        this(new Keeping(target));
    }

    private WatchedOutput(Keeping keeping) {
        super(new BufferedOutputStream(keeping, BUFFER), false, StandardCharsets.UTF_8);
        this.keeping = keeping;
    }

    /** Why what was printed so far could not be written; null: it is written, or its reader has gone away, as that of a pipe may. */
    public @Nullable String failure() {
        flush();
        IOException first = keeping.first;
        if (first == null) return null;
        String message = String.valueOf(first.getMessage());
        return message.contains("Broken pipe") ? null : message;
    }

    private static final class Keeping extends OutputStream {
        private final OutputStream target;
        private volatile @Nullable IOException first;

        Keeping(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                target.write(bytes, from, length);
            } catch (IOException e) {
                if (first == null) first = e;
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            target.flush();
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
