/** Declared operations as actions of pages. */
@NullMarked
package dev.howdah.console.internal.operation;

import org.jspecify.annotations.NullMarked;
