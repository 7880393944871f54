/** The calls of the table of transactions of frameworks. */
@NullMarked
package dev.howdah.testkit.internal.bridge;

import org.jspecify.annotations.NullMarked;
