package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Times;
import dev.howdah.internal.error.PlainText;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.Task;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tasks as they are printed. */
final class TaskView {
    private static final Listing<Task> TASK = Listing.of(TaskLists.LISTED);

    private TaskView() {}

    /** All of a task, by the names of its columns. */
    static Map<String, @Nullable Object> fields(Task task) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        TASK.fields(task).forEach((name, value) -> {
            // Columns of the user's own, and less usual ones, before what is long.
            if (name.equals("data")) task.others().forEach(fields::putIfAbsent);
            if (!name.equals("took")) fields.put(name, value);
        });
        return fields;
    }

    /** Everything about one task that says something. */
    static void show(PrintStream out, Task task) {
        fields(task).forEach((name, value) -> {
            if (value == null || isUsual(name, value, task)) return;
            String text = value instanceof java.time.Instant instant ? Times.local(instant) : value.toString();
            if (name.equals("stop") && !took(task).isEmpty()) text += "  (" + took(task) + ")";
            out.printf(Locale.ROOT, "%-8s %s%n", name, PlainText.of(text).replace("\n", "\n         "));
        });
    }

    /** Returns whether it says no more than that nothing was asked for. */
    private static boolean isUsual(String name, Object value, Task task) {
        return switch (name) {
            case "repeat", "timeout", "live" -> value.equals("00:00:00");
            case "count" -> value.equals(0);
            case "delete", "header", "string" -> value.equals(true);
            case "drift", "save" -> value.equals(false);
            case "delimiter" -> value.equals("\t");
            case "escape", "quote" -> value.equals("");
            case "null" -> value.equals("\\N");
            case "attempts", "backoff" -> task.attempts() == 1;
            case "once" -> !task.once();
            default -> false;
        };
    }

    /** How long it ran, if it has ended. */
    private static String took(Task task) {
        if (task.start() == null || task.stop() == null) return "";
        Duration took = Duration.between(task.start(), task.stop());
        return took.toMillis() < 10_000
                ? took.toMillis() + " ms"
                : String.format(
                        Locale.ROOT, "%d:%02d:%02d", took.toHours(), took.toMinutesPart(), took.toSecondsPart());
    }
}
