/** What the statements of the console read, where it is more than a value. */
@NullMarked
package dev.howdah.console.internal.row;

import org.jspecify.annotations.NullMarked;
