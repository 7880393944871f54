package dev.howdah.console.internal.agent;

import dev.howdah.console.internal.access.Caller;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Speaks the protocol of agents. Safe for use by many threads. */
public interface AgentProtocol {
    /** Makes one. */
    interface Factory {
        AgentProtocol of(AgentTools tools, String version);
    }

    /** The one on the class path; null: there is none. */
    static @Nullable AgentProtocol find(AgentTools tools, String version) {
        return ServiceLoader.load(Factory.class, AgentProtocol.class.getClassLoader())
                .findFirst()
                .map(each -> each.of(tools, version))
                .orElse(null);
    }

    /**
     * Answers a message of an agent.
     *
     * @return null: it needs no answer
     */
    @Nullable
    String answer(String message, Caller caller);
}
