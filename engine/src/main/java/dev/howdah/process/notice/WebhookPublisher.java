package dev.howdah.process.notice;

import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.RetryAfter;
import dev.howdah.internal.http.SenderClock;
import dev.howdah.internal.http.Signer;
import dev.howdah.internal.run.Threads;
import dev.howdah.process.internal.outbox.NoticeJson;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Publishes notices to an address: a POST for each notice, signed as in Standard Webhooks, several processes at a
 * time, in order for each process. An answer of 2xx accepts the notice; 413 refuses it; after any other answer, no answer, or
 * a redirect it is sent again, not before the time of {@code Retry-After}.
 *
 * <p>The body is JSON: {@code type} ({@code process.event}, {@code process.created}, {@code process.failed}, {@code process.repaired}, {@code
 * process.removed}), {@code timestamp}, and {@code data} with {@code id}, {@code namespace}, {@code process}, and, where there are such, {@code event},
 * {@code detail}, {@code payload}, {@code metadata}. A payload that is no JSON is {@code payloadBase64}. The header {@code webhook-id} is the same each time a notice
 * comes. Safe for use by many threads.
 */
public final class WebhookPublisher implements Publisher {
    private static final int TOO_LARGE = 413;
    private static final Duration USUAL = Duration.ofSeconds(10);

    private final URI uri;
    private final Signer signer;
    private final Map<String, String> headers;
    private final int concurrency;
    private final Duration timeout;
    private final HttpPost post;

    private WebhookPublisher(
            URI uri, Signer signer, Map<String, String> headers, int concurrency, Duration timeout, HttpPost post) {
        this.uri = uri;
        this.signer = signer;
        this.headers = headers;
        this.concurrency = concurrency;
        this.timeout = timeout;
        this.post = post;
    }

    /**
     * Publishes to that address: eight processes at a time, ten seconds for each request.
     *
     * @param secret that signs: {@code whsec_} and base64, or any other text of 16 bytes or more
     * @throws IllegalArgumentException if the address is not http or https, or has a user; or if the secret is too short or not base64
     */
    public static WebhookPublisher to(URI uri, String secret) {
        String scheme = String.valueOf(uri.getScheme());
        if (!(scheme.equalsIgnoreCase("https") || scheme.equalsIgnoreCase("http")) || uri.getHost() == null)
            throw new IllegalArgumentException("the address of a webhook begins with https://HOST or http://HOST");
        if (uri.getRawUserInfo() != null)
            throw new IllegalArgumentException(
                    "the address of a webhook at " + uri.getHost() + " has a user or a password in it");
        return new WebhookPublisher(uri, Signer.of(secret), Map.of(), 8, USUAL, new HttpPost(USUAL));
    }

    /**
     * Adds a header.
     *
     * @throws IllegalArgumentException if it is malformed, or set already
     */
    public WebhookPublisher header(String name, String value) {
        Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        more.putAll(headers);
        if (more.put(HttpPost.checked(name, value), value) != null || name.equalsIgnoreCase("content-type"))
            throw new IllegalArgumentException("the header " + name + " is said already");
        return new WebhookPublisher(uri, signer, more, concurrency, timeout, post);
    }

    /**
     * Sets the number of processes at a time, 1 to 100.
     *
     * @throws IllegalArgumentException if it is out of bounds
     */
    public WebhookPublisher concurrency(int processes) {
        if (processes < 1 || processes > 100)
            throw new IllegalArgumentException("a concurrency of " + processes + ": it has to be 1 to 100");
        return new WebhookPublisher(uri, signer, headers, processes, timeout, post);
    }

    /**
     * Sets the timeout of a request, from its start to the end of its answer; 100 ms to 5 minutes.
     *
     * @throws IllegalArgumentException if it is out of bounds
     */
    public WebhookPublisher timeout(Duration time) {
        if (time.compareTo(Duration.ofMillis(100)) < 0 || time.compareTo(Duration.ofMinutes(5)) > 0)
            throw new IllegalArgumentException("a timeout of " + time + ": it has to be 100 ms to 5 minutes");
        return new WebhookPublisher(uri, signer, headers, concurrency, time, new HttpPost(time));
    }

