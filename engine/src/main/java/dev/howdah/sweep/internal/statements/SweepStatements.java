package dev.howdah.sweep.internal.statements;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.TargetTable;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** The statements of one sweep, with its table, condition, mark and work put in. Immutable. */
public final class SweepStatements {
    /** As {@code sweep.sql} writes it. */
    private static final DateTimeFormatter STARTED =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSx", Locale.ROOT);

    private final Instant started;
    private final SqlFile row;
    private final ReadStatements reads;
    private final StampStatements stamps;

    /**
     * @param started the moment in which the sweep began, as PostgreSQL reads it
     * @param number of the sweep, by which rows of its run are known
     */
    public SweepStatements(SweepDefinition definition, TargetTable target, String started, int number) {
        this.started = STARTED.parse(started, Instant::from);
        StatementTemplate phrases = new StatementTemplate(definition, target, started, number);
        this.row = phrases.in(SweepSql.ROW, Map.of());
        this.reads = new ReadStatements(phrases);
        this.stamps = new StampStatements(phrases, definition.hasStamps());
    }

    /** The moment in which the sweep began. */
    public Instant started() {
        return started;
    }

    /** A statement of {@code row.sql}. */
    public Sql row(String name) {
        return row.statement(name);
    }

    /** A statement of {@code candidate.sql}, about all rows. */
    public Sql candidate(String name) {
        return reads.of(name);
    }

    /** Those that read keys of the table. */
    public ReadStatements reads() {
        return reads;
    }

    /** Those of stamps. */
    public StampStatements stamps() {
        return stamps;
    }
}
