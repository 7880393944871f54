/** The pages of schedules: their list, one of them, and the form that stores one. */
@NullMarked
package dev.howdah.console.internal.schedule;

import org.jspecify.annotations.NullMarked;
