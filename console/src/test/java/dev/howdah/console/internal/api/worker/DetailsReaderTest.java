package dev.howdah.console.internal.api.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.howdah.job.Job;
import dev.howdah.operations.read.ClaimedDetails;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which answers share a statement. The test says when the statements run. */
class DetailsReaderTest {
    private final Queue<Runnable> work = new ArrayDeque<>();
    /** The jobs of each statement. */
    private final List<List<Long>> statements = new ArrayList<>();

    private Runnable meanwhile = () -> {};
    private final DetailsReader reader = new DetailsReader(this::read, work::add);

    private Map<Long, ClaimedDetails> read(List<HttpClaim> claims) {
        List<Long> jobs = claims.stream().map(each -> each.job().id()).toList();
        statements.add(jobs);
        meanwhile.run();
        meanwhile = () -> {};
        if (jobs.contains(13L)) throw new IllegalStateException("no statement of job 13 runs");
        return jobs.stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        job -> new ClaimedDetails(
                                Instant.ofEpochSecond(job), Instant.ofEpochSecond(job), null, null, null)));
    }

    private static List<HttpClaim> claims(long... jobs) {
        List<HttpClaim> claims = new ArrayList<>();
        for (long id : jobs) {
            Job job = (Job)
                    Proxy.newProxyInstance(Job.class.getClassLoader(), new Class<?>[] {Job.class}, (o, method, a) -> {
                        if (method.getName().equals("id")) return id;
                        throw new UnsupportedOperationException(method.getName());
                    });
            claims.add(new HttpClaim(job, NullNode.getInstance(), "w", 30));
        }
        return claims;
    }

    private void run() {
        for (Runnable each = work.poll(); each != null; each = work.poll()) each.run();
    }

    @Test
    void details_askedForWhileAStatementRuns_areReadByTheNextOne_andThenItIsIdle() {
        List<CompletableFuture<Map<Long, ClaimedDetails>>> later = new ArrayList<>();
        meanwhile = () -> {
            later.add(reader.of(claims(2)));
            later.add(reader.of(claims(3, 4)));
        };
        CompletableFuture<Map<Long, ClaimedDetails>> first = reader.of(claims(1));
        run();
        assertThat(first.join()).containsOnlyKeys(1L);
        assertThat(later).allSatisfy(each -> assertThat(each.join()).containsOnlyKeys(2L, 3L, 4L));
        assertThat(statements).containsExactly(List.of(1L), List.of(2L, 3L, 4L));
        assertThat(work).isEmpty();

        assertThat(reader.of(claims(5))).isNotDone();
        run();
        assertThat(statements).last().isEqualTo(List.of(5L));
    }

    @Test
    void statement_thatFails_failsItsAnswers_andNoLaterOnes() {
        CompletableFuture<Map<Long, ClaimedDetails>> failing = reader.of(claims(13));
        run();
        assertThatThrownBy(failing::join).hasMessageContaining("job 13");
        CompletableFuture<Map<Long, ClaimedDetails>> next = reader.of(claims(14));
        run();
        assertThat(next.join()).containsOnlyKeys(14L);
    }

    @Test
    void details_ofNoJobs_needNoStatement() {
        assertThat(reader.of(List.of())).isCompletedWithValue(Map.of());
        assertThat(statements).isEmpty();
    }
}
