/** Tasks that are done elsewhere than in a PostgreSQL, by a {@link dev.howdah.spi.reach.Reach}. */
@NullMarked
package dev.howdah.task.internal.reach;

import org.jspecify.annotations.NullMarked;
