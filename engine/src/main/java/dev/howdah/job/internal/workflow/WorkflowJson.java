package dev.howdah.job.internal.workflow;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.spi.PayloadCodec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The named jobs of a workflow, and what runs when all have ended, as {@code howdah.add_workflow} takes them. */
final class WorkflowJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private WorkflowJson() {}

    /** @throws IllegalArgumentException if a payload cannot be encoded */
    static String jobs(Workflow workflow, PayloadCodec codec) {
        List<String> all = new ArrayList<>();
        for (Workflow.Named each : workflow.named()) all.add(job(each.name(), each.after(), each.job(), codec));
        return "[" + String.join(",", all) + "]";
    }

    static String callbacks(Workflow workflow, PayloadCodec codec) {
        List<String> all = new ArrayList<>();
        for (Map.Entry<After.Condition, NewJob<?>> each : workflow.callbacks().entrySet())
            all.add("\"" + word(each.getKey()) + "\":" + job(null, null, each.getValue(), codec));
        return "{" + String.join(",", all) + "}";
    }

    private static String word(After.Condition condition) {
        return condition.name().toLowerCase(Locale.ROOT);
    }

    private static String job(@Nullable String name, @Nullable After after, NewJob<?> job, PayloadCodec codec) {
        ObjectNode about = JSON.createObjectNode();
        if (name != null) about.put("name", name);
        about.put("queue", job.queue()).put("kind", job.kind().name()).put("priority", job.priority());
        if (job.runAt() != null) about.put("run_at", job.runAt().toString());
        else if (!job.delay().isZero()) about.put("delay", seconds(Durations.micros(job.delay())));
        if (job.maxAttempts() > 0) about.put("attempts", job.maxAttempts());
        if (!job.timeout().isZero()) about.put("timeout", seconds(Durations.micros(job.timeout())));
        if (after != null) {
            about.put("when", word(after.condition()));
            ArrayNode names = about.putArray("after");
            after.names().forEach(names::add);
        }
        // The payload as it is: what reads and writes it again could change its numbers.
        String text = about.toString();
        String options = job.options();
        return text.substring(0, text.length() - 1) + (options == null ? "" : ",\"options\":" + options)
                + ",\"payload\":" + JobPayloads.encode(job, codec) + "}";
    }

    private static String seconds(long micros) {
        return BigDecimal.valueOf(micros, 6).toPlainString() + " seconds";
    }
}
