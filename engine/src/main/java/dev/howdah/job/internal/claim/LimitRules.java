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
 * The limits of jobs, as a node knows them. Immutable.
 *
 * @param all of how many run at a time: the node's own, and those in the database
 * @param paced of which queues and kinds there is a rate, or an ageing
 */
record LimitRules(List<Limit> all, List<Limit> paced) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Adds those in the database to the node's own.
     *
     * @param json as {@code limit_list} gives them; null: there are none
     */
    static LimitRules of(List<Limit> own, @Nullable String json) {
        if (json == null) return new LimitRules(own, List.of());
        List<Limit> known = new ArrayList<>(own);
        List<Limit> paced = new ArrayList<>();
        try {
            for (JsonNode each : JSON.readTree(json))
                (each.path("paced").asBoolean() ? paced : known)
                        .add(new Limit(
                                each.path("queue").asText(),
                                each.path("kind").textValue(),
                                each.path("each_node").asBoolean(),
                                each.path("most").asInt()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the database says of its limits: " + json, e);
        }
        return new LimitRules(List.copyOf(known), List.copyOf(paced));
    }

    /** Whether only so many jobs of that lane may run. */
    boolean has(Lane lane) {
        return !all.isEmpty() && all.stream().anyMatch(limit -> limit.covers(lane));
    }

    /** Whether only so many jobs of that lane may run on all nodes together. */
    boolean isShared(Lane lane) {
        return !all.isEmpty() && all.stream().anyMatch(limit -> !limit.eachNode() && limit.covers(lane));
    }

    /** Whether there is none, of jobs of that queue. */
    boolean hasNone(String queue) {
        return (all.isEmpty() || all.stream().noneMatch(limit -> limit.queue().equals(queue)))
                && (paced.isEmpty()
                        || paced.stream().noneMatch(limit -> limit.queue().equals(queue)));
    }

    /** Whether a job of that kind, found in that lane, has to go to a lane of its kind. */
    boolean needsLane(Lane lane, String kind) {
        return lane.kind() == null && (isOfKind(all, lane, kind) || isOfKind(paced, lane, kind));
    }

    private static boolean isOfKind(List<Limit> limits, Lane lane, String kind) {
        return !limits.isEmpty()
                && limits.stream()
                        .anyMatch(limit ->
                                kind.equals(limit.kind()) && limit.queue().equals(lane.queue()));
    }

    /** Whether a rate or an ageing is to be observed when jobs of that lane are claimed. */
    boolean isPaced(Lane lane) {
        return !paced.isEmpty() && paced.stream().anyMatch(limit -> limit.covers(lane));
    }

    /** How many jobs of that lane may run at most; {@code most} if it has no limit below. */
    int least(Lane lane, int most) {
        int least = most;
        for (Limit limit : all) if (limit.covers(lane)) least = Math.min(least, limit.most());
        return least;
    }
}
