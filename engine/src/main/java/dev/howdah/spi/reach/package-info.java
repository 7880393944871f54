/**
 * Work of tasks that is done elsewhere than in a PostgreSQL: {@link dev.howdah.spi.reach.Reach} does the tasks whose {@code remote}
 * begins with a scheme that it knows.
 */
@NullMarked
package dev.howdah.spi.reach;

import org.jspecify.annotations.NullMarked;
