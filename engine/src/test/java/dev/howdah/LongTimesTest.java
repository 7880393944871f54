package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Schedule;
import dev.howdah.job.history.RetentionRule;
import dev.howdah.job.limit.Rate;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.unique.Unique;
import dev.howdah.process.Action;
import dev.howdah.process.Namespace;
import dev.howdah.process.NewEvent;
import dev.howdah.process.Processes;
import dev.howdah.process.notice.DeliveryException;
import dev.howdah.spi.Backoff;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** All that takes a {@code Duration} or an {@code Instant} takes or refuses each: none overflows. */
class LongTimesTest {
    private static final PGSimpleDataSource SOURCE = new PGSimpleDataSource();
    private static final Kind<String> KIND = Kind.of("kind", String.class);

    /** Of each class what its methods are called on; the class itself for static ones alone. */
    private static final List<Object> ON = List.of(
            KIND,
            NewJob.of(KIND, "x"),
            Outcome.class,
            Schedule.every("often", Duration.ofMinutes(1)),
            Schedule.cron("daily", "0 6 * * *"),
            RetentionRule.class,
            Rate.class,
            Unique.byKey("k"),
            JobQuery.in(JobState.DONE),
            Jobs.on(SOURCE),
            Action.class,
            Namespace.Retention.class,
            NewEvent.class,
            Processes.on(SOURCE),
            new DeliveryException("no", null),
            Backoff.class,
            RetryPolicy.class,
            Sweep.on(SOURCE),
            NewTask.of("SELECT 1"),
            TaskQuery.class,
            TaskScheduler.on(Database.of("postgresql://127.0.0.1:1/none")));

    private static final List<Duration> DURATIONS = List.of(
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofSeconds(-1),
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofDays(365 * 300),
            Duration.ofDays(365 * 2_000));

    private static final List<Instant> INSTANTS =
            List.of(Instant.MAX, Instant.MIN, Instant.EPOCH, Instant.parse("9999-12-31T23:59:59.999999999Z"));

    private final List<String> wrong = new ArrayList<>();
    private int calls;

    private void call(Object on) throws IllegalAccessException {
        Class<?> type = on instanceof Class<?> plain ? plain : on.getClass();
        for (Method each : type.getMethods()) {
            boolean isStatic = Modifier.isStatic(each.getModifiers());
            List<Class<?>> parameters = Arrays.asList(each.getParameterTypes());
            if (each.isBridge()
                    || on == type && !isStatic
                    || !parameters.contains(Duration.class) && !parameters.contains(Instant.class)) continue;
            for (int i = 0; i < Math.max(DURATIONS.size(), INSTANTS.size()); i++) {
                Object[] values = new Object[parameters.size()];
                for (int p = 0; p < values.length; p++) values[p] = value(parameters.get(p), i);
                calls++;
                try {
                    each.invoke(isStatic ? null : on, values);
                } catch (InvocationTargetException e) {
                    if (!(e.getCause() instanceof IllegalArgumentException))
                        wrong.add(each + " of " + Arrays.toString(values) + ": " + e.getCause());
                }
            }
        }
    }

    private static Object value(Class<?> type, int i) {
        if (type == Duration.class) return DURATIONS.get(i % DURATIONS.size());
        if (type == Instant.class) return INSTANTS.get(i % INSTANTS.size());
        if (type == int.class) return 3;
        if (type == long.class) return 3L;
        if (type == double.class) return 2.0;
        if (type == String.class) return "name";
        if (type == JobState.class) return JobState.DONE;
        if (type == Duration[].class) return new Duration[] {DURATIONS.get(i % DURATIONS.size())};
        if (type == Set.class) return Set.of();
        if (type == Map.class) return Map.of();
        throw new AssertionError("no value of " + type);
    }

    @Test
    void times_areTakenOrRefused() throws IllegalAccessException {
        for (Object each : ON) call(each);
        assertThat(wrong).isEmpty();
        assertThat(calls).isGreaterThan(200);
    }

    @Test
    void backoff_ofCenturies_hasDelays() {
        Backoff backoff = Backoff.of(Duration.ofDays(365 * 200), 10, Duration.ofDays(365 * 50_000), 5);
        for (int attempt = 1; attempt < 5; attempt++)
            assertThat(backoff.delay(attempt, new IllegalStateException()).isPresent())
                    .isEqualTo(attempt < 4);
        assertThat(new ReceiverUnavailableException("no", Duration.ofSeconds(Long.MAX_VALUE)).retryAfter())
                .isNotNull();
    }
}
