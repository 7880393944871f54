package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** The words that the tabulator completes: those of SQL, and the tables, columns and functions of the database when the prompt began. */
final class SqlNames implements Completer {
    private static final String QUERY = DaemonSql.DATABASE.text("database_names");

    private static final List<String> WORDS = List.of(
            "ALTER TABLE",
            "ANALYZE",
            "AND",
            "AS",
            "BEGIN;",
            "BETWEEN",
            "CALL",
            "CASE WHEN",
            "COMMIT;",
            "COUNT(",
            "CREATE TABLE",
            "DELETE FROM",
            "DESC",
            "DISTINCT",
            "DROP TABLE",
            "EXISTS",
            "EXPLAIN",
            "FROM",
            "GRANT",
            "GROUP BY",
            "HAVING",
            "IN",
            "INSERT INTO",
            "INTERVAL",
            "IS NOT NULL",
            "IS NULL",
            "JOIN",
            "LEFT JOIN",
            "LIKE",
            "LIMIT",
            "NOT",
            "NOW()",
            "NULL",
            "ON",
            "OR",
            "ORDER BY",
            "RETURNING",
            "ROLLBACK;",
            "SELECT",
            "SET",
            "SHOW",
            "TABLE",
            "TRUE",
            "FALSE",
            "UNION ALL",
            "UPDATE",
            "VACUUM",
            "VALUES (",
            "WHERE",
            "WITH");

    private final String database;
    private final List<Candidate> candidates = new ArrayList<>();

    private SqlNames(List<String> read) {
        database = read.isEmpty() ? "sql" : read.get(0);
        WORDS.forEach(each -> candidates.add(new Candidate(each)));
        read.stream().skip(1).distinct().forEach(each -> candidates.add(new Candidate(each)));
    }

    /** Those of the database of a connection that does nothing else. */
    static SqlNames of(WireConnection connection) throws WireException {
        List<String> read = new ArrayList<>();
        connection.query(QUERY, new WireListener() {
            @Override
            public void row(byte[] buffer, int[] offsets, int[] lengths) {
                read.add(new String(buffer, offsets[0], lengths[0], connection.charset()));
            }
        });
        return new SqlNames(read);
    }

    String database() {
        return database;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> found) {
        found.addAll(candidates);
    }
}
