package dev.howdah.daemon.work;

import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.Signer;
import dev.howdah.process.Intent;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processor;
import dev.howdah.process.StepFailedException;
import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Asks an endpoint what steps come to: a signed POST with the task and the process, answered by an intent. Safe for use by many
 * threads.
 */
final class HttpProcessor implements Processor {
    /** An answer has fewer bytes than this. */
    static final int MOST = 16 << 20;

    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final Set<Integer> LATER = Set.of(408, 425, 429);
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LAST_PAUSE_MILLIS = 1_000;

    private final URI uri;
    private final Signer signer;
    private final Duration timeout;
    private final HttpPost post;
    private final String database;
    private final Clock clock;

    /**
     * @param timeout from the beginning of a request to the end of its answer
     * @param database what tells its tasks from those of other databases
     * @param clock for the time in the signature, which the receiver compares with its own
     */
    HttpProcessor(URI uri, Signer signer, Duration timeout, String database, Clock clock) {
        this.uri = uri;
        this.signer = signer;
        this.timeout = timeout;
        this.post = new HttpPost(timeout, MOST);
        this.database = database;
        this.clock = clock;
    }

    /** It would end the same way each time. */
    static final class HopelessException extends StepFailedException {
        private static final long serialVersionUID = 1;

        HopelessException(String reason) {
            super(reason);
        }
    }

    /** Beyond this it does not wait for an endpoint that is not there, nor for its answer. */
    static Duration longest(Duration timeout) {
        return timeout.plus(HttpPost.CONNECT).plus(MARGIN);
    }

    /** As that policy, but nothing that is hopeless is tried again. */
    static RetryPolicy sensible(RetryPolicy policy) {
        return (attempt, failure) ->
                failure instanceof HopelessException ? Optional.empty() : policy.delay(attempt, failure);
    }

    @Override
    public Intent process(ProcessTask task, ProcessState process) throws InterruptedException {
        HttpPost.Answer answer = ask(task, StepRequest.of(task, process));
        String where = HttpPost.shown(uri);
        String error = answer.error();
        if (error != null) {
            if (answer.status() / 100 == 4 && !LATER.contains(answer.status())) throw new HopelessException(error);
            throw new StepFailedException(error);
        }
        if (!answer.whole()) {
            if (answer.body().length >= MOST)
                throw new HopelessException(where + " answered more than " + (MOST >> 20) + " MiB");
            throw new StepFailedException(where + " has not finished its answer");
        }
        try {
            return StepAnswer.read(answer.body());
        } catch (IllegalArgumentException e) {
            throw new HopelessException(where + " answered what is no intent: " + e.getMessage());
        }
    }

    /** A receiver that is not there yet, as while it is started again, has not got the request: it is sent again. */
    private HttpPost.Answer ask(ProcessTask task, byte[] body) throws InterruptedException {
        long began = System.nanoTime();
        long patience = Math.min(timeout.toMillis(), HttpPost.CONNECT.toMillis());
        for (long pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(2 * pause, LAST_PAUSE_MILLIS)) {
            try {
                return post.send(uri, headers(task, body), body);
            } catch (IOException e) {
                long left = patience - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                if (!(e.getCause() instanceof ConnectException) || left <= pause)
                    throw new StepFailedException(String.valueOf(e.getMessage()), e);
            }
            TimeUnit.MILLISECONDS.sleep(pause);
        }
    }

    private Map<String, String> headers(ProcessTask task, byte[] body) {
        String number = database + "-process-" + task.id();
        Map<String, String> headers = new HashMap<>(signer.headers(number, clock.instant(), body));
        headers.put("content-type", "application/json");
        headers.put("idempotency-key", number);
        headers.put("howdah-attempt", Integer.toString(task.attempt()));
        return headers;
    }
}
