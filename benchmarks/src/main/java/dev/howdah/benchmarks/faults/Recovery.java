package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.History.Change;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How long it took from each strike to the next task that began.
 *
 * @param millis in ascending order; a strike after which another came before any task began is not counted
 */
record Recovery(List<Long> millis) {
    /** @param strikes microseconds of the epoch, ascending */
    static Recovery of(History history, List<Long> strikes) {
        long[] begins = history.changes().stream()
                .filter(change -> "WORK".equals(change.after()))
                .mapToLong(Change::at)
                .sorted()
                .toArray();
        List<Long> millis = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < strikes.size(); i++) {
            while (next < begins.length && begins[next] <= strikes.get(i)) next++;
            if (next == begins.length) break;
            boolean struckAgain = i + 1 < strikes.size() && strikes.get(i + 1) < begins[next];
            if (!struckAgain) millis.add((begins[next] - strikes.get(i)) / 1000);
        }
        millis.sort(null);
        return new Recovery(millis);
    }

    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("recoveries", millis.size());
        if (millis.isEmpty()) return figures;
        figures.put("recovery_p50_ms", millis.get(millis.size() / 2));
        figures.put("recovery_max_ms", millis.get(millis.size() - 1));
        return figures;
    }
}
