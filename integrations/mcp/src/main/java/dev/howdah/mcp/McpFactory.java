package dev.howdah.mcp;

import dev.howdah.console.internal.agent.AgentProtocol;
import dev.howdah.console.internal.agent.AgentTools;

/** Makes the protocol for a console. */
public final class McpFactory implements AgentProtocol.Factory {
    @Override
    public AgentProtocol of(AgentTools tools, String version) {
        return new McpProtocol(tools, version);
    }
}
