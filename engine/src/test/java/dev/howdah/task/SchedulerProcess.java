package dev.howdah.task;

import dev.howdah.Database;
import java.io.IOException;

/** A scheduler in a program of its own, for tests that kill it; says {@code active} when it is elected. */
final class SchedulerProcess {
    private SchedulerProcess() {}

    /** @param arguments the address of the database */
    public static void main(String[] arguments) throws IOException {
        TaskScheduler scheduler = TaskScheduler.on(Database.of(arguments[0]))
                .listener(new TaskScheduler.Listener() {
                    @Override
                    public void active() {
                        System.out.println("active");
                    }
                })
                .start();
        // Ends in good order when whoever started it hangs up.
        while (System.in.read() >= 0) Thread.onSpinWait();
        scheduler.close();
    }
}
