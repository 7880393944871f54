/** Rules of uniqueness: jobs that are the same, and what happens to the second one. */
@NullMarked
package dev.howdah.job.unique;

import org.jspecify.annotations.NullMarked;
