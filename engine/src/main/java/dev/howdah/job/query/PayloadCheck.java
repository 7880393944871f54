package dev.howdah.job.query;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.json.CodedText;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.job.Kind;
import dev.howdah.job.internal.query.JobLister;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the payloads that are stored can still be read with the classes of today: of jobs that wait, are planned, follow others, or have failed
 * and could be retried. A payload counts as unreadable as well where a field that it has is passed over and another one becomes null or 0, as when it was renamed. It only reads, in pages, and runs beside nodes that work; run it against a copy of production before a deployment, or against production itself.
 * A job that goes from one state to the next meanwhile can be counted twice; a job that a node works on is not read.
 *
 * <pre>{@code
 * PayloadCheck.on(dataSource).kinds(WELCOME, REPORT).run().assertReadable();
 * }</pre>
 *
 * <p>Not safe for use by many threads.
 */
public final class PayloadCheck {
    private static final int PAGE = 500;
    private static final int KEPT = 1_000;
    /** In the order in which jobs go through them: a job that moves on during the check is read again, never missed. */
    private static final List<JobState> STATES = List.of(
            JobState.FOLLOWING,
            JobState.PLANNED,
            JobState.RETRYING,
            JobState.SUSPENDED,
            JobState.WAITING,
            JobState.FAILED);

    private final JobLister lister;
    private final Map<String, Kind<?>> kinds = new LinkedHashMap<>();
    private final Map<String, Long> read = new HashMap<>();
    private final List<UnreadablePayload> unreadable = new ArrayList<>();
    private final Set<Long> unreadableIds = new HashSet<>();
    private long unreadableCount;
    private PayloadCodec codec = new JacksonCodec();

    private PayloadCheck(DataSource source) {
        this.lister = new JobLister(ConnectionSource.of(source));
    }

    /** Checks jobs in the database of that data source. */
    public static PayloadCheck on(DataSource source) {
        return new PayloadCheck(Objects.requireNonNull(source, "a check needs a data source, not null"));
    }

    /** Sets the codec, as {@code JobsBuilder.codec} does. Defaults to Jackson. */
    public PayloadCheck codec(PayloadCodec other) {
        codec = Objects.requireNonNull(other, "a codec is needed, not null");
        return this;
    }

    /**
     * Adds kinds whose payloads are checked.
     *
     * @throws IllegalArgumentException if there is one of that name with another type
     */
    public PayloadCheck kinds(Kind<?>... some) {
        for (Kind<?> each : some) {
            Kind<?> known = kinds.putIfAbsent(each.name(), each);
            if (known != null && !known.equals(each))
                throw new IllegalArgumentException("two kinds of one name: " + known + " and " + each);
        }
        return this;
    }

    /**
     * Reads the payloads.
     *
     * @throws IllegalStateException if no kinds are named
     * @throws dev.howdah.job.JobsException if the database cannot be asked
     */
    public PayloadReport run() {
        if (kinds.isEmpty()) throw new IllegalStateException("which kinds? PayloadCheck.kinds names them");
        read.clear();
        unreadable.clear();
        unreadableIds.clear();
        unreadableCount = 0;
        for (Kind<?> kind : kinds.values()) {
            read.put(kind.name(), 0L);
            for (JobState state : STATES) check(kind, state);
        }
        return new PayloadReport(read, unreadable, unreadableCount);
    }

    private void check(Kind<?> kind, JobState state) {
        JobQuery query = JobQuery.in(state).kind(kind.name()).limit(PAGE);
        while (query != null) {
            JobPage page = lister.list(query);
            for (JobSummary job : page.jobs()) {
                String error = error(kind, job.payload());
                if (error == null) read.merge(kind.name(), 1L, Long::sum);
                else add(new UnreadablePayload(job.id(), job.queue(), job.kind(), state, error));
            }
            query = page.next();
        }
    }

    private @Nullable String error(Kind<?> kind, @Nullable String payload) {
        if (payload == null) return "its payload is missing in howdah_internal.body";
        if (kind.type() == Void.class) return null;
        try {
            return renamed(payload, kind.name(), kind.decode(codec, payload));
        } catch (RuntimeException e) {
            return e instanceof IllegalArgumentException ? ErrorText.message(e) : ErrorText.line(e);
        }
    }

    private @Nullable String renamed(String payload, String kind, Object read) {
        String again;
        try {
            again = JobPayloads.encode(read, kind, codec);
        } catch (RuntimeException e) {
            return null; // of a class that is only read
        }
        // What a codec hides, as by encryption, cannot be compared.
        return CodedText.isAmbiguous(again) ? null : RenamedField.find(payload, again);
    }

    private void add(UnreadablePayload found) {
        if (unreadableIds.contains(found.id())) return;
        unreadableCount++;
        if (unreadable.size() == KEPT) return;
        unreadable.add(found);
        unreadableIds.add(found.id());
    }
}
