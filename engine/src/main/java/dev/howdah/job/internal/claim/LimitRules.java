package dev.howdah.job.internal.claim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.job.internal.claim.ConcurrencyLimits.Limit;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of how many jobs run at a time, as a node knows them. Immutable.
 *
 * @param all the node's own, and those in the database
 */
record LimitRules(List<Limit> all) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Adds those in the database to the node's own.
     *
     * @param json as {@code limit_list} gives them; null: there are none
     */
    static LimitRules of(List<Limit> own, @Nullable String json) {
        if (json == null) return new LimitRules(own);
        List<Limit> known = new ArrayList<>(own);
        try {
            for (JsonNode each : JSON.readTree(json))
                if (!each.path("group_name").isTextual()
                        && !each.path("each_group").asBoolean())
                    known.add(new Limit(
                            each.path("queue").asText(),
                            each.path("kind").textValue(),
                            each.path("each_node").asBoolean(),
                            each.path("most").asInt()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the database says of its limits: " + json, e);
        }
        return new LimitRules(List.copyOf(known));
    }

    /** Whether only so many jobs of that lane may run. */
    boolean has(Lane lane) {
        return !all.isEmpty() && all.stream().anyMatch(limit -> limit.covers(lane));
    }

    /** Whether only so many jobs of that lane may run on all nodes together. */
    boolean isShared(Lane lane) {
        return !all.isEmpty() && all.stream().anyMatch(limit -> !limit.eachNode() && limit.covers(lane));
    }

    /** Whether a job of that kind, found in that lane, has to go to a lane of its kind. */
    boolean needsLane(Lane lane, String kind) {
        return !all.isEmpty()
                && lane.kind() == null
                && all.stream()
                        .anyMatch(limit ->
                                kind.equals(limit.kind()) && limit.queue().equals(lane.queue()));
    }

    /** How many jobs of that lane may run at most; {@code most} if it has no limit below. */
    int least(Lane lane, int most) {
        int least = most;
        for (Limit limit : all) if (limit.covers(lane)) least = Math.min(least, limit.most());
        return least;
    }
}
