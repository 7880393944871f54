/** The pages beside one of a list. */
@NullMarked
package dev.howdah.console.internal.list;

import org.jspecify.annotations.NullMarked;
