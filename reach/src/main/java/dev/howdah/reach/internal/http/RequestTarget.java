package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Target;

/** Where a request goes, which is not all in the remote: the input may be a whole request, with the path. */
public final class RequestTarget {
    private RequestTarget() {}

    /**
     * The target with the path that is asked for.
     *
     * @throws ReachFailure if the input is to be a whole request and has no path
     */
    public static Target of(Target remote, String input) throws ReachFailure {
        boolean whole = remote.scheme().startsWith("http") && "request".equals(remote.option("input"));
        return whole ? RequestText.target(remote, input) : remote;
    }
}
