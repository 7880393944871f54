package dev.howdah.operations.read;

import java.util.Comparator;

/** The order of a list of nodes. */
public enum NodeOrder {
    /** By id: those that were started first first. */
    OLDEST(Comparator.comparingInt(Node::id)),
    /** Those that were started last first. */
    NEWEST(OLDEST.nodes.reversed()),
    /** By name. */
    NAME(Comparator.comparing(Node::name).thenComparing(OLDEST.nodes)),
    /** By name, the last one first. */
    REVERSE_NAME(NAME.nodes.reversed()),
    /** Those with the most jobs first. */
    BUSIEST(Comparator.comparingLong(Node::jobs).reversed().thenComparing(OLDEST.nodes)),
    /** Those with the fewest jobs first. */
    IDLEST(BUSIEST.nodes.reversed());

    private final Comparator<Node> nodes;

    NodeOrder(Comparator<Node> nodes) {
        this.nodes = nodes;
    }

    /** Compares nodes. */
    public Comparator<Node> comparator() {
        return nodes;
    }
}
