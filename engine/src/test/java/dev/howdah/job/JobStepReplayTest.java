package dev.howdah.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.sql.Statement;
import java.time.DayOfWeek;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a step returns in the attempt that does its work, beside what it returns in later ones. */
@PostgresTest
class JobStepReplayTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    record Line(String item) {}

    /** No codec knows which class to make of its text. */
    interface Event {}

    record Paid(int cents) implements Event {}

    private final JobsDatabase database;
    private final List<Object> seen = new ArrayList<>();

    JobStepReplayTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** Runs a handler twice; its first attempt fails at its end. */
    private void runTwice(Handler<Integer> handler) {
        runTwice(handler, 1);
    }

    /** @param failing the attempt that fails at its end */
    private void runTwice(Handler<Integer> handler, int failing) {
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (payload, job) -> {
                            handler.handle(payload, job);
                            if (job.attempt() == failing) throw new IllegalStateException("once");
                        },
                        options -> options.retries(RetryPolicy.after(Duration.ZERO, Duration.ZERO)))
                .manual()) {
            manual.jobs().add(WORK, 1);
            manual.runDue();
        }
    }

    @Test
    void step_ofAnyType_givesTheSameInBothAttempts() {
        runTwice((payload, job) -> {
            seen.add(String.valueOf(job.step("lines", List.class, () -> List.of(new Line("a")))));
            Set<?> days = requireNonNull(job.step("days", Set.class, () -> EnumSet.of(DayOfWeek.MONDAY)));
            seen.add(days.contains(DayOfWeek.MONDAY));
            Map<?, ?> map = requireNonNull(job.step("map", Map.class, () -> Map.of(1, "one")));
            seen.add(map.get("1"));
            seen.add(job.stepInTransaction("line", Line.class, connection -> new Line("b")));
        });
        assertThat(seen)
                .containsExactly("[{item=a}]", false, "one", new Line("b"), "[{item=a}]", false, "one", new Line("b"));
    }

    @Test
    void step_whoseResultCannotBeReadBack_failsTheJobForGoodAndIsDoneOnce() {
        runTwice((payload, job) -> job.step("charge", Event.class, () -> {
            seen.add("charged");
            return new Paid(7);
        }));
        assertThat(seen).containsExactly("charged");
        assertThat(database.text("SELECT error FROM howdah_internal.failed"))
                .contains("the result of step \"charge\" of job ", "cannot be read as ", "Event");
    }

    @Test
    void recordedResult_thatThisProgramCannotRead_isLeftToOneThatCan() {
        try (ManualJobs manual = database.jobs()
                .handle(
                        WORK,
                        (payload, job) -> {
                            if (job.attempt() == 2) {
                                // A program that does not know the class.
                                job.step("charge", Integer.class, () -> 2);
                            }
                            seen.add(job.step("charge", Line.class, () -> {
                                seen.add("charged");
                                return new Line("a");
                            }));
                            if (job.attempt() == 1) throw new IllegalStateException("once");
                        },
                        options -> options.retries(RetryPolicy.after(Duration.ZERO, Duration.ZERO)))
                .manual()) {
            manual.jobs().add(WORK, 1);
            manual.runDue();
        }
        assertThat(seen).containsExactly("charged", new Line("a"), new Line("a"));
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01"})
    void record_thatMakesWayForAnotherTransaction_isWrittenAgain(String state) {
        database.execute(
                "CREATE SEQUENCE public.tries; CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN IF nextval(''public.tries'') < 3 THEN RAISE ''another one'' USING ERRCODE = ''"
                        + state
                        + "''; END IF; RETURN NEW; END'; CREATE TRIGGER refuse BEFORE INSERT ON howdah_internal.job_step"
                        + " FOR EACH ROW EXECUTE FUNCTION public.refuse()");
        runTwice((payload, job) -> job.step("charge", Line.class, () -> {
            seen.add("charged");
            return new Line("a");
        }));
        assertThat(seen).containsExactly("charged");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01"})
    void stepInTransaction_thatMakesWayForAnotherTransaction_leavesOneEffect(String state) {
        database.execute("CREATE TABLE public.effect (name text); CREATE SEQUENCE public.tries");
        runTwice(
                (payload, job) -> job.stepInTransaction("charge", Line.class, connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO public.effect VALUES ('charged')");
                        statement.execute(
                                "DO 'BEGIN IF nextval(''public.tries'') = 1 THEN RAISE ''another one'' USING ERRCODE = ''"
                                        + state + "''; END IF; END'");
                    }
                    return new Line("a");
                }),
                2);
        assertThat(database.number("SELECT count(*) FROM public.effect")).isOne();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test
    void codec_thatThrowsAnError_leavesTheStepDoneOnce() {
        JacksonCodec jackson = new JacksonCodec();
        PayloadCodec codec = new PayloadCodec() {
            @Override
            public String encode(Object payload) {
                return jackson.encode(payload);
            }

            @Override
            public String encode(Object payload, Type type, Subject subject) {
                if (subject.use() == Use.STEP) throw new NoClassDefFoundError("com/example/Part");
                return encode(payload);
            }

            @Override
            public <T> T decode(String json, Class<T> type) {
                return jackson.decode(json, type);
            }
        };
        try (ManualJobs manual = database.jobs()
                .codec(codec)
                .handle(
                        WORK,
                        (payload, job) -> job.step("charge", Line.class, () -> {
                            seen.add("charged");
                            return new Line("a");
                        }),
                        options -> options.retries(RetryPolicy.after(Duration.ZERO)))
                .manual()) {
            manual.jobs().add(WORK, 1);
            manual.runDue();
        }
        assertThat(seen).containsExactly("charged");
        assertThat(database.text("SELECT error FROM howdah_internal.failed"))
                .contains("is done, and its result cannot be recorded", "com/example/Part");
    }

    @Test
    void codec_isToldTheTypeByWhichAValueIsReadBack() {
        List<String> told = new CopyOnWriteArrayList<>();
        JacksonCodec jackson = new JacksonCodec();
        PayloadCodec codec = new PayloadCodec() {
            @Override
            public String encode(Object payload) {
                return jackson.encode(payload);
            }

            @Override
            public String encode(Object payload, Type type, Subject subject) {
                told.add(subject.use() + " " + type.getTypeName());
                return jackson.encode(payload);
            }

            @Override
            public <T> T decode(String json, Class<T> type) {
                return jackson.decode(json, type);
            }

            @Override
            public <T> T decode(String json, TypeReference<T> type) {
                return jackson.decode(json, type);
            }
        };
        Kind<List<Integer>> numbers = Kind.of("numbers", new TypeReference<List<Integer>>() {});
        try (ManualJobs manual = database.jobs()
                .codec(codec)
                .handle(numbers, (payload, job) -> job.step("sum", Long.class, () -> 6L))
                .manual()) {
            manual.jobs().add(numbers, List.of(1, 2, 3));
            manual.jobs().addAll(List.of(NewJob.of(numbers, List.of(4))));
            assertThat(manual.runDue()).isEqualTo(2);
        }
        assertThat(told)
                .containsExactly(
                        "PAYLOAD java.util.List<java.lang.Integer>",
                        "PAYLOAD java.util.List<java.lang.Integer>",
                        "STEP java.lang.Long",
                        "STEP java.lang.Long");
    }
}
