package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** All calls that join a transaction, in all situations of a thread: each job is there if, and only if, it should be. */
@PostgresTest
class TransactionPhasesTest {
    private static final Kind<String> MAIL = Kind.of("mail", String.class);

    /** The calls, each of which adds one job with that payload. */
    private static final Map<String, Call> CALLS = new TreeMap<>(Map.of(
            "add",
            (jobs, job) -> jobs.add(job),
            "keyed",
            (jobs, job) -> jobs.add(job.key(String.valueOf(job.payload()))),
            "all",
            (jobs, job) -> jobs.addAll(List.of(job)),
            "each",
            (jobs, job) -> jobs.addEach(List.of(job)),
            "async",
            (jobs, job) -> jobs.addAsync(job).join(),
            "workflow",
            (jobs, job) -> jobs.workflows().add(Workflow.of("w").jobs(List.of(job)))));

    private interface Call {
        void add(Jobs jobs, NewJob<String> job);
    }

    private final TestDatabase database;
    private final List<String> wanted = new ArrayList<>();
    private final List<String> wantedProcesses = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // of the application of a test
    private Processes processes;

    TransactionPhasesTest(TestDatabase database) {
        this.database = database;
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Namespace namespace() {
            return Namespace.of("n", (task, process) -> Intent.none());
        }
    }

    private static void inPhase(Consumer<TransactionSynchronization> register, String phase, Runnable work) {
        register.accept(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                if (phase.equals("beforeCommit")) work.run();
            }

            @Override
            public void beforeCompletion() {
                if (phase.equals("beforeCompletion")) work.run();
            }

            @Override
            public void afterCommit() {
                if (phase.equals("afterCommit")) work.run();
            }

            @Override
            public void afterCompletion(int status) {
                if (phase.equals("afterCompletion")) work.run();
            }
        });
    }

    private TransactionTemplate template(ConfigurableApplicationContext application, int propagation) {
        TransactionTemplate template = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    private Runnable adding(Jobs jobs, String situation, boolean stays) {
        return () -> {
            CALLS.forEach((name, call) -> {
                String payload = situation + " " + name;
                call.add(jobs, NewJob.of(MAIL, payload).queue("later"));
                if (stays) wanted.add('"' + payload + '"');
            });
            processes.init("n", situation, null);
            if (stays) wantedProcesses.add(situation);
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void job_inEachSituation_isThereIfItShouldBe(boolean autoCommit) {
        try (ConfigurableApplicationContext application =
                Application.start(database, Beans.class, "spring.datasource.hikari.auto-commit=" + autoCommit)) {
            Jobs jobs = application.getBean(Jobs.class);
            processes = application.getBean(Processes.class);
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            TransactionTemplate required = template(application, TransactionDefinition.PROPAGATION_REQUIRED);

            adding(jobs, "none", true).run();
            required.executeWithoutResult(status -> adding(jobs, "in", true).run());
            required.executeWithoutResult(status -> {
                adding(jobs, "rolled back", false).run();
                status.setRollbackOnly();
            });
            required.executeWithoutResult(status -> {
                status.setRollbackOnly();
                adding(jobs, "rollback only", false).run();
            });
            for (String phase : List.of("beforeCommit", "beforeCompletion", "afterCommit", "afterCompletion"))
                required.executeWithoutResult(status -> {
                    inPhase(
                            TransactionSynchronizationManager::registerSynchronization,
                            phase,
                            adding(jobs, phase, true));
                    jdbc.execute("SELECT 1");
                });
            required.executeWithoutResult(status -> {
                inPhase(
                        TransactionSynchronizationManager::registerSynchronization,
                        "afterCompletion",
                        adding(jobs, "after rollback", true));
                jdbc.execute("SELECT 1");
                status.setRollbackOnly();
            });
            // What reads after the commit opens another transaction on the same connection.
            required.executeWithoutResult(status ->
                    inPhase(TransactionSynchronizationManager::registerSynchronization, "afterCommit", () -> {
                        jdbc.execute("SELECT 1");
                        adding(jobs, "read after commit", true).run();
                    }));
            for (int without : new int[] {
                TransactionDefinition.PROPAGATION_SUPPORTS,
                TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                TransactionDefinition.PROPAGATION_NEVER
            })
                template(application, without).executeWithoutResult(status -> {
                    jdbc.execute("SELECT 1");
                    adding(jobs, "without " + without, true).run();
                });
            required.executeWithoutResult(outer -> {
                jdbc.execute("SELECT 1");
                template(application, TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(
                                status -> adding(jobs, "suspended", true).run());
                template(application, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(
                                status -> adding(jobs, "inner", true).run());
                outer.setRollbackOnly();
            });
            // In a new transaction of a callback they join that one.
            required.executeWithoutResult(status -> inPhase(
                    TransactionSynchronizationManager::registerSynchronization,
                    "afterCommit",
                    () -> template(application, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                            .executeWithoutResult(inner -> {
                                adding(jobs, "new after commit", false).run();
                                inner.setRollbackOnly();
                            })));
            TransactionTemplate readOnly = template(application, TransactionDefinition.PROPAGATION_REQUIRED);
            readOnly.setReadOnly(true);
            assertThatThrownBy(() -> readOnly.executeWithoutResult(
                            status -> adding(jobs, "read only", false).run()))
                    .hasMessageContaining("it is read only");

            assertThat(jdbc.queryForList("SELECT payload::text FROM howdah_internal.job", String.class))
                    .containsExactlyInAnyOrderElementsOf(wanted);
            assertThat(jdbc.queryForList("SELECT id FROM howdah_internal.process", String.class))
                    .containsExactlyInAnyOrderElementsOf(wantedProcesses);
            assertThat(application.getBean(SimpleMeterRegistry.class).find("howdah.jobs.added").counters().stream()
                            .mapToDouble(Counter::count)
                            .sum())
                    .isEqualTo(wanted.size());
        }
    }
}
