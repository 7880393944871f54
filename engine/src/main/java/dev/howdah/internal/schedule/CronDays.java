package dev.howdah.internal.schedule;

import java.time.LocalDate;

/**
 * The days of a cron schedule. Where both the day of month and the day of week are restricted, either will do; a field
 * that begins with a star does not restrict, as in Vixie cron.
 */
record CronDays(CronField ofMonth, CronField months, CronField ofWeek) {
    /** After so many days the calendar repeats itself, weekdays included. */
    private static final int GREGORIAN_CYCLE = 146_097;

    /** The first day from this one on; fails if there is none. */
    LocalDate ceiling(LocalDate from) {
        LocalDate day = from;
        LocalDate end = from.plusDays(GREGORIAN_CYCLE);
        while (!day.isAfter(end)) {
            if (!months.has(day.getMonthValue())) day = day.withDayOfMonth(1).plusMonths(1);
            else if (inMonth(day)) return day;
            else day = day.plusDays(1);
        }
        throw new CronSyntaxException(
                "there is no such day: the day of month, month and day of week fields never meet");
    }

    boolean has(LocalDate day) {
        return months.has(day.getMonthValue()) && inMonth(day);
    }

    private boolean inMonth(LocalDate day) {
        boolean month = matches(ofMonth, day.getDayOfMonth(), day);
        boolean week = matches(ofWeek, ofWeek(day), day);
        return ofMonth.wildcard() || ofWeek.wildcard() ? month && week : month || week;
    }

    private static boolean matches(CronField field, int value, LocalDate day) {
        return field.has(value) || field.days().stream().anyMatch(rule -> rule.matches(day));
    }

    /** Sunday is 0. */
    static int ofWeek(LocalDate day) {
        return day.getDayOfWeek().getValue() % 7;
    }

    /** The weekday nearest to that day of the month of {@code in}, in the same month. */
    static LocalDate nearestWeekday(LocalDate in, int dayOfMonth) {
        LocalDate day = in.withDayOfMonth(dayOfMonth);
        return switch (day.getDayOfWeek()) {
            case SATURDAY -> dayOfMonth > 1 ? day.minusDays(1) : day.plusDays(2);
            case SUNDAY -> dayOfMonth < day.lengthOfMonth() ? day.plusDays(1) : day.minusDays(2);
            default -> day;
        };
    }
}
