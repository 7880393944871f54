/** Connections of a user's {@code DataSource}: how they are borrowed, given back, kept, and checked for a pooler. */
@NullMarked
package dev.howdah.internal.connection;

import org.jspecify.annotations.NullMarked;
