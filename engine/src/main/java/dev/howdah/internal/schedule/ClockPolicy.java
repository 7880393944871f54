package dev.howdah.internal.schedule;

/**
 * The policy of a cron with fixed hours for changes of the clocks.
 *
 * @param runsSkipped whether a time that the clocks leave out runs at the change
 * @param runsBoth whether a time that occurs twice runs both times
 */
public record ClockPolicy(boolean runsSkipped, boolean runsBoth) {
    /** A promise of so many runs a day. */
    public static final ClockPolicy EACH_ONCE = new ClockPolicy(true, false);
}
