package dev.howdah.internal.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of one feature, version by version. Immutable and safe for use by many threads and programs: whoever comes
 * second waits for the first.
 */
public final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    private static final SqlFile MIGRATION = SqlFile.of(Migrations.class, "migration-table.sql");

    private final String feature;
    private final String what;
    private final Class<?> owner;
    private final List<String> files;

    /**
     * @param feature under which {@code howdah.migration} knows it
     * @param what its tables are of, for the log
     * @param owner the class beside which the files lie
     * @param files in the order of their versions, from 1; each says of itself which version it has made
     */
    public Migrations(String feature, String what, Class<?> owner, List<String> files) {
        this.feature = feature;
        this.what = what;
        this.owner = owner;
        this.files = List.copyOf(files);
    }

    /** Brings the tables to the newest version, in that connection, which is in autocommit mode before and after. */
    public void migrate(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (version(statement) >= files.size()) return;
            connection.setAutoCommit(false);
            try {
                statement.execute(MIGRATION.text("lock"));
                // Whoever owns the tables of a feature need not have the right to make a schema.
                if (!isThere(statement))
                    for (String name : List.of("schema", "table")) statement.execute(MIGRATION.text(name));
                for (int version = version(statement); version < files.size(); version++) {
                    SqlFile file = SqlFile.of(owner, files.get(version));
                    for (String name : file.names()) statement.execute(file.text(name));
                    log.info("the tables of {} are of version {} now", what, version + 1);
                }
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    /** All of it as one SQL text, for those who do not let programs make tables. */
    public String text() {
        StringBuilder text = new StringBuilder("BEGIN;\n");
        for (String name : List.of("schema", "table"))
            text.append('\n').append(MIGRATION.text(name)).append(";\n");
        for (String migration : files) {
            SqlFile file = SqlFile.of(owner, migration);
            for (String name : file.names())
                text.append('\n').append(file.text(name)).append(";\n");
        }
        return text.append("\nCOMMIT;\n").toString();
    }

    private int version(Statement statement) throws SQLException {
        if (!isThere(statement)) return 0;
        try (ResultSet row = statement.executeQuery(
                "SELECT COALESCE(max(version), 0) FROM howdah.migration WHERE feature = '" + feature + "'")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static boolean isThere(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT to_regclass('howdah.migration') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
