/** How errors of user code are rendered for tables, kept out of the engine's loops, and logged. */
@NullMarked
package dev.howdah.internal.error;

import org.jspecify.annotations.NullMarked;
