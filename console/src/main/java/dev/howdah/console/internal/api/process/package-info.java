/** Processes by the HTTP API. */
@NullMarked
package dev.howdah.console.internal.api.process;

import org.jspecify.annotations.NullMarked;
