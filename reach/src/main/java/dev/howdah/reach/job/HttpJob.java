package dev.howdah.reach.job;

import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request: the payload of jobs of the kind {@code howdah.http}. Immutable: each method that sets something returns a copy.
 *
 * @param url with scheme, host, path and query; without a user, a password or a fragment
 * @param method null: POST with a body, GET without
 * @param headers without those of the connection and without credentials
 * @param body null for none; JSON gets the Content-Type {@code application/json}, other text {@code text/plain}, unless a header says so
 * @param ok the statuses with which the job is done, such as {@code 2xx} or {@code 200,404}; null: {@code 2xx}
 * @param credential the name of one of the {@linkplain dev.howdah.reach.ReachSettings settings}; null for none
 * @param key the {@code Idempotency-Key}, 1 to 200 printable characters of ASCII; null: one that is the same in all attempts of the job and in no other job
 * @param timeout of an attempt, from connecting to the last byte; null: 30 s
 */
public record HttpJob(
        String url,
        @Nullable String method,
        Map<String, String> headers,
        @Nullable String body,
        @Nullable String ok,
        @Nullable String credential,
        @Nullable String key,
        @Nullable Duration timeout) {
    /** The kind. Its attempts wait as long as an answer asks for by {@code Retry-After}. */
    public static final Kind<HttpJob> KIND =
            Kind.of("howdah.http", HttpJob.class).retries(ReachJobs.patient(RetryPolicy.standard()));

    public HttpJob(
            String url,
            @Nullable String method,
            @Nullable Map<String, String> headers,
            @Nullable String body,
            @Nullable String ok,
            @Nullable String credential,
            @Nullable String key,
            @Nullable Duration timeout) {
        this.url = url;
        this.method = method;
        this.headers = headers == null ? Map.of() : Map.copyOf(headers);
        this.body = body;
        this.ok = ok;
        this.credential = credential;
        this.key = key;
        this.timeout = timeout;
    }

    /** A GET. */
    public static HttpJob get(String url) {
        return new HttpJob(url, null, null, null, null, null, null, null);
    }

    /** A POST of that body. */
    public static HttpJob post(String url, String body) {
        return new HttpJob(url, "POST", null, body, null, null, null, null);
    }

    /** With another method: GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS. */
    public HttpJob method(String name) {
        return new HttpJob(url, name, headers, body, ok, credential, key, timeout);
    }

    /** With that header, in place of one of the same name. */
    public HttpJob header(String name, String value) {
        Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        more.putAll(headers);
        more.put(name, value);
        return new HttpJob(url, method, more, body, ok, credential, key, timeout);
    }

    /** Done with these statuses, such as {@code 2xx} or {@code 200,404}. */
    public HttpJob ok(String statuses) {
        return new HttpJob(url, method, headers, body, statuses, credential, key, timeout);
    }

    /** With the credential of that name. */
    public HttpJob credential(String name) {
        return new HttpJob(url, method, headers, body, ok, name, key, timeout);
    }

    /** With that {@code Idempotency-Key}. */
    public HttpJob key(String text) {
        return new HttpJob(url, method, headers, body, ok, credential, text, timeout);
    }

    /** With that limit for an attempt. */
    public HttpJob timeout(Duration time) {
        return new HttpJob(url, method, headers, body, ok, credential, key, time);
    }
}
