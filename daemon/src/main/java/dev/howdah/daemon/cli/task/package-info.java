/** {@code howdah task}. */
@NullMarked
package dev.howdah.daemon.cli.task;

import org.jspecify.annotations.NullMarked;
