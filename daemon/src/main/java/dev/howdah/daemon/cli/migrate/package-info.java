/** {@code howdah import}: schedules of other schedulers become schedules of tasks. */
@NullMarked
package dev.howdah.daemon.cli.migrate;

import org.jspecify.annotations.NullMarked;
