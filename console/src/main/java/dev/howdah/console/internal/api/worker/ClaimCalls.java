package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.JobSuspended;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What the worker of a claimed job asks of it beside its end, such as a wait: the thread of the handler does that, one after the other, as a handler of a
 * program would. Under the lock of its claim, but for {@link Call#run}.
 */
final class ClaimCalls {
    /** What is done with the job in the thread of its handler. */
    interface Work {
        ObjectNode with(Job job) throws Exception;
    }

    /**
     * A call of the worker.
     *
     * @param said of the worker, by which the same call is known again
     */
    final class Call {
        private final ObjectNode said;
        private final Work work;
        private final CompletableFuture<ObjectNode> answer = new CompletableFuture<>();
        private volatile @Nullable FatalException failure;

        private Call(ObjectNode said, Work work) {
            this.said = said;
            this.work = work;
        }

        /** @throws JobSuspended if the job is suspended by that */
        void run(Job job) {
            try {
                answer.complete(work.with(job));
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

    private final Map<Integer, Call> calls = new HashMap<>();
    private final Deque<Call> waiting = new ArrayDeque<>();

    /** The answer to a call that has come before; null: none of that number has. */
    @Nullable
    CompletableFuture<ObjectNode> known(int number, ObjectNode said) {
        Call call = calls.get(number);
        if (call == null) return null;
        if (!call.said.equals(said))
            throw ApiProblemException.conflict("call " + number
                    + " of this claim has come before, with other words: each call has the next number");
        return call.answer;
    }

    CompletableFuture<ObjectNode> add(int number, ObjectNode said, Work work) {
        Call call = new Call(said, work);
        calls.put(number, call);
        waiting.add(call);
        return call.answer;
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
        return call == null ? null : call.failure;
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
