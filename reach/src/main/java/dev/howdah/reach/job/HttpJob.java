package dev.howdah.reach.job;

import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 * @param sign the name of a credential of the kind {@code webhook} or {@code hmac}, which signs the request; null for none
 * @param parts those of a form, which is sent as {@code multipart/form-data}, in place of a body; empty for none
 */
public record HttpJob(
        String url,
        @Nullable String method,
        Map<String, String> headers,
        @Nullable String body,
        @Nullable String ok,
        @Nullable String credential,
        @Nullable String key,
        @Nullable Duration timeout,
        @Nullable String sign,
        List<Part> parts) {
    /**
     * A part of a form.
     *
     * @param value of a field; null for a file
     * @param bytes of a file; null for a field; not copied, and not to be changed
     * @param filename null for a field, and for a file that is called as the part
     * @param type as of a MIME part, {@code application/pdf}; null for a field, and for bytes of a type that is not known
     */
    @SuppressWarnings("ArrayRecordComponent") // of megabytes, and never compared
    public record Part(
            String name,
            @Nullable String value,
            byte @Nullable [] bytes,
            @Nullable String filename,
            @Nullable String type) {}

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
            @Nullable Duration timeout,
            @Nullable String sign,
            @Nullable List<Part> parts) {
        this.url = url;
        this.method = method;
        this.headers = headers == null ? Map.of() : Map.copyOf(headers);
        this.body = body;
        this.ok = ok;
        this.credential = credential;
        this.key = key;
        this.timeout = timeout;
        this.sign = sign;
        this.parts = parts == null ? List.of() : List.copyOf(parts);
    }

    /** One that is neither signed nor a form. */
    public HttpJob(
            String url,
            @Nullable String method,
            @Nullable Map<String, String> headers,
            @Nullable String body,
            @Nullable String ok,
            @Nullable String credential,
            @Nullable String key,
            @Nullable Duration timeout) {
        this(url, method, headers, body, ok, credential, key, timeout, null, null);
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
        return new HttpJob(url, name, headers, body, ok, credential, key, timeout, sign, parts);
    }

    /** With that header, in place of one of the same name. */
    public HttpJob header(String name, String value) {
        Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        more.putAll(headers);
        more.put(name, value);
        return new HttpJob(url, method, more, body, ok, credential, key, timeout, sign, parts);
    }

    /** Done with these statuses, such as {@code 2xx} or {@code 200,404}. */
    public HttpJob ok(String statuses) {
        return new HttpJob(url, method, headers, body, statuses, credential, key, timeout, sign, parts);
    }

    /** With the credential of that name. */
    public HttpJob credential(String name) {
        return new HttpJob(url, method, headers, body, ok, name, key, timeout, sign, parts);
    }

    /** With that {@code Idempotency-Key}. */
    public HttpJob key(String text) {
        return new HttpJob(url, method, headers, body, ok, credential, text, timeout, sign, parts);
    }

    /** With that limit for an attempt. */
    public HttpJob timeout(Duration time) {
        return new HttpJob(url, method, headers, body, ok, credential, key, time, sign, parts);
    }

    /** Signed with the credential of that name, of the kind {@code webhook} or {@code hmac}. */
    public HttpJob sign(String name) {
        return new HttpJob(url, method, headers, body, ok, credential, key, timeout, name, parts);
    }

    /** A POST of a form that has no parts yet. */
    public static HttpJob form(String url) {
        return new HttpJob(url, "POST", null, null, null, null, null, null);
    }

    /** With that field of a form. */
    public HttpJob field(String name, String value) {
        return with(new Part(name, value, null, null, null));
    }

    /**
     * With that file of a form.
     *
     * @param type as of a MIME part, {@code application/pdf}
     * @param bytes not copied, and not to be changed
     */
    public HttpJob file(String name, String filename, String type, byte[] bytes) {
        return with(new Part(name, null, bytes, filename, type));
    }

    private HttpJob with(Part part) {
        List<Part> more = new ArrayList<>(parts);
        more.add(part);
        return new HttpJob(url, method, headers, body, ok, credential, key, timeout, sign, more);
    }
}
