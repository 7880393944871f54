package dev.howdah.internal.schedule;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One field of a cron schedule.
 *
 * @param bits the plain values that it takes, value n as bit n
 * @param days days that are no plain values, such as the last of the month
 * @param wildcard whether it begins with a star, which matters for days (see {@link CronDays})
 * @param interval whether it has a star or a step anywhere, which matters for hours (see the package)
 */
record CronField(long bits, List<DayRule> days, boolean wildcard, boolean interval) {

    /** A day that is found by looking at its month. */
    interface DayRule {
        boolean matches(LocalDate day);
    }

    /** The values that a field may have. */
    enum Kind {
        SECOND("second", 0, 59, "", ""),
        MINUTE("minute", 0, 59, "", ""),
        HOUR("hour", 0, 23, "", ""),
        DAY_OF_MONTH(
                "day of month",
                1,
                31,
                "",
                ", L (the last), L-3, LW (the last weekday), 15W (the weekday nearest to the 15th)"),
        MONTH("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", ", names (JAN)"),
        DAY_OF_WEEK(
                "day of week",
                0,
                7,
                "SUN MON TUE WED THU FRI SAT",
                ", names (MON), 5L (the last Friday), MON#1 (the first Monday)");

        private final String label;
        private final int min;
        private final int max;
        private final List<String> names;
        private final String more;

        Kind(String label, int min, int max, String names, String more) {
            this.label = label;
            this.min = min;
            this.max = max;
            this.names = names.isEmpty() ? List.of() : List.of(names.split(" ", -1));
            this.more = more;
        }

        CronField parse(String text) {
            return new Parsing(this, text).field();
        }

        private boolean isDay() {
            return this == DAY_OF_MONTH || this == DAY_OF_WEEK;
        }
    }

    /** The smallest plain value from {@code from} on; -1 if there is none. */
    int next(int from) {
        long left = from > 63 ? 0 : bits >>> from;
        return left == 0 ? -1 : from + Long.numberOfTrailingZeros(left);
    }

    boolean has(int value) {
        return (bits >>> value & 1) == 1;
    }

    private static final class Parsing {
        private final Kind kind;
        private final String text;
        private final List<DayRule> days = new ArrayList<>();
        private long bits;
        private boolean interval;

        Parsing(Kind kind, String text) {
            this.kind = kind;
            this.text = text;
        }

        CronField field() {
            for (String item : text.toUpperCase(Locale.ROOT).split(",", -1)) {
                DayRule day = special(item);
                if (day == null) plain(item);
                else days.add(day);
            }
            if (kind == Kind.DAY_OF_WEEK && (bits >>> 7 & 1) == 1) bits = bits & 127 | 1;
            return new CronField(bits, List.copyOf(days), text.startsWith("*") || text.startsWith("?"), interval);
        }

        private void plain(String item) {
            String[] parts = item.split("/", -1);
            if (parts.length > 2) throw wrong("'" + item + "' has more than one step");
            int step = parts.length == 2 ? number(parts[1]) : 1;
            if (step < 1) throw wrong("the step of '" + item + "' has to be 1 or more");
            int first = kind.min;
            // Seven is Sunday once more: in a wildcard it would be counted twice.
            int last = kind == Kind.DAY_OF_WEEK ? 6 : kind.max;
            boolean star = parts[0].equals("*") || (parts[0].equals("?") && kind.isDay());
            interval |= star || parts.length == 2;
            if (!star) {
                String[] ends = parts[0].split("-", -1);
                if (ends.length > 2) throw wrong("'" + item + "' is no range");
                first = value(ends[0]);
                if (ends.length == 2) last = value(ends[1]);
                else if (parts.length == 1) last = first;
                // A range may end with a Sunday by its name.
                if (kind == Kind.DAY_OF_WEEK && last == 0 && first > 0) last = 7;
                if (last < first)
                    throw wrong("'" + parts[0] + "' runs backwards: write it as two, such as " + first + "-" + kind.max
                            + "," + kind.min + "-" + last);
            }
            for (int value = first; value <= last; value += step) bits |= 1L << value;
        }

        private int value(String word) {
            int named = kind.names.indexOf(word);
            int value = named >= 0 ? named + kind.min : number(word);
            if (value < kind.min || value > kind.max)
                throw wrong(word.equals(text) ? "" : "'" + word + "' is none of these");
            return value;
        }

        private int number(String word) {
            if (!word.matches("[0-9]{1,4}"))
                throw wrong(
                        word.isEmpty()
                                ? "something is missing"
                                : word.equals(text) ? "" : "'" + word + "' is no number");
            return Integer.parseInt(word);
        }

        private @Nullable DayRule special(String item) {
            if (kind == Kind.DAY_OF_MONTH) return ofMonth(item);
            return kind == Kind.DAY_OF_WEEK ? ofWeek(item) : null;
        }

        private @Nullable DayRule ofMonth(String item) {
            if (item.equals("LW")) return day -> day.equals(CronDays.nearestWeekday(day, day.lengthOfMonth()));
            if (item.equals("L") || item.startsWith("L-")) {
                int before = item.equals("L") ? 0 : number(item.substring(2));
                if (before > 30) throw wrong("'" + item + "' is before the month begins");
                return day -> day.getDayOfMonth() == day.lengthOfMonth() - before;
            }
            if (item.length() < 2 || !item.endsWith("W")) return null;
            int wanted = value(item.substring(0, item.length() - 1));
            return day -> wanted <= day.lengthOfMonth() && day.equals(CronDays.nearestWeekday(day, wanted));
        }

        private @Nullable DayRule ofWeek(String item) {
            if (item.equals("L")) return day -> CronDays.ofWeek(day) == 6;
            if (item.length() > 1 && item.endsWith("L")) {
                int wanted = value(item.substring(0, item.length() - 1)) % 7;
                return day -> CronDays.ofWeek(day) == wanted && day.getDayOfMonth() > day.lengthOfMonth() - 7;
            }
            int at = item.indexOf('#');
            if (at < 0) return null;
            int wanted = value(item.substring(0, at)) % 7;
            int which = number(item.substring(at + 1));
            if (which < 1 || which > 5) throw wrong("the number behind # is 1 to 5");
            return day -> CronDays.ofWeek(day) == wanted && (day.getDayOfMonth() + 6) / 7 == which;
        }

        private CronSyntaxException wrong(String what) {
            return new CronSyntaxException("the " + kind.label + " field is '" + text + "'"
                    + (what.isEmpty() ? "" : ", where " + what) + "; it takes " + kind.min + " to " + kind.max
                    + ", *, lists (1,2), ranges (1-5), steps (*/2)" + kind.more);
        }
    }
}
