/** What pauses, slows and stops the workers of a process: orders, back-pressure, an unavailable receiver. */
@NullMarked
package dev.howdah.sweep.internal.control;

import org.jspecify.annotations.NullMarked;
