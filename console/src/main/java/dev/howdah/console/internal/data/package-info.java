/** The data that pages show, beside the API of the library. */
@NullMarked
package dev.howdah.console.internal.data;

import org.jspecify.annotations.NullMarked;
