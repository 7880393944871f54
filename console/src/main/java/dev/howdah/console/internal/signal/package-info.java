/** Signals of outside parties, which have a token of a job and no login. */
@NullMarked
package dev.howdah.console.internal.signal;

import org.jspecify.annotations.NullMarked;
