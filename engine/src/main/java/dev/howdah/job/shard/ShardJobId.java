package dev.howdah.job.shard;

/**
 * The id of a job among those of several databases: ids of different databases can be equal.
 *
 * @param shard the name of the shard, 1 to 200 characters without {@code /}
 * @param id of the job in its database
 */
public record ShardJobId(String shard, long id) {
    /** @throws IllegalArgumentException if a shard cannot have that name */
    public ShardJobId {
        ShardKeys.checkName(shard);
    }

    /** The text as {@link #parse} takes it: {@code shard/id}. */
    @Override
    public String toString() {
        return shard + "/" + id;
    }

    /** @throws IllegalArgumentException if the text is not {@code shard/id} */
    public static ShardJobId parse(String text) {
        int slash = text.lastIndexOf('/');
        try {
            if (slash > 0) return new ShardJobId(text.substring(0, slash), Long.parseLong(text.substring(slash + 1)));
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException("the id of a job among several databases is shard/number, not " + text);
    }
}
