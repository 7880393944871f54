package dev.howdah.task.internal.session;

import dev.howdah.internal.trace.Tracing;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The spans of tasks of one table: one of each run, without its text, its output and its error. Safe for use by many threads. */
public record TaskTracing(String database, String table) {
    private static final Tracing TRACING = Tracing.find(TaskTracing.class);

    /** Returns whether the program has set up tracing. */
    public static boolean isOn() {
        return TRACING.isOn();
    }

    /** Does the work in a span of its own; {@code work} throws what it throws without a span. */
    public SessionResult run(ClaimedTask task, Supplier<SessionResult> work) {
        if (!isOn()) return work.get();
        try {
            return TRACING.working("task run", about(task), null, work::get, TaskTracing::ending);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("nothing else is thrown", e);
        }
    }

    private Map<String, String> about(ClaimedTask task) {
        Map<String, String> about = new HashMap<>(Map.of(
                "task.database",
                database,
                "task.table",
                table,
                "task.id",
                Long.toString(task.id()),
                "task.group",
                task.lane().group()));
        if (task.attempt() > 0) about.put("task.attempt", Integer.toString(task.attempt()));
        return about;
    }

    private static Tracing.Ending ending(SessionResult end) {
        TaskResult known = end.outcome();
        String name = end.outcomeName();
        Map<String, String> said = new HashMap<>(Map.of("task.outcome", name));
        String code = known == null ? null : known.sqlState();
        if (code != null) said.put("task.sqlstate", code);
        return new Tracing.Ending(!SessionResult.DONE.equals(name), said);
    }
}
