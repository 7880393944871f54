package dev.howdah.job.internal.insert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of jobs of several batches, as arrays for a statement: each has an element for each job, in their order. */
final class InsertColumns {
    final Integer[] lane;
    final String[] queue;
    final String[] kind;
    final Integer[] priority;
    final @Nullable String[] at;
    final Long[] delay;
    final String[] payload;
    final @Nullable String[] more;
    final @Nullable String[] order;
    final @Nullable String[] key;
    final @Nullable String[] version;
    final @Nullable String[] unique;

    InsertColumns(List<InsertBatch> batches, int size) {
        lane = new Integer[size];
        queue = new String[size];
        kind = new String[size];
        priority = new Integer[size];
        at = new @Nullable String[size];
        delay = new Long[size];
        payload = new String[size];
        more = new @Nullable String[size];
        order = new @Nullable String[size];
        key = new @Nullable String[size];
        version = new @Nullable String[size];
        unique = new @Nullable String[size];
        int i = 0;
        for (InsertBatch batch : batches) for (String each : batch.payloads()) fill(i++, batch.template(), each);
    }

    private void fill(int i, InsertTemplate template, String text) {
        lane[i] = template.lane().id();
        queue[i] = template.lane().queue();
        kind[i] = template.kind();
        priority[i] = template.priority();
        at[i] = template.at();
        delay[i] = template.delayMicros();
        payload[i] = text;
        more[i] = template.more();
        order[i] = template.order();
        InsertTemplate.Unusual unusual = template.unusual();
        if (unusual == null) return;
        key[i] = unusual.key();
        version[i] = unusual.version();
        unique[i] = unusual.unique();
    }
}
