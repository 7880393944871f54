package dev.howdah.testkit.internal.bridge;

import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.history.RetentionRule;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.Rate;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.JobEvents;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessImport;
import dev.howdah.process.Request;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.spi.TypeReference;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskEvents;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskTable;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Values for the parameters of a call: of things that are not there. */
final class Arguments {
    /** Long enough for a question, and short for a test. */
    private static final Duration SHORT = Duration.ofMillis(20);

    private static final long NOT_THERE = 987_654_321;
    private static final Map<Class<?>, Object> VALUES = new HashMap<>();

    static {
        VALUES.put(long.class, NOT_THERE);
        VALUES.put(int.class, 10);
        VALUES.put(double.class, 0.5);
        VALUES.put(boolean.class, true);
        VALUES.put(String.class, "x");
        VALUES.put(String[].class, new String[] {"x"});
        VALUES.put(Class.class, String.class);
        VALUES.put(TypeReference.class, TypeReference.of(String.class));
        VALUES.put(Duration.class, SHORT);
        VALUES.put(Instant.class, Instant.EPOCH);
        VALUES.put(NewJob.class, NewJob.of(JoiningCalls.WORK, 0));
        VALUES.put(NewSignal.class, NewSignal.to(NOT_THERE, "s", null));
        VALUES.put(Schedule.class, Schedule.every("s", Duration.ofDays(1)));
        VALUES.put(JobQuery.class, JobQuery.in(JobState.FAILED));
        VALUES.put(JobState.class, JobState.FAILED);
        VALUES.put(BulkChange.class, new BulkChange(BulkChange.Action.RETRY, JobQuery.in(JobState.FAILED), null));
        VALUES.put(BulkChange.Action.class, BulkChange.Action.RETRY);
        VALUES.put(BulkChange.Progress.class, (BulkChange.Progress) (done, all) -> true);
        VALUES.put(JobEvents.class, null);
        VALUES.put(RetentionRule.class, RetentionRule.of("x", JobState.DONE, Duration.ofDays(1)));
        VALUES.put(LimitScope.class, LimitScope.queue("x"));
        VALUES.put(Rate.class, Rate.of(10, Duration.ofMinutes(1)));
        VALUES.put(Request.class, Request.of(JoiningCalls.NAMESPACE, "x"));
        VALUES.put(HistoryRange.class, HistoryRange.ALL);
        VALUES.put(ProcessImport.class, ProcessImport.of(JoiningCalls.NAMESPACE, "imported", List.of()));
        VALUES.put(ProcessQuery.class, ProcessQuery.of(JoiningCalls.NAMESPACE));
        VALUES.put(NewTask.class, NewTask.of("SELECT 1"));
        VALUES.put(TaskEvents.class, null);
        VALUES.put(TaskTable.Change.class, TaskTable.Change.RETRY);
        VALUES.put(TaskTable.Progress.class, (TaskTable.Progress) (changed, left) -> true);
        VALUES.put(TaskQuery.class, TaskQuery.all());
        VALUES.put(TaskQuery.Order.class, TaskQuery.Order.NEWEST);
        VALUES.put(Object.class, null);
    }

    private Arguments() {}

    static @Nullable Object[] of(Method method) {
        Parameter[] parameters = method.getParameters();
        @Nullable Object[] values = new @Nullable Object[parameters.length];
        for (int i = 0; i < values.length; i++) values[i] = value(parameters[i]);
        return values;
    }

    private static @Nullable Object value(Parameter of) {
        Class<?> type = of.getType();
        if (Collection.class.isAssignableFrom(type)) return List.of(element(of.getParameterizedType()));
        if (of.getName().equals("namespace")) return JoiningCalls.NAMESPACE;
        if (!VALUES.containsKey(type))
            throw new IllegalStateException(
                    "the table of calls has no value for " + type + " of " + of.getDeclaringExecutable());
        return VALUES.get(type);
    }

    private static Object element(Type collection) {
        String name = Optional.of(collection)
                .filter(ParameterizedType.class::isInstance)
                .map(type -> ((ParameterizedType) type).getActualTypeArguments()[0].getTypeName())
                .orElse("");
        if (name.contains("NewJob")) return NewJob.of(JoiningCalls.WORK, 0);
        if (name.contains("Long")) return NOT_THERE;
        if (name.contains("LocalDate")) return LocalDate.EPOCH;
        return "x";
    }
}
