package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.text.Sha256;
import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.JobSuspended;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What the worker of a claimed job asks of it beside its end, such as a wait: the thread of the handler does that, one after the other, as a handler of a
 * program would. Under the lock of its claim, but for {@link Call#run}.
 */
final class ClaimCalls {
    /** So many calls that are over are answered again: a handler that does several things at a time asks for some of them once more. */
    private static final int MOST_ANSWERS = 32;
    /** A handler may go on for long before that by which it fails. */
    private static final int MOST_FAILURES = 1_000;

    /** What is done with the job in the thread of its handler. */
    interface Work {
        ObjectNode with(Job job) throws Exception;
    }

    /**
     * A call of the worker. What it said is not kept, since that may be large, but for the digest by which the same call is known again.
     */
    final class Call {
        private final String said;
        private @Nullable Work work;
        private final CompletableFuture<ObjectNode> answer = new CompletableFuture<>();
        private volatile @Nullable FatalException failure;

        private Call(String said, Work work) {
            this.said = said;
            this.work = work;
        }

        /** @throws JobSuspended if the job is suspended by that */
        void run(Job job) {
            Work todo = Objects.requireNonNull(work);
            work = null;
            try {
                answer.complete(todo.with(job));
            } catch (JobSuspended e) {
                answer.complete(ApiJson.object().put("suspended", true));
                throw e;
            } catch (FatalException e) {
                failure = e;
                answer.complete(failed(e));
            } catch (ApiProblemException e) {
                answer.completeExceptionally(e);
            } catch (IllegalArgumentException e) {
                answer.completeExceptionally(ApiProblemException.invalid(ErrorText.message(e)));
            } catch (Exception e) {
                boolean isSaid = e instanceof IllegalStateException || e instanceof JobsException;
                answer.completeExceptionally(ApiProblemException.conflict(
                        isSaid ? ErrorText.message(e) : "job " + job.id() + ": " + ErrorText.message(e)));
            }
        }
    }

    /** In the order in which they came: those that are not over, and the last ones that are. */
    private final Map<Integer, Call> calls = new LinkedHashMap<>();
    /** The numbers of all that have come. */
    private final BitSet numbers = new BitSet();
    /** Of calls that are forgotten. */
    private final Map<Integer, FatalException> failures = new LinkedHashMap<>();

    private final Deque<Call> waiting = new ArrayDeque<>();

    /** The answer to a call that has come before; null: none of that number has. */
    @Nullable
    CompletableFuture<ObjectNode> known(int number, ObjectNode said) {
        if (!numbers.get(number)) return null;
        Call call = calls.get(number);
        if (call == null)
            throw ApiProblemException.conflict("call " + number + " of this claim was answered before the last "
                    + MOST_ANSWERS + " that are known: each call has the next number");
        if (!call.said.equals(digest(said)))
            throw ApiProblemException.conflict("call " + number
                    + " of this claim has come before, with other words: each call has the next number");
        return call.answer;
    }

    CompletableFuture<ObjectNode> add(int number, ObjectNode said, Work work) {
        Call call = new Call(digest(said), work);
        calls.put(number, call);
        numbers.set(number);
        waiting.add(call);
        forget();
        return call.answer;
    }

    private void forget() {
        Iterator<Map.Entry<Integer, Call>> eldest = calls.entrySet().iterator();
        while (calls.size() - waiting.size() > MOST_ANSWERS) {
            Map.Entry<Integer, Call> each = eldest.next();
            if (!each.getValue().answer.isDone()) break;
            FatalException failure = each.getValue().failure;
            if (failure != null) failures.put(each.getKey(), failure);
            eldest.remove();
        }
        Iterator<Integer> old = failures.keySet().iterator();
        while (failures.size() > MOST_FAILURES) {
            old.next();
            old.remove();
        }
    }

    private static String digest(ObjectNode said) {
        return Sha256.hex(ApiJson.text(said), 32);
    }

    /** The next one that has to be done; null: there is none. */
    @Nullable
    Call next() {
        return waiting.poll();
    }

    /** The failure with which a call was answered, and which each later run gets; null: there was none. */
    @Nullable
    FatalException failure(int number) {
        Call call = calls.get(number);
        return call == null ? failures.get(number) : call.failure;
    }

    /** None is done any more. */
    void end() {
        for (Call each = next(); each != null; each = next()) each.answer.completeExceptionally(HttpClaim.lost());
    }

    private static ObjectNode failed(FatalException e) {
        ObjectNode json = ApiJson.object();
        ObjectNode failed = json.put("suspended", false).putObject("failed");
        failed.put("type", e.getClass().getSimpleName());
        failed.put("message", ErrorText.message(e));
        if (e instanceof ChildFailedException child) {
            ApiJson.put(failed, "child", child.child());
            ApiJson.put(failed, "state", child.state().name().toLowerCase(Locale.ROOT));
        }
        return json;
    }
}
