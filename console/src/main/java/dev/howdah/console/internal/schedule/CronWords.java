package dev.howdah.console.internal.schedule;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A cron expression in words, such as {@code at 03:00 from Monday to Friday}. */
final class CronWords {
    private static final Map<String, String> NAMED = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    /** More times of a day than these are not listed. */
    private static final int MOST_TIMES = 6;

    private CronWords() {}

    /** The words of a valid expression; null: it is too involved for words, and has to be read itself. */
    static @Nullable String of(String cron) {
        String plain = cron.strip();
        plain = NAMED.getOrDefault(plain.toLowerCase(Locale.ROOT), plain).toUpperCase(Locale.ROOT);
        List<String> fields = List.of(plain.split("\\s+", -1));
        if (fields.size() == 5) return words("0", fields);
        if (fields.size() == 6) return words(fields.get(0), fields.subList(1, 6));
        return null;
    }

    private static @Nullable String words(String second, List<String> fields) {
        String time = time(second, fields.get(0), fields.get(1));
        String days = days(fields.get(2), fields.get(3), fields.get(4));
        if (time == null || days == null) return null;
        if (!days.isEmpty()) return time + " " + days;
        return time.startsWith("at ") ? time + " every day" : time;
    }

    private static boolean isAny(String field) {
        return field.equals("*") || field.equals("?") || field.equals("*/1");
    }

    /** The step of {@code *}{@code /15}, if it divides its whole evenly; 0: it is no such step. */
    private static int step(String field, int whole) {
        if (!field.matches("\\*/\\d{1,2}")) return 0;
        int step = Integer.parseInt(field.substring(2));
        return step > 1 && whole % step == 0 ? step : 0;
    }

    /** The values of numbers, names and ranges, in order; null: there is something else. */
    private static @Nullable List<Integer> values(String field, List<String> names, int first) {
        TreeSet<Integer> values = new TreeSet<>();
        for (String item : field.split(",", -1)) {
            String[] ends = item.split("-", -1);
            Integer low = value(ends[0], names, first);
            Integer high = ends.length == 1 ? low : ends.length == 2 ? value(ends[1], names, first) : null;
            if (low == null || high == null) return null;
            for (int each = low; each <= high; each++) values.add(each);
        }
        return values.isEmpty() ? null : new ArrayList<>(values);
    }

    private static @Nullable Integer value(String word, List<String> names, int first) {
        if (names.contains(word)) return names.indexOf(word) + first;
        return word.matches("\\d{1,2}") ? Integer.valueOf(word) : null;
    }

    private static @Nullable String time(String second, String minute, String hour) {
        List<Integer> seconds = values(second, List.of(), 0);
        List<Integer> minutes = values(minute, List.of(), 0);
        if (isAny(hour) && isAny(minute)) {
            if (isAny(second)) return "every second";
            if (step(second, 60) > 0) return "every " + step(second, 60) + " seconds";
            if (seconds == null || seconds.size() > 1) return null;
            return seconds.get(0) == 0 ? "every minute" : "every minute at second " + seconds.get(0);
        }
        if (seconds == null || seconds.size() > 1) return null;
        if (step(minute, 60) > 0) {
            String every = "every " + step(minute, 60) + " minutes";
            return seconds.get(0) != 0 ? null : isAny(hour) ? every : inHours(every, hour);
        }
        if (minutes == null || minutes.size() > MOST_TIMES) return null;
        if (isAny(hour) || step(hour, 24) > 0) {
            String every = isAny(hour) ? "every hour" : "every " + step(hour, 24) + " hours";
            if (minutes.size() > 1 || seconds.get(0) != 0) return null;
            return minutes.get(0) == 0 ? every : every + " at minute " + minutes.get(0);
        }
        List<Integer> hours = values(hour, List.of(), 0);
        if (hours == null) return null;
        List<String> times = new ArrayList<>();
        for (int each : hours) for (int of : minutes) times.add(clock(each, of, seconds.get(0)));
        if (times.size() <= MOST_TIMES) return "at " + joined(times);
        boolean row = hours.get(hours.size() - 1) - hours.get(0) == hours.size() - 1;
        if (minutes.size() > 1 || !row) return null;
        return "every hour from " + times.get(0) + " to " + times.get(times.size() - 1);
    }

