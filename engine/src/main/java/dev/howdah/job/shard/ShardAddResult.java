package dev.howdah.job.shard;

import dev.howdah.job.AddResult;

/**
 * The result of adding a job to one of several databases; as {@link AddResult}, with the shard.
 *
 * @param id of the job, or of the job of the same shard that has the key, or had it last
 * @param added whether the job was added, or changed the one with that id; false: nothing was changed
 */
public record ShardAddResult(ShardJobId id, boolean added) {}
