/** Tasks by the HTTP API. */
@NullMarked
package dev.howdah.console.internal.api.task;

import org.jspecify.annotations.NullMarked;
