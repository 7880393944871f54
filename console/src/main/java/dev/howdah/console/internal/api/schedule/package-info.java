/** Schedules by the HTTP API. */
@NullMarked
package dev.howdah.console.internal.api.schedule;

import org.jspecify.annotations.NullMarked;
