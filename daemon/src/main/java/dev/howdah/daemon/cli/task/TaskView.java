package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Secrets;
import dev.howdah.daemon.console.Times;
import dev.howdah.internal.error.PlainText;
import dev.howdah.task.Task;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tasks as they are printed. */
final class TaskView {
    private static final int LISTED_CHARACTERS = 50;

    static final Listing<Task> TASKS = new Listing<Task>()
            .number("id", Task::id)
            .text("state", Task::state)
            .text("group", Task::group)
            .text("owner", Task::owner)
            .text("remote", task -> task.remote() == null ? null : Secrets.hidden(task.remote()))
            .number("parent", Task::parent)
            .text("plan", Task::plan)
            .text("start", Task::start)
            .text("stop", Task::stop)
            .number("took", TaskView::seconds)
            .shown(TaskView::took)
            .text("active", Task::active)
            .text("repeat", Task::repeat)
            .text("cron", Task::cron)
            .text("zone", Task::zone)
            .number("attempts", Task::attempts)
            .text("backoff", Task::backoff)
            .text("after", Task::after)
            .number("retry", Task::retry)
            .text("once", Task::once)
            .text("notify", Task::channel)
            .text("timeout", Task::timeout)
            .number("max", Task::max)
            .number("pid", Task::pid)
            .text("others", Task::others)
            .text("data", Task::data)
            .text("input", Task::input)
            .shown(task -> cut(task.input()))
            .text("output", Task::output)
            .shown(task -> cut(task.output()))
            .text("error", Task::error)
            .shown(task -> cut(task.error()))
            .wide("start")
            .more("owner remote parent stop active repeat cron zone attempts backoff after retry once notify timeout"
                    + " max pid others data");

    private TaskView() {}

    /** All of a task, by the names of its columns. */
    static Map<String, @Nullable Object> fields(Task task) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        TASKS.fields(task).forEach((name, value) -> {
            if (name.equals("others")) task.others().forEach(fields::putIfAbsent);
            else if (!name.equals("took")) fields.put(name, value);
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

    private static @Nullable Double seconds(Task task) {
        if (task.start() == null || task.stop() == null) return null;
        return Duration.between(task.start(), task.stop()).toMillis() / 1_000.0;
    }

    static @Nullable String cut(@Nullable String text) {
        if (text == null) return null;
        String line = text.strip().replaceAll("\\s*\n\\s*", " \u23CE ").replace('\t', ' ');
        return line.length() <= LISTED_CHARACTERS ? line : line.substring(0, LISTED_CHARACTERS - 1) + "\u2026";
    }
}
