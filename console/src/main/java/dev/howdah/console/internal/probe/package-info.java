/** What monitoring reads from the port of the console. */
@NullMarked
package dev.howdah.console.internal.probe;

import org.jspecify.annotations.NullMarked;
