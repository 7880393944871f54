package dev.howdah.console.internal.connection;

import io.javalin.http.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;

/**
 * The connection of a request that was read whole. HTTP/1.1 servers do not read a connection before they have answered its request, so that
 * a closed connection is only noticed by a look.
 */
public final class Client {
    private static final String ATTRIBUTE = "dev.howdah.console.client";

    private static final int NEXT_REQUEST = 1024;

    private final Request request;
    /** The connection has sent the beginning of its next request: it is not looked at any more. */
    private boolean more;

    private Client(Request request) {
        this.request = request;
    }

    /** Notes the connection of a request where {@link #of} finds it. */
    public static void note(Request request) {
        request.setAttribute(ATTRIBUTE, new Client(request));
    }

    /** The connection of that request. */
    public static Client of(Context context) {
        Client client = context.attribute(ATTRIBUTE);
        if (client == null) throw new IllegalStateException("no connection was noted for this request");
        return client;
    }

    /**
     * Whether the client has closed its connection, one direction of it included. Only for a request that is not answered yet: afterwards
     * the server reads the connection itself.
     */
    public synchronized boolean isGone() {
        if (more) return false;
        Connection connection = request.getConnectionMetaData().getConnection();
        EndPoint end = connection.getEndPoint();
        ByteBuffer next = BufferUtil.allocate(NEXT_REQUEST);
        try {
            int read = end.fill(next);
            if (read > 0) {
                more = true;
                if (connection instanceof Connection.UpgradeTo reader) reader.onUpgradeTo(next);
            }
            return read < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Runs that if the answer does not reach the client's connection. */
    public void onFailure(Runnable action) {
        Request.addCompletionListener(request, failure -> {
            if (failure != null) action.run();
        });
    }
}
