/** The handlers of a program, as they are registered. */
@NullMarked
package dev.howdah.job.internal.handler;

import org.jspecify.annotations.NullMarked;