    private static @Nullable String inHours(String every, String hour) {
        List<Integer> hours = values(hour, List.of(), 0);
        if (hours == null) return null;
        int first = hours.get(0);
        int last = hours.get(hours.size() - 1);
        if (last - first != hours.size() - 1) return null;
        return every + " from " + clock(first, 0, 0) + " until before "
                + (last == 23 ? "24:00" : clock(last + 1, 0, 0));
    }

    private static String clock(int hour, int minute, int second) {
        return second == 0
                ? String.format(Locale.ROOT, "%02d:%02d", hour, minute)
                : String.format(Locale.ROOT, "%02d:%02d:%02d", hour, minute, second);
    }

    /** Empty: every day. */
    private static @Nullable String days(String ofMonth, String month, String ofWeek) {
        String week = isAny(ofWeek) ? "" : weekdays(ofWeek);
        String day = isAny(ofMonth) ? "" : daysOfMonth(ofMonth);
        String months = isAny(month) ? "" : months(month);
        if (week == null || day == null || months == null) return null;
        // As in Vixie cron, either will do where both are given; a step of a star restricts in another way.
        if (!day.isEmpty() && !week.isEmpty()) {
            String of = months.isEmpty() ? " of each month" : "";
            return day + of + " and " + week + (months.isEmpty() ? "" : " " + months);
        }
        if (!day.isEmpty()) return day + (months.isEmpty() ? " of each month" : " " + months);
        return (week + " " + months).strip();
    }

    private static @Nullable String weekdays(String field) {
        List<Integer> read = values(field, DAYS, 0);
        if (read == null) return null;
        // Monday first, as 1; Sunday is 0 and 7 in cron.
        TreeSet<Integer> days = new TreeSet<>();
        for (int each : read) days.add(each == 0 ? 7 : each);
        if (days.size() == 7) return "";
        List<String> names = days.stream()
                .map(each -> DayOfWeek.of(each).getDisplayName(TextStyle.FULL, Locale.ENGLISH))
                .toList();
        if (days.size() > 2 && days.last() - days.first() == days.size() - 1)
            return "from " + names.get(0) + " to " + names.get(names.size() - 1);
        return "on " + joined(names);
    }

    private static @Nullable String daysOfMonth(String field) {
        if (field.equals("L")) return "on the last day";
        List<Integer> days = values(field, List.of(), 0);
        if (days == null) return null;
        if (days.size() > 2 && days.get(days.size() - 1) - days.get(0) == days.size() - 1)
            return "from the " + ordinal(days.get(0)) + " to the " + ordinal(days.get(days.size() - 1));
        return "on " + joined(days.stream().map(each -> "the " + ordinal(each)).toList());
    }

    private static @Nullable String months(String field) {
        List<Integer> months = values(field, MONTHS, 1);
        if (months == null) return null;
        if (months.size() == 12) return "";
        List<String> names = months.stream()
                .map(each -> Month.of(each).getDisplayName(TextStyle.FULL, Locale.ENGLISH))
                .toList();
        if (months.size() > 2 && months.get(months.size() - 1) - months.get(0) == months.size() - 1)
            return "from " + names.get(0) + " to " + names.get(names.size() - 1);
        return "in " + joined(names);
    }

    private static String ordinal(int number) {
        String end = switch (number % 100 / 10 == 1 ? 0 : number % 10) {
            case 1 -> "st";
            case 2 -> "nd";
            case 3 -> "rd";
            default -> "th";
        };
        return number + end;
    }

    private static String joined(List<String> words) {
        if (words.size() == 1) return words.get(0);
        return String.join(", ", words.subList(0, words.size() - 1)) + " and " + words.get(words.size() - 1);
    }
}
