package dev.howdah.benchmarks;

import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepRow;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * A process with one worker, to be killed. Every row that it works on is written to a file first, as an effect outside of the database; each
 * batch takes its time, so that many processes do more than one.
 */
public final class SweepVictim {
    static final int BATCH = 100;
    private static final Duration WORK = Duration.ofMillis(70);

    private SweepVictim() {}

    /** @param arguments the address of the database, the name of the sweep, the file */
    public static void main(String[] arguments) throws Exception {
        try (FileChannel effects =
                        FileChannel.open(Path.of(arguments[2]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                Sweep sweep = SweepTable.mailing(SweepTable.source(arguments[0]), arguments[1])
                        .workers(1)
                        .batch(BATCH)
                        .forEachBatch(rows -> {
                            ByteBuffer written = ByteBuffer.allocate(4 * rows.size());
                            for (SweepRow row : rows) written.putInt((int) row.getLong("id"));
                            effects.write(written.flip());
                            Bench.pause(WORK);
                        })
                        .start()) {
            sweep.join();
        }
    }
}
