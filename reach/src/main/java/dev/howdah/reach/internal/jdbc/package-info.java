/**
 * Statements in other databases: {@link dev.howdah.reach.internal.jdbc.JdbcScheme} begins a run, and a process with the driver does it.
 */
@NullMarked
package dev.howdah.reach.internal.jdbc;

import org.jspecify.annotations.NullMarked;
