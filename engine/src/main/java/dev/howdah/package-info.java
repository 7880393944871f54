/** Asynchronous work for PostgreSQL: the library. */
@NullMarked
package dev.howdah;

import org.jspecify.annotations.NullMarked;
