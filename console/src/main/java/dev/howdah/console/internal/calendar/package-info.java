/** The pages of calendars: days on which schedules add no job. */
@NullMarked
package dev.howdah.console.internal.calendar;

import org.jspecify.annotations.NullMarked;
