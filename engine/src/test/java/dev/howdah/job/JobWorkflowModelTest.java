package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowJob.State;
import dev.howdah.job.workflow.WorkflowSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random graphs with random outcomes, beside a model: every graph ends, each job as the model says, callbacks once. */
@PostgresTest
@Tag("long")
class JobWorkflowModelTest {
    private static final int WORKFLOWS = 12;

    /** What a job does: it fails for good, fails once, or is done. */
    enum Outcome {
        DONE,
        FAILS,
        FAILS_ONCE
    }

    /** @param atOnce it runs when one of those before it has failed, whatever the others do */
    record Load(int workflow, String name, Outcome outcome, boolean atOnce) {}

    private static final Kind<Load> WORK = Kind.of("work", Load.class);
    private static final Kind<String> CALLBACK = Kind.of("callback", String.class);

    private final JobsDatabase database;
    private final Set<String> wrong = ConcurrentHashMap.newKeySet();

    JobWorkflowModelTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** One graph: what is added, and what has to come of it. */
    private static final class Graph {
        private Workflow workflow;
        private final Map<String, State> expected = new LinkedHashMap<>();

        Graph(int number, Random random) {
            workflow = Workflow.of("graph " + number);
            int size = 1 + random.nextInt(10);
            List<String> order = new ArrayList<>();
            List<Workflow.Named> named = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                String name = "j" + i;
                Set<String> before = new TreeSet<>();
                for (String each : order) if (random.nextInt(3) == 0) before.add(each);
                After.Condition condition = After.Condition.values()[random.nextInt(3)];
                Outcome outcome = Outcome.values()[random.nextInt(3)];
                NewJob<Load> job =
                        NewJob.of(WORK, new Load(number, name, outcome, condition == After.Condition.FAILED));
                named.add(new Workflow.Named(
                        name, job, before.isEmpty() ? null : new After(condition, List.copyOf(before))));
                boolean bad = before.stream().anyMatch(each -> expected.get(each) != State.DONE);
                boolean runs = before.isEmpty()
                        || switch (condition) {
                            case DONE -> !bad;
                            case FAILED -> bad;
                            case ENDED -> true;
                        };
                expected.put(name, !runs ? State.CANCELLED : outcome == Outcome.FAILS ? State.FAILED : State.DONE);
                order.add(name);
            }
            // They may be given in any order.
            Collections.shuffle(named, random);
            for (Workflow.Named each : named)
                workflow = each.after() == null
                        ? workflow.job(each.name(), each.job())
                        : workflow.job(each.name(), each.job(), each.after());
            List<NewJob<Load>> members = new ArrayList<>();
            for (int i = random.nextInt(20); i > 0; i--)
                members.add(NewJob.of(
                        WORK, new Load(number, "", random.nextInt(5) == 0 ? Outcome.FAILS : Outcome.DONE, false)));
            for (NewJob<Load> each : members)
                expected.put(
                        "member " + expected.size(),
                        each.payload() != null && each.payload().outcome() == Outcome.FAILS
                                ? State.FAILED
                                : State.DONE);
            workflow = workflow.jobs(members)
                    .whenEnded(NewJob.of(CALLBACK, number + " ended"))
                    .whenDone(NewJob.of(CALLBACK, number + " done"))
                    .whenFailed(NewJob.of(CALLBACK, number + " failed"));
        }

        long count(State state) {
            return expected.values().stream().filter(each -> each == state).count();
        }
    }

    private Jobs node() {
        return database.jobs()
                .defaultRetries((attempt, failure) -> failure instanceof IllegalArgumentException
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis(5)))
                .handle(WORK, (load, job) -> {
                    for (Map.Entry<String, State> each : job.predecessors().entrySet())
                        if (each.getValue() != State.DONE
                                && each.getValue() != State.FAILED
                                && each.getValue() != State.CANCELLED
                                && !load.atOnce()) wrong.add(load + " runs before " + each);
                    if (load.outcome() == Outcome.FAILS) throw new IllegalArgumentException("fails");
                    if (load.outcome() == Outcome.FAILS_ONCE && job.attempt() == 1)
                        throw new IllegalStateException("once");
                })
                .handle(CALLBACK, (text, job) -> {
                    if (job.workflow().orElseThrow().waiting() != 0) wrong.add(text + " before all have ended");
                })
                .start();
    }

    @ParameterizedTest // also while sessions of nodes are ended at any moment
    @ValueSource(booleans = {false, true})
    void graphs_random_endAsTheModelSays(boolean killing) {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<Long, Graph> graphs = new HashMap<>();
        // Sessions of a pool could be dead when a workflow is added; these are new for each.
        try (Jobs one = node();
                Jobs other = node();
                Jobs producer = Jobs.on(database.source()).start()) {
            for (int i = 0; i < WORKFLOWS; i++) {
                Graph graph = new Graph(i, random);
                Jobs adder = killing ? producer : random.nextBoolean() ? one : other;
                graphs.put(adder.workflows().add(graph.workflow), graph);
                if (killing && random.nextInt(3) == 0)
                    database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5");
            }
            JobsDatabase.awaiting("all have ended, seed " + seed)
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.workflow WHERE ended IS NULL") == 0);
            database.awaitEmpty();
        }
        assertThat(wrong).as("seed %s", seed).isEmpty();
        try (Jobs reader = database.jobs().start()) {
            graphs.forEach((id, graph) -> {
                WorkflowSummary found = reader.workflows().find(id).orElseThrow();
                assertThat(List.of(found.done(), found.failed(), found.cancelled(), found.total()))
                        .as("seed %s, %s", seed, found.name())
                        .containsExactly(
                                graph.count(State.DONE), graph.count(State.FAILED), graph.count(State.CANCELLED), (long)
                                        graph.expected.size());
                for (WorkflowJob each : reader.workflows().jobs(id))
                    assertThat(each.state())
                            .as("seed %s, %s of %s", seed, each.name(), found.name())
                            .isEqualTo(graph.expected.get(each.name()));
            });
        }
        // Each done once; the callbacks that the counts ask for, each once.
        assertThat(database.timesDone()).as("seed %s", seed).containsExactly("1");
        List<String> callbacks = new ArrayList<>();
        graphs.values().forEach(graph -> {
            String number = graph.workflow.name().substring("graph ".length());
            callbacks.add(number + " ended");
            callbacks.add(number + (graph.count(State.DONE) == graph.expected.size() ? " done" : " failed"));
        });
        assertThat(
                        database
                                .rows(
                                        "SELECT payload #>> '{}' FROM howdah.taken WHERE kind = 'callback' AND letter = 'd'")
                                .stream()
                                .map(row -> String.valueOf(row.get(0)))
                                .toList())
                .as("seed %s", seed)
                .containsExactlyInAnyOrderElementsOf(callbacks);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.workflow_event"))
                .isZero();
    }
}
