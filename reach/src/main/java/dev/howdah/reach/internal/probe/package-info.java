/** Tries targets without a task: connects and logs in, and sends nothing else. */
@NullMarked
package dev.howdah.reach.internal.probe;

import org.jspecify.annotations.NullMarked;
