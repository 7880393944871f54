/** Connections that end at a chosen statement, as if the program had been killed there. */
@NullMarked
package dev.howdah.testkit.internal.crash;

import org.jspecify.annotations.NullMarked;
