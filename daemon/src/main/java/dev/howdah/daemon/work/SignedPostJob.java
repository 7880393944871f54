package dev.howdah.daemon.work;

import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.RetryAfter;
import dev.howdah.internal.http.Signer;
import dev.howdah.job.FatalException;
import dev.howdah.job.Handler;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Jobs of kind http: {@code {"url": "https://hooks.example.com/x", "body": {"id": 7}, "headers": {"x-shop": "1"}}}, a signed
 * POST. 2xx is done; 4xx has failed for good, but for those that say "later"; everything else is tried again.
 */
public final class SignedPostJob implements Handler<String> {
    public static final Kind<String> KIND = Kind.of("http", String.class);

    private static final Set<String> KEYS = Set.of("url", "body", "headers");
    private static final Set<Integer> LATER = Set.of(408, 425, 429);

    private final HttpPlaces places;
    private final Signer signer;
    private final HttpPost post;
    private final String database;
    private final Clock clock;

    /**
     * @param database what tells its jobs from those of other databases
     * @param clock for the time in the signature, which the receiver compares with its own
     */
    public SignedPostJob(HttpPlaces places, Signer signer, Duration timeout, String database, Clock clock) {
        this.places = places;
        this.signer = signer;
        this.post = new HttpPost(timeout);
        this.database = database;
        this.clock = clock;
    }

    /** An answer that says when to come again. */
    static final class Later extends JobsException {
        private static final long serialVersionUID = 1;

        private final Duration delay;

        Later(String message, Duration delay) {
            super(message);
            this.delay = delay;
        }
    }

    /** As that policy, but not before an answer has asked to be. */
    public static RetryPolicy patient(RetryPolicy policy) {
        return (attempt, failure) -> {
            Optional<Duration> delay = policy.delay(attempt, failure);
            return failure instanceof Later later
                    ? delay.map(d -> d.compareTo(later.delay) > 0 ? d : later.delay)
                    : delay;
        };
    }

    @Override
    public void handle(String payload, Job job) throws Exception {
        JobPayload what = JobPayload.of("http", payload, KEYS);
        URI uri;
        Map<String, String> headers;
        try {
            uri = places.check(what.text("url"));
            headers = theirs(what.texts("headers"));
        } catch (IllegalArgumentException e) {
            throw new FatalException(String.valueOf(e.getMessage()), e);
        }
        String json = what.json("body");
        byte[] body = json == null ? new byte[0] : json.getBytes(StandardCharsets.UTF_8);
        if (json != null) headers.putIfAbsent("content-type", "application/json");
        headers.putAll(ours(job, body));
        HttpPost.Answer answer;
        try {
            answer = post.send(uri, headers, body);
        } catch (IOException e) {
            // Its message says all that the owner of the job needs, without a class of Java.
            throw new JobsException(String.valueOf(e.getMessage()), e);
        }
        String error = answer.error();
        if (error == null) {
            job.result("{\"status\":" + answer.status() + "}");
            return;
        }
        if (answer.status() / 100 == 4 && !LATER.contains(answer.status())) throw new FatalException(error);
        throw new Later(error, RetryAfter.of(answer.headers(), clock.instant()).orElse(Duration.ZERO));
    }

    private static Map<String, String> theirs(Map<String, String> given) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        given.forEach((name, value) -> headers.put(HttpPost.checked(name, value), value));
        return headers;
    }

    private Map<String, String> ours(Job job, byte[] body) {
        String number = database + "-" + job.id();
        Map<String, String> headers = new HashMap<>(signer.headers(number, clock.instant(), body));
        headers.put("idempotency-key", number);
        headers.put("howdah-attempt", Integer.toString(job.attempt()));
        headers.put("howdah-fencing-token", Long.toString(job.fencingToken()));
        return headers;
    }
}
