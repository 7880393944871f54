package dev.howdah.job.internal.batch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.text.StorableText;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.AttemptState;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OpenWait;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How the jobs of a batch ended, one after the other in its order, as the statement {@code settle} takes it. */
public final class BatchOutcomes {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<String> begins = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();
    private final List<String> codes = new ArrayList<>();
    private final List<String> delays = new ArrayList<>();
    private final List<@Nullable String> errors = new ArrayList<>();
    private final List<@Nullable String> results = new ArrayList<>();
    private final List<@Nullable String> nexts = new ArrayList<>();
    private final List<Long> large = new ArrayList<>();
    private final List<Long> keyed = new ArrayList<>();
    private boolean awaits;

    /**
     * The next job.
     *
     * @param result null: it goes on
     * @param begin when it began, in microseconds after it was taken
     * @param run how many microseconds it ran
     */
    public void add(ClaimedJob job, @Nullable AttemptResult result, int begin, int run) {
        AttemptResult.Step next = result == null ? null : result.next();
        begins.add(Integer.toString(begin));
        runs.add(Integer.toString(run));
        codes.add(String.valueOf((result == null ? AttemptState.MOVED : result.state()).code()));
        OpenWait wait = result == null ? null : result.openWait();
        awaits |= wait != null && wait.type() != OpenWait.Type.SLEEP;
        delays.add(result == null ? "0" : Long.toString(wait == null ? result.delayMicros() : wait.left()));
        errors.add(result == null ? null : result.error());
        results.add(result == null ? null : result.result());
        nexts.add(wait != null ? described(wait, job) : next == null ? null : onward(next));
        if (result == null) return;
        if (job.large() && (result.state() == AttemptState.DONE || (next != null && !next.isLarge())))
            large.add(job.id());
        if (job.isKeyed()) keyed.add(job.id());
    }

    /** The jobs that have ended and have a key. */
    Long[] keyed() {
        return keyed.toArray(Long[]::new);
    }

    /** The letters of the jobs, as they are written. */
    String letters() {
        return String.join("", codes);
    }

    /** Whether a job waits for a signal or a child, which may have come, or ended, meanwhile. */
    boolean awaits() {
        return awaits;
    }

    /** What the statement takes. */
    @Nullable
    public Object[] values(Connection connection, int node, ClaimId claim) throws SQLException {
        return values(connection, node, List.of(claim), List.of(this));
    }

    /** What the statement takes for several batches. */
    @Nullable
    static Object[] values(Connection connection, int node, List<ClaimId> claims, List<BatchOutcomes> batches)
            throws SQLException {
        return new @Nullable Object[] {
            node,
            claims.stream().map(ClaimId::batch).toArray(Long[]::new),
            literals(connection, batches, each -> each.begins),
            literals(connection, batches, each -> each.runs),
            literals(connection, batches, each -> each.codes),
            literals(connection, batches, each -> each.delays),
            literals(connection, batches, each -> each.errors),
            literals(connection, batches, each -> each.results),
            batches.stream().flatMap(each -> each.large.stream()).toArray(Long[]::new),
            literals(connection, batches, each -> each.nexts),
            claims.stream().map(ClaimId::token).toArray(Long[]::new)
        };
    }

    private static String described(OpenWait wait, ClaimedJob job) {
        OpenWait.Divergence divergence = wait.divergence();
        // A program that does not go on with the job does not take from it what its own handler has asked for.
        boolean throwsCancel = wait.handler().throwsCancel() || divergence != null && job.throwsCancel();
        ObjectNode about = JSON.createObjectNode();
        OpenWait.Among among = wait.among();
        if (among != null) {
            about.putPOJO("signals", among.signals());
            about.putPOJO("children", among.children());
            if (!among.jobs().isEmpty()) about.putPOJO("jobs", among.jobs());
            for (OpenWait.Happening event : among.events())
                (event.place() == 0 ? about : about.withArray("/events").addObject())
                        .put("place", event.place())
                        .put("topic", event.topic())
                        .put("event_key", event.key())
                        .put("filter", event.filter())
                        .put("since", event.since());
        }
        return about.put("error", divergence == null ? null : divergence.error())
                .put("times", divergence == null ? null : Integer.valueOf(divergence.times()))
                .put("type", wait.type().code())
                .put("name", wait.name())
                .put("nth", wait.nth())
                .put("number", wait.number())
                .put("until", wait.until())
                .put("again", wait.again())
                .put("version", wait.handler().version())
                .put("priority", wait.handler().priority())
                .put("throws", throwsCancel ? Boolean.TRUE : null)
                .toString();
    }

    private static String onward(AttemptResult.Step next) {
        // The payload as it is: what reads and writes it again could change its numbers.
        String about = JSON.createObjectNode()
                .put("queue", next.queue())
                .put("kind", next.kind())
                .put("large", next.isLarge())
                .put("again", next.again())
                .toString();
        return about.substring(0, about.length() - 1) + ",\"payload\":" + next.payload() + "}";
    }

    /** An array of one text for each batch, which is the array for its jobs. */
    private static String[] literals(
            Connection connection,
            List<BatchOutcomes> batches,
            Function<BatchOutcomes, List<? extends @Nullable String>> of)
            throws SQLException {
        String[] literals = new String[batches.size()];
        for (int i = 0; i < literals.length; i++) {
            List<? extends @Nullable String> values = of.apply(batches.get(i));
            for (String each : values) if (each != null) StorableText.check(each);
            Array array = connection.createArrayOf("text", values.toArray());
            try {
                literals[i] = array.toString();
            } finally {
                array.free();
            }
        }
        return literals;
    }
}
