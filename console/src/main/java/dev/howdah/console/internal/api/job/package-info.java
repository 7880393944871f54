/** Jobs by the HTTP API. */
@NullMarked
package dev.howdah.console.internal.api.job;

import org.jspecify.annotations.NullMarked;
