package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.AlignedTable;
import dev.howdah.daemon.console.Secrets;
import dev.howdah.daemon.console.Times;
import dev.howdah.internal.error.PlainText;
import dev.howdah.task.Task;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tasks as they are printed. */
final class TaskView {
    private static final int LISTED_CHARACTERS = 50;

    private TaskView() {}

    /** All of a task, by the names of its columns. */
    static Map<String, @Nullable Object> fields(Task task) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", task.id());
        fields.put("state", task.state());
        fields.put("group", task.group());
        fields.put("owner", task.owner());
        fields.put("remote", task.remote() == null ? null : Secrets.hidden(task.remote()));
        fields.put("parent", task.parent());
        fields.put("plan", task.plan());
        fields.put("start", task.start());
        fields.put("stop", task.stop());
        fields.put("active", task.active());
        fields.put("repeat", task.repeat());
        fields.put("cron", task.cron());
        fields.put("zone", task.zone());
        fields.put("attempts", task.attempts());
        fields.put("backoff", task.backoff());
        fields.put("after", task.after());
        fields.put("retry", task.retry());
        fields.put("once", task.once());
        fields.put("notify", task.channel());
        fields.put("timeout", task.timeout());
        fields.put("max", task.max());
        fields.put("pid", task.pid());
        task.others().forEach(fields::putIfAbsent);
        fields.put("data", task.data());
        fields.put("input", task.input());
        fields.put("output", task.output());
        fields.put("error", task.error());
        return fields;
    }

    /** A table of tasks, one line each. */
    static void list(PrintStream out, List<Task> tasks) {
        AlignedTable table = AlignedTable.ofList(
                out,
                List.of(
                        new AlignedTable.Column("id", true),
                        new AlignedTable.Column("state", false),
                        new AlignedTable.Column("group", false),
                        new AlignedTable.Column("plan", false),
                        new AlignedTable.Column("start", false),
                        new AlignedTable.Column("took", true),
                        new AlignedTable.Column("input", false),
                        new AlignedTable.Column("result", false)));
        for (Task task : tasks)
            table.row(List.of(
                    Long.toString(task.id()),
                    task.state().name(),
                    task.group(),
                    Times.local(task.plan()),
                    Times.local(task.start()),
                    took(task),
                    cut(task.input()),
                    cut(task.error() != null ? task.error() : task.output() != null ? task.output() : "")));
        table.end();
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

    private static String cut(String text) {
        String line = text.strip().replaceAll("\\s*\n\\s*", " \u23CE ").replace('\t', ' ');
        return line.length() <= LISTED_CHARACTERS ? line : line.substring(0, LISTED_CHARACTERS - 1) + "\u2026";
    }
}
