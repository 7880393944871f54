package dev.howdah.examples.billing;

import dev.howdah.Database;
import dev.howdah.reach.ReachSettings;
import dev.howdah.reach.TaskReach;
import dev.howdah.task.TaskScheduler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** {@code BillingDaemon URI REACH PLACE...}: runs the tasks of a database as {@code howdah up} does, until it is killed. */
public final class BillingDaemon {
    private BillingDaemon() {}

    /** Prints {@code serves} when it runs tasks. */
    public static void main(String[] arguments) throws InterruptedException {
        List<String> places = List.of(arguments).subList(2, arguments.length);
        ReachSettings settings = ReachSettings.of(places, Path.of(arguments[1]), Map.of());
        try (TaskReach reach = new TaskReach(settings);
                TaskScheduler scheduler = TaskScheduler.on(Database.of(arguments[0], Map.of()))
                        .reach(reach)
                        .start()) {
            while (!scheduler.awaitServed(Duration.ofMinutes(1))) System.out.println("waits");
            System.out.println("serves");
            Thread.currentThread().join();
        }
    }
}
