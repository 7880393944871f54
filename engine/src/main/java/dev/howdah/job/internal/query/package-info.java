/** Lists, counts and changes jobs by their conditions. */
@NullMarked
package dev.howdah.job.internal.query;

import org.jspecify.annotations.NullMarked;
