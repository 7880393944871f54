/** Declared operations as routes of the API. */
@NullMarked
package dev.howdah.console.internal.api.operation;

import org.jspecify.annotations.NullMarked;
