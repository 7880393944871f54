/** {@code howdah sweep}. */
@NullMarked
package dev.howdah.daemon.cli.sweep;

import org.jspecify.annotations.NullMarked;
