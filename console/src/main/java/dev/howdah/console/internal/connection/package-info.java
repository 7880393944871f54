/** The connections of clients. */
@NullMarked
package dev.howdah.console.internal.connection;

import org.jspecify.annotations.NullMarked;
