package dev.howdah.console;

import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.RefusedException;
import dev.howdah.console.internal.agent.AgentProtocol;
import dev.howdah.console.internal.web.AgentSession;
import org.jspecify.annotations.Nullable;

/**
 * Answers an agent in this process by the Model Context Protocol, without a server: what the console offers at {@code /mcp}. Needs the artifact
 * {@code howdah-mcp}. Safe for use by many threads.
 */
public final class Agent implements AutoCloseable {
    private final AgentSession session;
    private final AgentProtocol protocol;
    private final Caller caller;

    /** @throws IllegalArgumentException if the token is not accepted */
    Agent(AgentSession session, @Nullable String token) {
        this.session = session;
        try {
            this.protocol = session.protocol();
            this.caller = session.caller(token);
        } catch (RefusedException e) {
            session.close();
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /**
     * Answers a message.
     *
     * @return null: it needs no answer
     * @throws IllegalStateException if the token that it was opened with is not accepted any more
     */
    public @Nullable String answer(String message) {
        if (!caller.stands().getAsBoolean()) throw new IllegalStateException("the token is not accepted any more");
        return protocol.answer(message, caller);
    }

    @Override
    public void close() {
        session.close();
    }
}