    @Override
    public void publish(List<Notice> notices) throws DeliveryException, InterruptedException {
        Map<String, List<Notice>> processes = new LinkedHashMap<>();
        for (Notice each : notices)
            processes
                    .computeIfAbsent(each.namespace() + '\0' + each.process(), process -> new ArrayList<>())
                    .add(each);
        Round round = new Round(System.nanoTime() + timeout.toNanos());
        if (processes.size() == 1) round.tell(notices);
        else together(round, processes.values());
        round.result();
    }

    private void together(Round round, Collection<List<Notice>> processes) throws InterruptedException {
        Semaphore places = new Semaphore(concurrency);
        List<Future<?>> told = new ArrayList<>();
        ExecutorService threads = Threads.perTask("howdah-webhook");
        try {
            for (List<Notice> each : processes) {
                places.acquire();
                told.add(threads.submit(() -> {
                    try {
                        round.tell(each);
                    } finally {
                        places.release();
                    }
                    return null;
                }));
            }
            for (Future<?> each : told) each.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a notice could not be told: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
        }
    }

    private HttpPost.Answer send(Notice notice) throws IOException, InterruptedException {
        byte[] body = NoticeJson.of(notice);
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(headers);
        all.put("content-type", "application/json");
        all.putAll(signer.headers(number(notice), SenderClock.now(), body));
        return post.send(uri, all, body);
    }

    /** The same each time the notice comes, and, its time being part of it, for no notice of another database. */
    private static String number(Notice notice) {
        String all = String.join("\0", notice.namespace(), notice.process(), notice.at() + "", notice.id() + "");
        return UUID.nameUUIDFromBytes(all.getBytes(StandardCharsets.UTF_8)).toString();
    }

    /** The progress of the notices of one call. */
    private final class Round {
        /** After that nothing more is begun, so that one slow process does not keep the others waiting for long. */
        private final long until;

        private final List<Notice> arrived = new ArrayList<>();
        private final List<Notice> untried = new ArrayList<>();
        private final Map<Notice, String> refused = new LinkedHashMap<>();
        private Duration retryAfter = Duration.ZERO;
        private @Nullable String failure;

        Round(long until) {
            this.until = until;
        }

        /** Sends the notices of one process, up to the first that fails. */
        void tell(List<Notice> notices) throws InterruptedException {
            for (int i = 0; i < notices.size(); i++) {
                Notice notice = notices.get(i);
                if (System.nanoTime() - until >= 0) {
                    leave(notices.subList(i, notices.size()));
                    return;
                }
                try {
                    HttpPost.Answer answer = send(notice);
                    if (!heard(notice, answer)) return;
                } catch (IOException e) {
                    failed(String.valueOf(e.getMessage()), Duration.ZERO);
                    return;
                }
            }
        }

        /** Returns whether it has arrived. */
        private synchronized boolean heard(Notice notice, HttpPost.Answer answer) {
            String error = answer.error();
            if (error == null) {
                arrived.add(notice);
                return true;
            }
            if (answer.status() == TOO_LARGE) refused.put(notice, error);
            failed(error, RetryAfter.of(answer.headers(), SenderClock.now()).orElse(Duration.ZERO));
            return false;
        }

        private synchronized void failed(String why, Duration later) {
            if (failure == null) failure = why;
            if (later.compareTo(retryAfter) > 0) retryAfter = later;
        }

        private synchronized void leave(List<Notice> rest) {
            untried.addAll(rest);
        }

        synchronized void result() throws DeliveryException {
            if (failure == null && untried.isEmpty()) return;
            String why = failure == null ? "there was no time for " + untried.size() + " of them" : failure;
            DeliveryException all = new DeliveryException(why, null)
                    .arrived(arrived)
                    .untried(untried)
                    .retryAfter(retryAfter);
            refused.forEach(all::refused);
            throw all;
        }
    }
}
