package dev.howdah.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.BeanMethods;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.job.Job;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an annotated method says, and which methods are refused. */
class BeanMethodsTest {
    static final Kind<Long> CONSTANT = Kind.of("constant", Long.class).queue("fast");

    private static final Kind<Long> DECLARED =
            Kind.of("declared", Long.class).queue("slow").timeout(Duration.ofMinutes(3));

    /** Methods of a bean, some of which cannot handle jobs. */
    @SuppressWarnings("unused") // by reflection
    static class Bean {
        @JobHandler("plain")
        void plain() {}

        @JobHandler(
                value = "${kind}",
                queue = "mails",
                attempts = 3,
                timeout = "PT30S",
                limit = 2,
                transactional = true,
                dataSource = "stock")
        void full(Job job, List<String> payload, Connection connection) {}

        @JobHandler("declared")
        void declared(long id) {}

        @JobHandler("declared")
        void otherPayload(String id) {}

        @JobHandler(value = "declared", queue = "other")
        void otherQueue(long id) {}

        @JobHandler(value = "constant", kinds = BeanMethodsTest.class)
        void constant(long id) {}

        @JobHandler(value = "none", kinds = BeanMethodsTest.class)
        void noConstant(long id) {}

        @JobHandler(value = "backoff", backoff = "PT2H")
        void longBackoff() {}

        @JobHandler(
                value = "all",
                formerly = "old ${kind}",
                priority = -5,
                tags = {"nightly", "${kind}"},
                version = "2",
                alsoRuns = "1")
        @JobSchedule(every = "PT1H", jitter = "PT30S", catchUp = "PT1H", calendar = "holidays")
        void all() {}

        @JobHandler("scheduled")
        @JobSchedule(every = "PT10S", name = "often", overlap = Schedule.Overlap.SKIP)
        @JobSchedule(cron = "0 6 * * *", zone = "Europe/Berlin", name = "daily")
        @JobSchedule(cron = "-", name = "gone")
        void scheduled() {}

        @JobHandler("plain")
        void twice() {}

        @JobHandler("private")
        private void hidden() {}

        @JobHandler("static")
        static void ofTheClass() {}

        @JobHandler("connection")
        void withoutTransaction(Connection connection) {}

        @JobHandler("two")
        void two(String one, String other) {}

        @JobHandler("late")
        CompletableFuture<Void> late() {
            return CompletableFuture.completedFuture(null);
        }

        @JobHandler("payload")
        @JobSchedule(every = "PT1M")
        void scheduledWithPayload(String payload) {}

        @JobHandler("times")
        @JobSchedule
        void withoutTimes() {}

        @JobHandler(value = "time", timeout = "soon")
        void wrongTime() {}

        @JobSchedule(every = "PT1M")
        void withoutKind() {}
    }

    private static final BeanMethods.Texts TEXTS = new BeanMethods.Texts() {
        @Override
        public String resolve(String text) {
            return text.replace("${kind}", "full");
        }

        @Override
        public Duration duration(String text) {
            return Duration.parse(text);
        }
    };

    private final BeanMethods methods = new BeanMethods(TEXTS, List.of(DECLARED));

    private static Method method(String name) {
        return Stream.of(Bean.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private BeanMethod read(String name) {
        methods.read(method(name), values -> null);
        return methods.all().get(methods.all().size() - 1);
    }

    @Test
    void annotation_saysWhatTheHandlerIs() {
        BeanMethod full = read("full");
        assertThat(full.kind().name()).isEqualTo("full");
        assertThat(full.queue()).isEqualTo("mails");
        assertThat(full.kind().timeoutOrNull()).isEqualTo(Duration.ofSeconds(30));
        assertThat(full.dataSource()).isEqualTo("stock");
        assertThat(full.payload().getTypeName()).isEqualTo("java.util.List<java.lang.String>");
        assertThat(BeanMethods.hasPlaceholders(method("full"))).isTrue();
        assertThat(BeanMethods.hasPlaceholders(method("scheduled"))).isFalse();
        assertThat(read("plain").payload()).isEqualTo(Void.class);
    }

    @Test
    void kind_thatIsABean_givesWhatTheAnnotationDoesNotSay() {
        assertThat(read("declared").queue()).isEqualTo("slow");
    }

    @Test
    void kind_thatIsAConstant_givesWhatTheAnnotationDoesNotSay() {
        assertThat(read("constant").queue()).isEqualTo("fast");
    }

    @Test
    @SuppressWarnings("unchecked") // it has no payload
    void schedule_addsJobsWithThePriorityAndTheTagsOfTheAnnotation() {
        BeanMethod all = read("all");
        NewJob<Void> added = NewJob.of((Kind<Void>) all.kind());
        assertThat(added.priority()).isEqualTo(-5);
        assertThat(added.options()).contains("nightly", "full");
        assertThat(all.schedules()).hasSize(1);
        assertThatThrownBy(() -> all.kind().formerly("old full")).hasMessageContaining("already");
        assertThat(BeanMethods.hasPlaceholders(method("all"))).isTrue();
    }

    @Test
    void schedules_areReadAndRemoved() {
        BeanMethod scheduled = read("scheduled");
        assertThat(scheduled.schedules()).extracting(Schedule::name).containsExactly("often", "daily");
        assertThat(scheduled.removed()).containsExactly("gone");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "otherPayload|its payload is java.lang.String, and that of the bean",
                "otherQueue|its queue is other, and that of its Kind declared is slow",
                "noConstant|has no constant Kind with the name \"none\"",
                "longBackoff|a backoff of PT2H is longer than the longest one",
                "twice|The kind \"plain\" has two handlers",
                "hidden|is private",
                "ofTheClass|is static",
                "withoutTransaction|is not transactional",
                "two|has two parameters for the payload",
                "late|its job would be done before its work is",
                "scheduledWithPayload|its schedule has none to give",
                "withoutTimes|needs one of cron and every",
                "wrongTime|\"soon\" is no time such as",
                "withoutKind|has a @JobSchedule and no @JobHandler",
            })
    void method_thatCannotHandleJobs_isRefused(String name, String reason) {
        read("plain");
        assertThatThrownBy(() -> read(name))
                .isInstanceOf(RefusedStart.class)
                .hasMessageContaining(reason)
                .hasMessageMatching("(?s).*[.)]$");
    }
}
