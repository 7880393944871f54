/** Errors of jobs in groups. */
@NullMarked
package dev.howdah.console.internal.error;

import org.jspecify.annotations.NullMarked;
