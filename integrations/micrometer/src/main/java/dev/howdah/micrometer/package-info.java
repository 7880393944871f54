/** The library's metrics as meters of Micrometer. */
@NullMarked
package dev.howdah.micrometer;

import org.jspecify.annotations.NullMarked;
