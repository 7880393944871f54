/** {@code howdah why}: why something does not run. */
@NullMarked
package dev.howdah.daemon.cli.why;

import org.jspecify.annotations.NullMarked;
