/** {@code howdah process}. */
@NullMarked
package dev.howdah.daemon.cli.process;

import org.jspecify.annotations.NullMarked;
