package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.AttemptState;
import dev.howdah.job.internal.attempt.AttemptState.Attempts;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.store.JobSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The transition table of claimed jobs: the enum, its printed form, and a job after each end of an attempt. */
@PostgresTest
class JobTransitionsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final Pattern ROW = Pattern.compile("^ \\* {3}(\\w) {5}(\\w+) +(\\w+) +(\\w+)$", Pattern.MULTILINE);
    private static final Pattern COMPARED = Pattern.compile("letter\\s+(?:=|<>)\\s+'\\w'|letter\\s+IN\\s+\\([^)]*\\)");

    private final JobsDatabase database;

    JobTransitionsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static Set<String> codes() {
        return Arrays.stream(AttemptState.values())
                .map(each -> String.valueOf(each.code()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void description_ofThePackage_isTheEnum() throws IOException {
        String page = Files.readString(Path.of("src/main/java/dev/howdah/job/internal/attempt/package-info.java"));
        assertThat(ROW.matcher(page)
                        .results()
                        .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3) + " " + row.group(4)))
                .containsExactlyElementsOf(Arrays.stream(AttemptState.values())
                        .map(each -> each.code() + " " + each + " " + each.after() + " " + each.attempts())
                        .toList());
    }

    @Test
    void codes_inTheCommentOnTheColumn_areThoseOfTheEnum() {
        String comment = database.text("SELECT col_description(attrelid, attnum) FROM pg_attribute"
                + " WHERE attrelid = 'howdah_internal.batch'::regclass AND attname = 'outcomes'");
        Set<String> said = Pattern.compile("\\b(\\w) ?\\(")
                .matcher(comment)
                .results()
                .map(code -> code.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(said).as(comment).isEqualTo(codes());
    }

    @Test
    void codes_inTheSql_areThoseOfTheEnum() throws IOException {
        Set<String> compared = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/resources/dev/howdah/job"))) {
            for (Path each :
                    files.filter(file -> file.toString().endsWith(".sql")).toList())
                COMPARED.matcher(Files.readString(each))
                        .results()
                        .flatMap(found -> Pattern.compile("'(\\w)'")
                                .matcher(found.group())
                                .results())
                        .forEach(code -> compared.add(code.group(1)));
        }
        assertThat(compared).isEqualTo(codes());
    }

    private static AttemptResult result(AttemptState state) {
        return switch (state) {
            case DONE -> AttemptResult.done("1");
            case NEXT_STAGE -> AttemptResult.next(new AttemptResult.Step("next_stage", "later", "2"));
            case RETRIED -> AttemptResult.retry(HOUR_MICROS, "not now");
            case SNOOZED -> AttemptResult.snooze(HOUR_MICROS);
            case SUSPENDED ->
                AttemptResult.suspended(
                        new OpenWait(OpenWait.Type.SLEEP, "x", 1, 1, HOUR_MICROS, System.nanoTime(), null, false));
            case GIVEN_BACK -> AttemptResult.GIVEN_BACK;
            case UNKNOWN_KIND -> AttemptResult.UNKNOWN;
            case FAILED -> AttemptResult.failed("never");
            case CANCELLED -> AttemptResult.cancelled("not wanted");
            case MOVED, NODE_CRASHED -> throw new IllegalArgumentException("no result of a handler: " + state);
        };
    }

    @ParameterizedTest
    @EnumSource
    void attempt_endsSo_jobIsAsTheTableSays(AttemptState state) throws SQLException {
        String queue = state.name().toLowerCase(Locale.ROOT);
        long id;
        try (Jobs adder = database.jobs().start()) {
            id = adder.addAll(List.of(
                            NewJob.of(WORK, 1).queue(queue), NewJob.of(WORK, 2).queue(queue)))
                    .get(0);
        }
        database.execute("UPDATE howdah_internal.job SET attempt = 1");
        Lane lane = new Lane(
                (int) database.number("SELECT id FROM howdah_internal.lane WHERE queue = '" + queue + "'"),
                queue,
                null);
        ConnectionSource source = ConnectionSource.of(database.dataSource());
        if (state == AttemptState.UNKNOWN_KIND) new LaneRegistry(source).make(queue, WORK.name());
        try (JobSession session = JobSession.open(source)) {
            int node = NodeIdentity.enter(session, "tested", null, "job").id();
            BatchStore store = new BatchStore(session, node, new String[0]);
            ClaimedBatch batch =
                    store.claim(List.of(), lane, 2, ScanBounds.NONE).batches().get(0);
            int first = batch.indexOf(id);
            if (state != AttemptState.NODE_CRASHED) {
                for (int i = 0; i < batch.size(); i++)
                    if (i != first || state != AttemptState.MOVED)
                        batch.end(
                                i,
                                i == first ? result(state) : AttemptResult.DONE,
                                System.nanoTime(),
                                System.nanoTime());
                assertThat(store.settle(batch)).isTrue();
            }
            if (state == AttemptState.MOVED) assertAfter(id, state);
        }
        if (state == AttemptState.NODE_CRASHED) {
            try (Jobs rescuer = database.jobs()
                    .queues("another")
                    .handle(WORK, (number, job) -> {})
                    .start()) {
                JobsDatabase.awaiting("the batch of the crashed node is rescued")
                        .until(() -> database.number("SELECT count(*) FROM howdah_internal.job") == 2);
                assertAfter(id, state);
            }
        } else if (state != AttemptState.MOVED) assertAfter(id, state);
    }

    private void assertAfter(long id, AttemptState state) {
        assertThat(database.text("SELECT t.letter FROM howdah.taken t WHERE t.ended IS NOT NULL AND t.id = " + id))
                .isEqualTo(String.valueOf(state.code()));
        String shown = switch (state.after()) {
            case DONE -> "done";
            case WAITING -> "waiting";
            case DELAYED -> "retrying";
            case SUSPENDED -> "suspended";
            case RUNNING -> "running";
            case FAILED -> "failed";
            case CANCELLED -> "cancelled";
        };
        // One attempt before; an attempt that runs is shown as one more.
        int attempts = state.attempts() == Attempts.RESET
                ? 0
                : state == AttemptState.MOVED || state.attempts() == Attempts.COUNTED ? 2 : 1;
        assertThat(database.text("SELECT state || ' ' || attempt FROM howdah.jobs WHERE id = " + id))
                .isEqualTo(shown + " " + attempts);
    }
}
