package dev.howdah.daemon.cli.sql;

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
    private static final String QUERY = """
            SELECT current_database()
            UNION ALL
            SELECT c.oid::regclass::text
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')
                AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
            UNION ALL
            SELECT DISTINCT quote_ident(a.attname)
            FROM pg_attribute a
            JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE a.attnum > 0
                AND NOT a.attisdropped
                AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
                AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'howdah_internal')
            UNION ALL
            SELECT DISTINCT quote_ident(n.nspname) || '.' || quote_ident(p.proname)
            FROM pg_proc p
            JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = 'howdah'
            """;

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
