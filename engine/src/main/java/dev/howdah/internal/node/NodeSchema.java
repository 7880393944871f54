package dev.howdah.internal.node;

import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The table of nodes, version by version: a part that features share. */
public final class NodeSchema {
    public static final Migrations MIGRATIONS =
            new Migrations("node", "nodes", NodeSchema.class, List.of("001-node.sql"));

    private NodeSchema() {}
}
