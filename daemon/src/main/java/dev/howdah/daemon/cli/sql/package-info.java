/** {@code howdah sql}. */
@NullMarked
package dev.howdah.daemon.cli.sql;

import org.jspecify.annotations.NullMarked;
