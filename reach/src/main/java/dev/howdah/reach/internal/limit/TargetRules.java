package dev.howdah.reach.internal.limit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.secret.JsonKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The limits of a file of settings, by place: {@code {"https://api.example": {"concurrency": 5, "perSecond": 10}}}. Immutable. */
public final class TargetRules {
    private static final Set<String> KEYS = Set.of("concurrency", "perSecond", "perMinute", "rest");
    private static final int MOST = 10_000;

    /** So many tasks begin within a time at most. */
    record Window(int most, Duration time) {}

    /**
     * The limits of a place, for each host of it.
     *
     * @param name the place as it is written
     * @param concurrency how many tasks run at once
     * @param rests whether tasks rest where the host could not serve the last ones
     */
    record Rule(String name, ReachPlaces place, int concurrency, List<Window> windows, boolean rests) {}

    private final List<Rule> rules;

    private TargetRules(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    /**
     * Reads such an object.
     *
     * @param node null for none
     * @throws IllegalArgumentException if something in it is no limit
     */
    public static TargetRules of(@Nullable JsonNode node) {
        List<Rule> rules = new ArrayList<>();
        if (node == null || node.isNull()) return new TargetRules(rules);
        if (!node.isObject()) throw new IllegalArgumentException("\"limits\" has to be an object of places");
        for (Map.Entry<String, JsonNode> each : node.properties())
            try {
                rules.add(rule(each.getKey(), each.getValue()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("\"limits\": \"" + each.getKey() + "\": " + e.getMessage(), e);
            }
        return new TargetRules(rules);
    }

    private static Rule rule(String name, JsonNode node) {
        if (name.contains("="))
            throw new IllegalArgumentException("a limit is for all owners together: the place stands without =OWNER");
        JsonKeys.only(node, KEYS);
        if (node.isEmpty())
            throw new IllegalArgumentException("it has no limit: concurrency, perSecond, perMinute or rest");
        List<Window> windows = new ArrayList<>();
        if (node.has("perSecond")) windows.add(new Window(number(node, "perSecond"), Duration.ofSeconds(1)));
        if (node.has("perMinute")) windows.add(new Window(number(node, "perMinute"), Duration.ofMinutes(1)));
        int concurrency = node.has("concurrency") ? number(node, "concurrency") : Integer.MAX_VALUE;
        return new Rule(name, ReachPlaces.of(List.of(name)), concurrency, List.copyOf(windows), rests(node));
    }

    private static boolean rests(JsonNode node) {
        JsonNode value = node.get("rest");
        if (value == null) return true;
        if (!value.isBoolean()) throw new IllegalArgumentException("\"rest\" has to be true or false");
        return value.booleanValue();
    }

    private static int number(JsonNode node, String key) {
        JsonNode value = node.get(key);
        if (!value.isInt() || value.intValue() < 1 || value.intValue() > MOST)
            throw new IllegalArgumentException("\"" + key + "\" has to be a number from 1 to " + MOST);
        return value.intValue();
    }

    /** In words, by place. */
    public Map<String, String> texts() {
        Map<String, String> all = new LinkedHashMap<>();
        for (Rule each : rules) {
            List<String> words = new ArrayList<>();
            if (each.concurrency() < Integer.MAX_VALUE) words.add(each.concurrency() + " at once");
            for (Window window : each.windows())
                words.add(window.most() + " a " + (window.time().toSeconds() == 1 ? "second" : "minute"));
            if (!each.rests()) words.add("without rests");
            all.put(each.name(), String.join(", ", words));
        }
        return all;
    }

    /** Returns whether tasks at a target rest where its host could not serve the last ones. */
    public boolean rests(Target target) {
        return of(target).stream().allMatch(Rule::rests);
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /** Those of a target; all of them hold. */
    List<Rule> of(Target target) {
        return rules.stream().filter(rule -> rule.place().has("", target)).toList();
    }
}
