/** The waits of one run of a handler: what earlier runs have recorded, and what it waits for when it ends. */
@NullMarked
package dev.howdah.job.internal.wait;

import org.jspecify.annotations.NullMarked;
