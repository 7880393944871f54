package dev.howdah.job.internal.maintain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.howdah.job.internal.store.JobMetrics;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The counts of ended jobs by counted tag, as {@code howdah_internal.add_up_tags} says it. */
final class TagCounts {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The letters of {@code howdah_internal.batch.outcomes} and the outcomes of metrics; a crash of a node is none of them. */
    private static final Map<String, String> OUTCOMES =
            Map.of("d", "done", "n", "done", "r", "retried", "f", "failed", "c", "cancelled");

    private JsonNode counts = MissingNode.getInstance();

    void read(@Nullable String json) throws SQLException {
        if (json == null) return;
        try {
            counts = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new SQLException("the database says of tags: " + json, e);
        }
    }

    void addTo(JobMetrics metrics) {
        if (metrics.isOff()) return;
        for (JsonNode each : counts) {
            String outcome = OUTCOMES.get(each.path("letter").asText());
            if (outcome != null)
                metrics.tagged(
                        each.path("tag").asText(), outcome, each.path("jobs").asLong());
        }
    }
}
