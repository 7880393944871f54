package dev.howdah.job.shard;

import dev.howdah.internal.text.Sha256;
import dev.howdah.job.internal.store.JobNames;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which shard a key belongs to, by rendezvous hashing: the one for which SHA-256 of {@code shard/key} in UTF-8 is greatest. The result depends on the
 * names alone, and not on their order; a further shard takes only keys that belong to it. It must never change: jobs with a key wait where it was.
 * Safe for use by many threads.
 */
final class ShardKeys {
    private record Name(String text, byte[] prefix) {}

    private final List<Name> names = new ArrayList<>();

    /** @param names at least one */
    ShardKeys(Collection<String> names) {
        for (String each : names) this.names.add(new Name(each, (each + "/").getBytes(StandardCharsets.UTF_8)));
    }

    /** @throws IllegalArgumentException if a shard cannot have that name */
    static String checkName(String name) {
        JobNames.checkNew("shard", name);
        if (name.indexOf('/') >= 0)
            throw new IllegalArgumentException("the name of a shard has no slash, which separates it from the key and"
                    + " from the id of a job: " + name);
        return name;
    }

    /** @throws IllegalArgumentException if the key is empty, longer than 400 characters, or has the character 0 */
    String shardOf(String key) {
        byte[] bytes = JobNames.checkKey(key).getBytes(StandardCharsets.UTF_8);
        MessageDigest sha = Sha256.begin();
        Name best = names.get(0);
        byte @Nullable [] greatest = null;
        for (Name each : names) {
            sha.update(each.prefix());
            byte[] hash = sha.digest(bytes);
            if (greatest != null && Arrays.compareUnsigned(hash, greatest) <= 0) continue;
            greatest = hash;
            best = each;
        }
        return best.text();
    }
}
