package dev.howdah.daemon.cli.migrate;

import java.util.ArrayList;
import java.util.List;

/** The times of a schedule of pgAgent, arrays of truth values, as a cron. */
final class PgAgentTimes {
    /** Behind the 31 days stands the last day of the month. */
    private static final int LAST_DAY = 31;

    private PgAgentTimes() {}

    /** Five fields; where none of a field is set, or all are, any of them is meant. */
    static String cron(Boolean[] minutes, Boolean[] hours, Boolean[] monthDays, Boolean[] months, Boolean[] weekDays) {
        return String.join(
                " ", field(minutes, 0), field(hours, 0), field(monthDays, 1), field(months, 1), field(weekDays, 0));
    }

    /** Whether a field says less than any. */
    static boolean isRestricted(Boolean[] values) {
        return !field(values, 0).equals("*");
    }

    private static String field(Boolean[] values, int first) {
        boolean hasLast = values.length > LAST_DAY && values.length < 60;
        int days = hasLast ? LAST_DAY : values.length;
        List<String> parts = new ArrayList<>();
        int set = 0;
        for (int from = 0; from < days; from++) {
            if (!values[from]) continue;
            int to = from;
            while (to + 1 < days && values[to + 1]) to++;
            set += to - from + 1;
            int low = from + first;
            int high = to + first;
            parts.add(to == from ? Integer.toString(low) : low + (to == from + 1 ? "," : "-") + high);
            from = to;
        }
        if (set == days) return "*";
        if (hasLast && values[LAST_DAY]) parts.add("L");
        return parts.isEmpty() ? "*" : String.join(",", parts);
    }
}
