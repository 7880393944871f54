package dev.howdah.job.internal.batch;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.AttemptState;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.store.JobSql;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of workflows that are done in some batches: one row to write for each batch and workflow. Jobs that fail, or are cancelled, are
 * counted by a trigger of the table that they go to.
 */
public final class WorkflowCounts {
    /** Before the statement that ends the batches, in its transaction. */
    static final Sql COUNT = JobSql.WORKFLOW.statement("workflow_count");

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final class Entry {
        private int done;
        private @Nullable StringBuilder named;
    }

    private final List<Long> batches = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();
    private final List<Long> workflows = new ArrayList<>();
    private final List<Integer> dones = new ArrayList<>();
    private final List<@Nullable String> named = new ArrayList<>();

    /**
     * Adds what is done of a batch that is to be written.
     *
     * @param ended its jobs that have ended
     */
    void add(ClaimedBatch batch, List<Integer> ended) {
        Map<Long, Entry> entries = null;
        for (int i : ended) {
            ClaimedJob job = batch.job(i);
            long workflow = job.workflow();
            if (workflow == 0) continue;
            AttemptResult result = batch.result(i);
            if (result == null || result.state() != AttemptState.DONE) continue;
            if (entries == null) entries = new HashMap<>();
            Entry entry = entries.computeIfAbsent(workflow, key -> new Entry());
            entry.done++;
            if (!job.isNamed()) continue;
            if (entry.named == null) entry.named = new StringBuilder("[");
            else entry.named.append(',');
            entry.named.append(done(job.id(), result.result()));
        }
        if (entries == null) return;
        for (Map.Entry<Long, Entry> each : entries.entrySet()) {
            StringBuilder jobs = each.getValue().named;
            batches.add(batch.batch());
            tokens.add(batch.token());
            workflows.add(each.getKey());
            dones.add(each.getValue().done);
            named.add(jobs == null ? null : jobs.append(']').toString());
        }
    }

    /** What says that a job with a name is done. */
    public static String done(long job, @Nullable String result) {
        String about =
                JSON.createObjectNode().put("id", job).put("state", "done").toString();
        return result == null ? about : about.substring(0, about.length() - 1) + ",\"result\":" + result + "}";
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** What the statement takes, and behind it what another one takes. */
    @Nullable
    Object[] values(int node, @Nullable Object... others) {
        @Nullable Object[] all = new @Nullable Object[6 + others.length];
        all[0] = node;
        all[1] = batches.toArray(Long[]::new);
        all[2] = tokens.toArray(Long[]::new);
        all[3] = workflows.toArray(Long[]::new);
        all[4] = dones.toArray(Integer[]::new);
        all[5] = named.toArray(String[]::new);
        System.arraycopy(others, 0, all, 6, others.length);
        return all;
    }
}
