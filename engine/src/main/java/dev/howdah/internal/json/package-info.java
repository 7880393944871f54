/** Payloads as JSON: the codec on Jackson, and checks of bytes. */
@NullMarked
package dev.howdah.internal.json;

import org.jspecify.annotations.NullMarked;
