/** The schema of processes, its SQL files, and how rows and SQL errors are read. */
@NullMarked
package dev.howdah.process.internal.store;

import org.jspecify.annotations.NullMarked;
