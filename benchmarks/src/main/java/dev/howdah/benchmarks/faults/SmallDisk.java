package dev.howdah.benchmarks.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/** A file system of a few megabytes, in memory, that can be filled up. */
final class SmallDisk implements AutoCloseable {
    private final Path directory;

    private SmallDisk(Path directory) {
        this.directory = directory;
    }

    static SmallDisk mount(Path directory, int megabytes) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m,mode=755", "tmpfs", directory.toString());
        return new SmallDisk(directory);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0)
            throw new IOException(String.join(" ", command) + " failed: this scenario has to mount a file system");
    }

    Path directory() {
        return directory;
    }

    private Path filler() {
        return directory.resolve("filler");
    }

    /** Takes all room there is, and what becomes free meanwhile, for so long. */
    void fill(long millis) throws IOException {
        long until = System.nanoTime() + millis * 1_000_000;
        byte[] block = new byte[8192];
        while (System.nanoTime() < until) {
            try (OutputStream out =
                    Files.newOutputStream(filler(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                while (System.nanoTime() < until) out.write(block);
            } catch (IOException full) {
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    void free() throws IOException {
        Files.deleteIfExists(filler());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        run("umount", directory.toString());
    }
}
