package dev.howdah.benchmarks.faults;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A clock for other processes that is wrong by as much as is wished; made with the C compiler of this machine. */
final class WrongClock {
    private final Path library;
    private final Path offset;

    private WrongClock(Path library, Path offset) {
        this.library = library;
        this.offset = offset;
    }

    static WrongClock make(Path directory, long seconds) throws IOException, InterruptedException {
        Path source = directory.resolve("wrong-clock.c");
        try (InputStream in = WrongClock.class.getResourceAsStream("wrong-clock.c")) {
            if (in == null) throw new IOException("no resource wrong-clock.c");
            Files.write(source, in.readAllBytes());
        }
        Path library = directory.resolve("wrong-clock.so");
        int code = new ProcessBuilder(
                        "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl")
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) throw new IOException("cc failed: this scenario needs a C compiler");
        WrongClock clock = new WrongClock(library, directory.resolve("offset"));
        clock.set(seconds);
        return clock;
    }

    /** From now on it is ahead by so much. */
    void set(long seconds) throws IOException {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(seconds)
                .array();
        // Over the same bytes: those who look have the file mapped.
        try (var file = new java.io.RandomAccessFile(offset.toFile(), "rw")) {
            file.write(bytes);
        }
    }

    /** What a process needs in its environment to go by it. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "WRONG_CLOCK", offset.toString());
    }
}
