package dev.howdah.internal.node;

import dev.howdah.internal.connection.ConnectionSource;

/**
 * The place of a feature in a node. Safe for use by many threads.
 *
 * @param <M> the part of the feature
 */
public final class NodeSeat<M extends NodeMember> {
    private final ProgramNode program;
    private final ConnectionSource own;
    private final NodePresence presence;
    private final Object place;
    private final M member;

    NodeSeat(ProgramNode program, ConnectionSource own, NodePresence presence, Object place, M member) {
        this.program = program;
        this.own = own;
        this.presence = presence;
        this.place = place;
        this.member = member;
    }

    /** The part of the feature. */
    public M member() {
        return member;
    }

    /** The feature leaves, and needs no rescue; other features stay. */
    public void leave() {
        program.leave(presence, own, place, member);
    }

    /** The feature leaves without giving its claims back: other nodes recover them. No effect on a node that was lost. */
    public void abandon() {
        program.abandon(presence, place, member);
    }
}
