package dev.howdah.reach.internal.keep;

import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What two tasks have in common that may use the same connection. The owner is a part of it: a session at the other side may hold what
 * another owner must not see. So is the address, which was checked for this task, and the whole credential: a secret that was changed
 * opens a new connection.
 *
 * @param user as which the row logs in; null where that is the credential's
 * @param security the option that says how the connection is secured; null for the usual way
 */
public record ConnectionUse(
        String owner,
        String scheme,
        String host,
        InetSocketAddress address,
        @Nullable String user,
        @Nullable Credential credential,
        @Nullable String security) {
    /** That of a call, to an address that was checked for it. */
    public static ConnectionUse of(Call call, InetSocketAddress address) {
        return new ConnectionUse(
                call.task().owner(),
                call.target().scheme(),
                call.target().host(),
                address,
                call.target().user(),
                call.credential(),
                call.target().option("tls"));
    }

    /** Without the credential. */
    @Override
    public String toString() {
        return scheme + "://" + host + ":" + address.getPort() + " of " + owner;
    }
}
