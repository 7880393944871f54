/** The text of results and errors, as psql and the server log write it. */
@NullMarked
package dev.howdah.task.internal.output;

import org.jspecify.annotations.NullMarked;
