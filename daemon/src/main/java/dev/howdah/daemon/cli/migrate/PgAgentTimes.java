package dev.howdah.daemon.cli.migrate;

import java.util.ArrayList;
import java.util.List;

/** The times of a schedule of pgAgent, arrays of truth values, as a cron. */
final class PgAgentTimes {
    /** Behind the 31 days stands the last day of the month. */
    private static final int LAST_DAY = 31;

    /** A field that begins with a star leaves the other kind of days as it is: then both have to match. This star is the first value only. */
    private static final String STAR_OF_FIRST = "*/100,";

    private PgAgentTimes() {}

    /** Five fields; where none of a field is set, or all are, any of them is meant. Days of the month and of the week have to match both. */
    static String cron(Boolean[] minutes, Boolean[] hours, Boolean[] monthDays, Boolean[] months, Boolean[] weekDays) {
        boolean both = isRestricted(weekDays) && isRestricted(monthDays);
        String ofMonth = (both && monthDays[0] ? STAR_OF_FIRST : "") + field(monthDays, 1);
        String ofWeek = (both && !monthDays[0] && weekDays[0] ? STAR_OF_FIRST : "") + field(weekDays, 0);
        return String.join(" ", field(minutes, 0), field(hours, 0), ofMonth, field(months, 1), ofWeek);
    }

    /** Whether a cron can say these days: those of both kinds only with the 1st or the Sunday among them. */
    static boolean isSaid(Boolean[] monthDays, Boolean[] weekDays) {
        return !isRestricted(weekDays) || !isRestricted(monthDays) || monthDays[0] || weekDays[0];
    }

    /** Whether a field says less than any. */
    private static boolean isRestricted(Boolean[] values) {
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
