/** The operations by subject: one class for each, loaded when a face needs it. */
@NullMarked
package dev.howdah.operations.change;

import org.jspecify.annotations.NullMarked;
