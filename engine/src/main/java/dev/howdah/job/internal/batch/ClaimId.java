package dev.howdah.job.internal.batch;

import java.security.SecureRandom;

/**
 * Names a batch that a node has taken. The number alone is no proof: a sequence may give it again after a failover that lost
 * transactions, or a restore. The token is drawn at random for each claim.
 */
public record ClaimId(long batch, long token) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A token for a new claim. */
    static long newToken() {
        return RANDOM.nextLong();
    }
}
