/** {@code howdah job}. */
@NullMarked
package dev.howdah.daemon.cli.job;

import org.jspecify.annotations.NullMarked;
