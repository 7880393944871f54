package dev.howdah.daemon.work;

import dev.howdah.sweep.RowHandler;
import dev.howdah.sweep.SweepRow;
import java.nio.charset.StandardCharsets;

/**
 * A program for each row: it gets the row as JSON on its standard input and the key as its last arguments. Safe for use by many
 * threads.
 */
public final class RowProgram implements RowHandler {
    private final ChildProgram program;

    public RowProgram(ChildProgram program) {
        this.program = program;
    }

    @Override
    public void handle(SweepRow row) throws Exception {
        Exception failure = program.run(row.key(), row.json().getBytes(StandardCharsets.UTF_8), null, 0);
        if (failure != null) throw failure;
    }
}
