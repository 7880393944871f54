/** The log of {@code howdah up} as JSON. */
@NullMarked
package dev.howdah.daemon.log;

import org.jspecify.annotations.NullMarked;
