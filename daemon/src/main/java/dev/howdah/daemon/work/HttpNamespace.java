package dev.howdah.daemon.work;

import dev.howdah.daemon.config.SecretFile;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.JsonObject;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.Signer;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Namespace;
import dev.howdah.process.Namespace.Retention;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.process.notice.Publisher;
import dev.howdah.process.notice.WebhookPublisher;
import dev.howdah.spi.Backoff;
import dev.howdah.spi.RetryPolicy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of processes whose processor is an endpoint.
 *
 * @param timeout how long a step may take
 * @param concurrency how many of its processes are worked at a time
 * @param history what the endpoint is told of it
 * @param repeatable whether a call runs again when the daemon has died in it
 * @param retention what becomes of processes that have nothing more to do; null: they stay
 * @param notices the receiver of notices; null: there is none
 */
public record HttpNamespace(
        String name,
        URI uri,
        Signer signer,
        Duration timeout,
        int concurrency,
        RetryPolicy retries,
        HistoryRange history,
        boolean repeatable,
        @Nullable Retention retention,
        @Nullable Publisher notices) {
    private static final List<String> KEYS = List.of(
            "namespace",
            "url",
            "secret",
            "timeout",
            "concurrency",
            "retries",
            "history",
            "repeatable",
            "retention",
            "notices");
    private static final List<String> RETRIES = List.of("attempts", "first", "factor", "longest", "never");
    private static final List<String> RETENTION = List.of("idle", "archive");
    private static final List<String> NOTICES = List.of("url", "secret");
    private static final int LONGEST_NAME = 200;
    private static final long DEFAULT_TIMEOUT = 30;
    private static final long DEFAULT_CONCURRENCY = 100;
    private static final long LONGEST_STEP = 3_600;
    private static final long LONGEST_DELAY = 31_536_000;

    /**
     * Reads one.
     *
     * @param what it is and where, for errors
     * @param directory in which files are whose names do not begin with a slash
     * @throws IllegalArgumentException if something is wrong
     * @throws CliException if the secret cannot be used
     */
    public static HttpNamespace of(String what, String json, Path directory) {
        JsonObject entry = JsonObject.of(what, json, KEYS);
        String name = entry.needed("namespace");
        if (name.length() > LONGEST_NAME || name.indexOf('\0') >= 0)
            throw new IllegalArgumentException("\"namespace\" has 1 to " + LONGEST_NAME
                    + " characters, none of them 0, in " + what + "; not " + JsonObject.shortened(name));
        return new HttpNamespace(
                name,
                HttpPlaces.address(entry.needed("url")),
                SecretFile.signer("\"secret\" in " + what, directory.resolve(entry.needed("secret"))),
                Duration.ofSeconds(or(entry.whole("timeout", 1, LONGEST_STEP), DEFAULT_TIMEOUT)),
                (int) or(entry.whole("concurrency", 1, 10_000), DEFAULT_CONCURRENCY),
                retries(entry.object("retries", RETRIES)),
                history(entry.whole("history", 0, Integer.MAX_VALUE)),
                entry.flag("repeatable"),
                retention(entry.object("retention", RETENTION)),
                notices(what, entry.object("notices", NOTICES), directory));
    }

    private static @Nullable Retention retention(@Nullable JsonObject said) {
        if (said == null) return null;
        Long idle = said.whole("idle", 0, LONGEST_DELAY * 100);
        if (idle == null)
            throw new IllegalArgumentException("\"retention\" needs \"idle\", the seconds after which a process goes");
        return new Retention(Duration.ofSeconds(idle), said.flag("archive"));
    }

    private static @Nullable Publisher notices(String what, @Nullable JsonObject said, Path directory) {
        if (said == null) return null;
        return WebhookPublisher.to(
                HttpPlaces.address(said.needed("url")),
                SecretFile.text("\"secret\" of \"notices\" in " + what, directory.resolve(said.needed("secret"))));
    }

    private static long or(@Nullable Long value, long otherwise) {
        return value == null ? otherwise : value;
    }

    private static HistoryRange history(@Nullable Long last) {
        if (last == null) return HistoryRange.ALL;
        return last == 0 ? HistoryRange.NONE : HistoryRange.last(last);
    }

    private static RetryPolicy retries(@Nullable JsonObject said) {
        if (said == null) return Backoff.STANDARD;
        Double factor = said.number("factor", 1, 1_000);
        return new Backoff(
                Duration.ofSeconds(or(
                        said.whole("first", 1, LONGEST_DELAY),
                        Backoff.STANDARD.first().toSeconds())),
                factor == null ? Backoff.STANDARD.factor() : factor,
                Duration.ofSeconds(or(said.whole("longest", 1, LONGEST_DELAY), LONGEST_DELAY)),
                (int) or(said.whole("attempts", 1, 1_000), Backoff.STANDARD.attempts()),
                Set.copyOf(said.list("never").stream()
                        .map(each -> {
                            if (!each.isText())
                                throw new IllegalArgumentException(
                                        "\"never\" has texts, not " + JsonObject.shortened(each.json()));
                            return each.text();
                        })
                        .toList()));
    }

    /**
     * Has it worked.
     *
     * @param database what tells its tasks from those of other databases
     */
    public void addTo(ProcessesBuilder builder, String database) {
        HttpProcessor processor = new HttpProcessor(uri, signer, timeout, database, Clock.systemUTC());
        Namespace namespace = Namespace.builder(name, processor)
                .concurrency(concurrency)
                .stepTimeout(HttpProcessor.longest(timeout))
                .retries(HttpProcessor.sensible(retries))
                .history(history)
                .repeatable(repeatable)
                .retention(retention)
                .build();
        if (notices == null) builder.namespace(namespace);
        else builder.namespace(namespace, notices);
    }

    @Override
    public String toString() {
        return name + " at " + HttpPost.shown(uri);
    }
}
