package dev.howdah.internal.node;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of nodes. */
public final class NodeSql {
    /** The SQL file of the table of nodes. */
    public static final SqlFile NODE = SqlFile.of(NodeSql.class, "node.sql");

    static final SqlFile LOCK = SqlFile.of(NodeSql.class, "node-lock.sql");

    private NodeSql() {}
}
