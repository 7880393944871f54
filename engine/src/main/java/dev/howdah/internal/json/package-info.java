/** Payloads as JSON. */
@NullMarked
package dev.howdah.internal.json;

import org.jspecify.annotations.NullMarked;
