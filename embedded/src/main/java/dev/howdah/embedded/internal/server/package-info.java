/** The server: its configuration, its start and its end. */
@NullMarked
package dev.howdah.embedded.internal.server;

import org.jspecify.annotations.NullMarked;
