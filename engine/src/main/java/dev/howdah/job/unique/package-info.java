/** Which jobs are the same, and what becomes of the second one. */
@NullMarked
package dev.howdah.job.unique;

import org.jspecify.annotations.NullMarked;
