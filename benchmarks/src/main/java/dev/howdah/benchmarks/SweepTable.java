package dev.howdah.benchmarks;

import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The table that is swept: subscriptions, each of which is a mail. */
final class SweepTable {
    private final Bench bench;
    private final DataSource source;
    private int sweeps;

    SweepTable(Bench bench) {
        this.bench = bench;
        this.source = source(bench.daemon().database().toString());
    }

    /** @param uri as psql takes it */
    static DataSource source(String uri) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL("jdbc:" + uri.replaceFirst("//(.*)@(.*)$", "//$2?user=$1"));
        return source;
    }

    DataSource source() {
        return source;
    }

    /** Fills it anew: no mail has been sent. */
    void fill(int rows) throws SQLException {
        bench.execute("DROP TABLE IF EXISTS subscription");
        bench.execute(
                "CREATE TABLE subscription (id integer PRIMARY KEY, email text NOT NULL, last_mail_at timestamptz,"
                        + " mails integer NOT NULL DEFAULT 0)");
        bench.execute(
                "INSERT INTO subscription (id, email) SELECT i, 'p' || i || '@example.com' FROM generate_series(1, "
                        + rows + ") i");
        bench.execute("CREATE INDEX ON subscription (id) WHERE last_mail_at IS NULL");
        bench.execute("VACUUM ANALYZE subscription");
        bench.execute("CHECKPOINT");
    }

    /** A new sweep over all of it. */
    SweepBuilder mailing() {
        return mailing(source, "mailing-" + System.nanoTime() + "-" + sweeps++);
    }

    static SweepBuilder mailing(DataSource source, String name) {
        return Sweep.on(source)
                .name(name)
                .table("subscription")
                .where("last_mail_at IS NULL")
                .key("id")
                .mark("last_mail_at = now(), mails = mails + 1");
    }

    /** @throws IllegalStateException unless each row was marked once */
    void check(int rows) throws SQLException {
        Object[] seen = bench.row("SELECT count(*), min(mails), max(mails) FROM subscription");
        if ((Long) seen[0] != rows || (Integer) seen[1] != 1 || (Integer) seen[2] != 1)
            throw new IllegalStateException(
                    "of " + rows + " rows " + seen[0] + " are there, marked " + seen[1] + " to " + seen[2] + " times");
    }
}
