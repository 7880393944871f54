/** Steps: the state that a processor sees, what it answers, and the commit of a step. */
@NullMarked
package dev.howdah.process.internal.step;

import org.jspecify.annotations.NullMarked;
