/**
 * When something that recurs is due. Schedules are pure: they read no clock and know no feature.
 *
 * <h2>Daylight saving</h2>
 *
 * <p>A cron schedule is met in local time, and twice a year local time is no straight line. As with Vixie cron:
 *
 * <ul>
 *   <li>A schedule whose hours are fixed ({@code 30 2 * * *}, {@code 0 9-17 * * *}) is a promise of so many runs a day.
 *       What falls into a gap runs once, right after the gap; in an overlap it runs at the first occurrence only.
 *   <li>A schedule with a wildcard or a step in its hours ({@code 0 * * * *}, {@code 0 0/6 * * *}) is an interval. It
 *       follows the clock on the wall as it is: what a gap skips is skipped, what an overlap repeats is repeated, so the
 *       distance between two runs stays the same.
 * </ul>
 *
 * <p>The rules of the zones are those of the Java that runs this.
 */
@NullMarked
package dev.howdah.internal.schedule;

import org.jspecify.annotations.NullMarked;
