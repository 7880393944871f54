package dev.howdah.console.internal.api.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.job.Job;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Requests with one key, in the orders in which their connections may end. The node is played by the test, which also says when answers are written. */
class KeyedPollsTest {
    private static final KeyedPolls.Key KEY = new KeyedPolls.Key("caller", "k");
    private static final BooleanSupplier STANDS = () -> false;
    private static final BooleanSupplier CLOSED = () -> true;

    private final Queue<Runnable> answers = new ArrayDeque<>();
    private final KeyedPolls polls = new KeyedPolls(answers::add);
    /** Those that were added to the node. */
    private final List<WaitingPoll> waiting = new ArrayList<>();

    private CompletableFuture<List<HttpClaim>> ask(BooleanSupplier client, int most) {
        WaitingPoll poll = new WaitingPoll(new PollCaller("caller", false), "w", 30, most, client, () -> true);
        return polls.once(
                KEY,
                new KeyedPolls.Asked(
                        new PolledNodes.Served(Set.of("default"), Set.of("mail"), List.of()), "w", 30, most),
                poll,
                client,
                waiting::add);
    }

    private static HttpClaim claim() {
        Job job =
                (Job) Proxy.newProxyInstance(Job.class.getClassLoader(), new Class<?>[] {Job.class}, (o, method, a) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
        return new HttpClaim(job, NullNode.getInstance(), "w", 30);
    }

    private void writeAnswers() {
        for (Runnable each = answers.poll(); each != null; each = answers.poll()) each.run();
    }

    @Test // the connection of the first one was closed, which the node finds before it ends the request
    void request_ofAKeyWhoseClientWasFoundToBeGone_asksAnew() {
        CompletableFuture<List<HttpClaim>> first = ask(CLOSED, 1);
        assertThat(waiting.get(0).isGone()).isTrue();
        CompletableFuture<List<HttpClaim>> second = ask(STANDS, 1);
        waiting.get(0).end();
        writeAnswers();
        assertThat(first.join()).isEmpty();
        assertThat(second).isNotDone();
        assertThat(waiting).hasSize(2);
        HttpClaim claim = claim();
        waiting.get(1).add(claim);
        waiting.get(1).end();
        assertThat(second.join()).containsExactly(claim);
    }

    @Test
    void request_ofAKeyWhoseClientIsGone_comesBeforeThatIsFound_getsTheJob() {
        CompletableFuture<List<HttpClaim>> first = ask(CLOSED, 1);
        CompletableFuture<List<HttpClaim>> second = ask(STANDS, 1);
        assertThat(waiting).hasSize(1);
        assertThat(waiting.get(0).isGone()).isFalse();
        HttpClaim claim = claim();
        waiting.get(0).add(claim);
        waiting.get(0).end();
        // The answer of the first one fails before that of the second one is written.
        first.join().forEach(HttpClaim::notTaken);
        writeAnswers();
        assertThat(second.join()).containsExactly(claim);
        second.join().forEach(HttpClaim::notTaken);
        assertThat(claim.offered()).as("no client has it: it went back").isFalse();
    }

    @Test
    void request_againAfterItsAnswerWentBack_asksAnew() {
        CompletableFuture<List<HttpClaim>> first = ask(STANDS, 1);
        waiting.get(0).add(claim());
        waiting.get(0).end();
        first.join().forEach(HttpClaim::notTaken);
        assertThat(ask(STANDS, 1)).isNotDone();
        assertThat(waiting).hasSize(2);
    }

    @Test // as when its answer is lost on the way
    void request_againBeforeItsAnswerFails_keepsTheClaim() {
        CompletableFuture<List<HttpClaim>> first = ask(STANDS, 1);
        HttpClaim claim = claim();
        waiting.get(0).add(claim);
        waiting.get(0).end();
        CompletableFuture<List<HttpClaim>> second = ask(STANDS, 1);
        first.join().forEach(HttpClaim::notTaken);
        writeAnswers();
        assertThat(second.join()).containsExactly(claim);
        assertThat(waiting).hasSize(1);
    }

    @Test
    void request_againAfterItsTimeWasOverWithoutAJob_asksAnew() {
        assertThat(ask(STANDS, 1)).isNotDone();
        waiting.get(0).end();
        assertThat(ask(STANDS, 1)).isNotDone();
        assertThat(waiting).hasSize(2);
    }

    @Test
    void request_forSomethingElseWithThatKey_isRefused() {
        assertThat(ask(STANDS, 1)).isNotDone();
        assertThatThrownBy(() -> ask(STANDS, 2)).isInstanceOf(ApiProblemException.class);
        assertThat(waiting).hasSize(1);
    }
}
