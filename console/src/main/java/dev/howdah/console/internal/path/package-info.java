/** Patterns of paths. */
@NullMarked
package dev.howdah.console.internal.path;

import org.jspecify.annotations.NullMarked;
