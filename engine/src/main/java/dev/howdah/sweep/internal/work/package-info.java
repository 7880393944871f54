/** The workers: they lock rows, look at them again, call the handler, and mark the rows. */
@NullMarked
package dev.howdah.sweep.internal.work;

import org.jspecify.annotations.NullMarked;
