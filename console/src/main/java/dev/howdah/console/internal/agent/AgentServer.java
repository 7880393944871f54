package dev.howdah.console.internal.agent;

import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.NeededRole;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.api.Problems;
import dev.howdah.operations.Role;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/** {@code /mcp}: answers agents, each request by itself. What speaks their protocol is loaded when the first one asks. Safe for use by many threads. */
public final class AgentServer {
    private static final int MOST_BYTES = 1_000_000;

    private final AgentTools tools;
    private final String version;
    private @Nullable AgentProtocol protocol;

    public AgentServer(AgentTools tools, String version) {
        this.tools = tools;
        this.version = version;
    }

    public void addTo(RoutesConfig to) {
        NeededRole role = new NeededRole(Role.VIEWER, null);
        to.post(RequestGuard.AGENTS, this::answer, role);
        // There is no stream of messages that no request has asked for, and no session that could be ended.
        RequestGuard.read(to, RequestGuard.AGENTS, AgentServer::refuse, role);
        to.delete(RequestGuard.AGENTS, AgentServer::refuse, role);
    }

    private static void refuse(Context context) {
        context.header("Allow", "POST");
        Problems.send(context, 405, "a message of an agent is sent by POST");
    }

    private synchronized @Nullable AgentProtocol protocol() {
        AgentProtocol known = protocol;
        if (known == null) protocol = known = AgentProtocol.find(tools, version);
        return known;
    }

    private void answer(Context context) {
        AgentProtocol found = protocol();
        if (found == null) {
            Problems.send(
                    context, 404, "this program has no part that answers agents: it needs the artifact howdah-mcp");
            return;
        }
        if (context.contentLength() > MOST_BYTES || context.bodyAsBytes().length > MOST_BYTES) {
            Problems.send(context, 413, "a message has up to " + MOST_BYTES + " bytes");
            return;
        }
        String answer = found.answer(context.body(), Caller.of(context));
        if (answer == null) context.status(202);
        else context.contentType("application/json").result(answer);
    }
}
