package dev.howdah.benchmarks;

import dev.howdah.sweep.Sweep;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process with one worker, to be killed. Every row that it works on is written to a file first, as an effect outside of the database. */
public final class SweepVictim {
    private SweepVictim() {}

    /** @param arguments the address of the database, the name of the sweep, the file */
    public static void main(String[] arguments) throws Exception {
        try (FileChannel effects =
                        FileChannel.open(Path.of(arguments[2]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                Sweep sweep = SweepTable.mailing(SweepTable.source(arguments[0]), arguments[1])
                        .workers(1)
                        .each(row -> effects.write(ByteBuffer.allocate(4)
                                .putInt((int) row.getLong("id"))
                                .flip()))
                        .start()) {
            sweep.join();
        }
    }
}
