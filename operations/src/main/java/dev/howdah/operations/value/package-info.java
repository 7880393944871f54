/** Types of the values that operations take: each reads a text, prints a value, and describes itself to the faces. */
@NullMarked
package dev.howdah.operations.value;

import org.jspecify.annotations.NullMarked;
