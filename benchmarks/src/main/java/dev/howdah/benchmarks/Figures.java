package dev.howdah.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Named figures, in the order in which they are printed. */
final class Figures {
    private final Map<String, Number> values = new LinkedHashMap<>();

    Figures put(String name, Number value) {
        values.put(name, value);
        return this;
    }

    Figures putAll(String prefix, Figures others) {
        others.values.forEach((name, value) -> values.put(prefix + name, value));
        return this;
    }

    double get(String name) {
        return Objects.requireNonNull(values.get(name), name).doubleValue();
    }

    Map<String, Number> values() {
        return values;
    }

    /** The median of each figure. */
    static Figures medians(List<Figures> all) {
        Figures medians = new Figures();
        for (String name : all.get(0).values.keySet())
            medians.put(
                    "median_" + name,
                    median(all.stream().map(each -> each.get(name)).toList()));
        return medians;
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
