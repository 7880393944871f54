package dev.howdah;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Parts of a program by floors: each part stands one floor above the highest one that it uses. */
final class Floors {
    private static final int WIDTH = 116;

    private Floors() {}

    /**
     * The parts of each floor, from 1.
     *
     * @param uses what each part uses
     * @throws IllegalArgumentException if parts use each other in a circle, which the message names
     */
    static TreeMap<Integer, Set<String>> of(Map<String, Set<String>> uses) {
        Map<String, Integer> known = new TreeMap<>();
        uses.keySet().forEach(each -> floor(each, uses, known, new LinkedHashSet<>()));
        TreeMap<Integer, Set<String>> floors = new TreeMap<>();
        known.forEach((part, floor) ->
                floors.computeIfAbsent(floor, number -> new TreeSet<>()).add(part));
        return floors;
    }

    private static int floor(
            String part, Map<String, Set<String>> uses, Map<String, Integer> known, LinkedHashSet<String> path) {
        Integer there = known.get(part);
        if (there != null) return there;
        if (!path.add(part)) throw new IllegalArgumentException("a circle: " + circle(path, part));
        int floor = 1;
        for (String each : uses.getOrDefault(part, Set.of()))
            floor = Math.max(floor, 1 + floor(each, uses, known, path));
        path.remove(part);
        known.put(part, floor);
        return floor;
    }

    private static String circle(Collection<String> path, String again) {
        List<String> parts = new ArrayList<>(path);
        List<String> circle = new ArrayList<>(parts.subList(parts.indexOf(again), parts.size()));
        circle.add(again);
        return String.join(" -> ", circle);
    }

    /** A line for each floor, the highest one first. */
    static String drawn(TreeMap<Integer, Set<String>> floors) {
        return floors.descendingMap().entrySet().stream()
                .map(each -> line(each.getKey(), each.getValue()))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String line(int floor, Set<String> parts) {
        StringBuilder text = new StringBuilder();
        StringBuilder line = new StringBuilder(String.format("%2d  ", floor));
        for (String each : parts) {
            if (line.length() + each.length() > WIDTH) {
                text.append(line.toString().stripTrailing()).append('\n');
                line = new StringBuilder("    ");
            }
            line.append(each).append("  ");
        }
        return text + line.toString().stripTrailing();
    }
}
