/** How many tasks run at one target at once, and begin there within a time. */
@NullMarked
package dev.howdah.reach.internal.limit;

import org.jspecify.annotations.NullMarked;
