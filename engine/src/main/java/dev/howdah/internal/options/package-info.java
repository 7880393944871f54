/** Options that the builders of all features have. */
@NullMarked
package dev.howdah.internal.options;

import org.jspecify.annotations.NullMarked;
