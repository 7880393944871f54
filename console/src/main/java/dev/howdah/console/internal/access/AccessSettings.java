package dev.howdah.console.internal.access;

import dev.howdah.console.internal.mask.Masker;
import dev.howdah.operations.Role;
import java.util.Set;

/**
 * How the console is reached, and by whom.
 *
 * @param host the address that it listens on
 * @param names by which it may be asked for, in lower case; one without a port is meant with the port that it listens on
 * @param publicHosts further names, as browsers send them, with a port if it is not that of the scheme
 * @param base the path before all others, such as {@code /howdah}; empty: none
 * @param proxies whose {@code X-Forwarded-} headers are believed
 * @param isLoginNeeded whether a browser needs a login
 * @param masker hides secrets
 * @param unmasked the roles that see them all the same
 * @param auditDays how long rows of the audit table are kept
 * @param origins of other pages that may read the API with a token, as browsers name them
 * @param channels whose notifications streams of events pass on
 */
public record AccessSettings(
        String host,
        Set<String> names,
        Set<String> publicHosts,
        String base,
        TrustedProxies proxies,
        boolean isLoginNeeded,
        Masker masker,
        Set<Role> unmasked,
        int auditDays,
        Set<String> origins,
        Set<String> channels) {
    public AccessSettings {
        names = Set.copyOf(names);
        publicHosts = Set.copyOf(publicHosts);
        unmasked = Set.copyOf(unmasked);
        origins = Set.copyOf(origins);
        channels = Set.copyOf(channels);
    }
}
