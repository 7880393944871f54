package dev.howdah.console.internal.web;

import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.agent.AgentProtocol;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.RecentSnapshot;
import org.jspecify.annotations.Nullable;

/** The routes of the API without a server. Safe for use by many threads. */
public final class AgentSession implements AutoCloseable {
    private final ConsolePort port;
    private final BulkRuns bulk;
    private final ConsoleApi api;

    public AgentSession(ConsoleData data, ConsoleServer.Settings settings) {
        this.port = ConsolePort.none(data, settings);
        this.bulk = BulkRuns.in(port.data().source(), port.data().schema());
        this.api = ConsoleApi.of(port, bulk, new RecentSnapshot(port.data().reads()), null);
    }

    /** @throws IllegalStateException if nothing on the class path speaks the protocol of agents */
    public AgentProtocol protocol() {
        AgentProtocol found = AgentProtocol.find(api.tools(), port.settings().version());
        if (found == null) throw new IllegalStateException("the artifact howdah-mcp is missing");
        return found;
    }

    /** @param token null: it has none, and may read */
    public Caller caller(@Nullable String token) {
        return port.logins().agent(token);
    }

    @Override
    public void close() {
        api.close();
        bulk.close();
        port.close();
    }
}
