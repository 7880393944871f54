/** Jobs that are divided by key over several databases, the shards, worked by one program. */
@NullMarked
package dev.howdah.job.shard;

import org.jspecify.annotations.NullMarked;
