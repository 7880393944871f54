package dev.howdah.sweep;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.util.Map;

/** The statements of one sweep, with its table, condition, mark and work put in. Immutable. */
final class SweepStatements {

    private final SqlFile row;
    private final ReadStatements reads;
    private final StampStatements stamps;

    /**
     * @param started the moment in which the sweep began, as PostgreSQL reads it
     * @param number of the sweep, by which rows of its run are known
     */
    SweepStatements(SweepDefinition definition, TargetTable target, String started, int number) {
        StatementTemplate phrases = new StatementTemplate(definition, target, started, number);
        this.row = phrases.in(SweepSql.ROW, Map.of());
        this.reads = new ReadStatements(phrases);
        this.stamps = new StampStatements(phrases, definition.hasStamps());
    }

    /** A statement of {@code row.sql}. */
    Sql row(String name) {
        return row.statement(name);
    }

    /** A statement of {@code candidate.sql}, about all rows. */
    Sql candidate(String name) {
        return reads.of(name);
    }

    /** Those that read keys of the table. */
    ReadStatements reads() {
        return reads;
    }

    /** Those of stamps. */
    StampStatements stamps() {
        return stamps;
    }
}
