package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A row counts as done when the database says that it is marked; one whose mark does not take fails, and is not worked on again. */
@PostgresTest
class SweepMarkTest {
    private static final String TRIGGER =
            "CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN %s END $f$;"
                    + " CREATE %sTRIGGER odd %s ON subscription %s FOR EACH ROW EXECUTE FUNCTION odd();";

    private static final String UNDO =
            "IF NEW.id %% 10 = 0 AND NEW.last_mail_at IS NOT NULL THEN UPDATE subscription SET last_mail_at = NULL"
                    + " WHERE id = NEW.id; END IF; RETURN NULL;";

    private static final String DROPPED = trigger("IF NEW.id % 10 = 0 THEN RETURN NULL; END IF; RETURN NEW;", "BEFORE");
    private static final String UNDONE = trigger(UNDO.replace("%%", "%"), "AFTER");

    private final SweepDatabase database;

    SweepMarkTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, 50);
    }

    private static String trigger(String body, String when) {
        return String.format(TRIGGER, body, "", when + " UPDATE", "");
    }

    private static String deferred() {
        return String.format(
                TRIGGER, UNDO.replace("%%", "%"), "CONSTRAINT ", "AFTER UPDATE", "DEFERRABLE INITIALLY DEFERRED");
    }

    private List<SweepError> errors() {
        return Sweeps.on(database.dataSource()).errors("mailing", 100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dropped", "undone", "deferred"})
    void handler_markThatDoesNotTake_worksOnEachRowOnce(String how) throws InterruptedException {
        database.execute(how.equals("dropped") ? DROPPED : how.equals("undone") ? UNDONE : deferred());
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep =
                database.mailing().forEachRow(row -> calls.incrementAndGet()).start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.failed()).isEqualTo(5);
        }
        assertThat(calls).hasValue(50);
        assertThat(errors())
                .hasSize(5)
                .allMatch(each ->
                        each.retryAt() == null && Integer.parseInt(each.key().get(0)) % 10 == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dropped", "undone"})
    void sql_markThatDoesNotTake_isRolledBackWithItsWork(String how) throws InterruptedException {
        database.execute((how.equals("dropped") ? DROPPED : UNDONE) + " CREATE TABLE mail (subscription integer)");
        try (Sweep sweep = database.mailing()
                .retries(RetryPolicy.never())
                .sql("INSERT INTO mail SELECT id FROM batch")
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.done()).isEqualTo(45);
            assertThat(end.failed()).isEqualTo(5);
        }
        assertThat(database.text("SELECT count(*) || ' ' || count(DISTINCT subscription) || ' '"
                        + " || count(*) FILTER (WHERE subscription % 10 = 0) FROM mail"))
                .isEqualTo("45 45 0");
        assertThat(errors()).allMatch(each -> each.error().contains("rolled back"));
    }

    @Test
    void transaction_markThatDoesNotTake_isRolledBackWithItsWork() throws InterruptedException {
        database.execute(DROPPED + " CREATE TABLE mail (subscription integer)");
        try (Sweep sweep = database.mailing()
                .retries(RetryPolicy.never())
                .forEachRowInTransaction((row, connection) -> {
                    try (var statement = connection.createStatement()) {
                        statement.execute(
                                "INSERT INTO mail VALUES (" + row.key().get(0) + ")");
                    }
                })
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(5);
        }
        assertThat(database.number("SELECT count(*) FROM mail")).isEqualTo(45);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dropped", "undone", "deferred"})
    void markAlone_thatDoesNotTake_ends(String how) throws InterruptedException {
        database.execute(how.equals("dropped") ? DROPPED : how.equals("undone") ? UNDONE : deferred());
        try (Sweep sweep = database.mailing().start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.failed()).isEqualTo(5);
        }
    }

    @Test
    void trigger_thatDropsEveryMark_endsTheSweepSoon() {
        database.execute(trigger("RETURN NULL;", "BEFORE"));
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep =
                database.mailing().forEachRow(row -> calls.incrementAndGet()).start()) {
            assertThatThrownBy(sweep::join).hasMessageContaining("the mark does not make the condition false");
        }
        assertThat(calls).hasValue(10);
    }

    @Test
    void row_whoseMarkIsTakenBackByAnotherSession_isParked() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .workers(1)
                .forEachRow(row -> {
                    calls.incrementAndGet();
                    if (!row.key().get(0).equals("1"))
                        database.execute("UPDATE subscription SET last_mail_at = NULL WHERE id = 1");
                })
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(1);
        }
        assertThat(calls).hasValue(50);
        assertThat(errors())
                .singleElement()
                .satisfies(each -> assertThat(each.error()).contains("taken its mark back"));
    }

    @Test
    void policy_thatHidesRowsFromUpdates_failsTheseRows() throws InterruptedException {
        String role = "plain_" + database.text("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT CREATE ON DATABASE "
                + database.text("SELECT quote_ident(current_database())")
                + " TO " + role + "; GRANT SELECT, UPDATE ON subscription TO " + role
                + "; ALTER TABLE subscription ENABLE ROW LEVEL SECURITY; CREATE POLICY seen ON subscription FOR SELECT USING (true);"
                + " CREATE POLICY changed ON subscription FOR UPDATE USING (id % 10 <> 0)");
        try {
            AtomicInteger calls = new AtomicInteger();
            var source = SweepDatabase.source(database.uri());
            source.setUser(role);
            SweepBuilder mailing = Sweep.on(source)
                    .name("mailing")
                    .table("subscription")
                    .where("last_mail_at IS NULL")
                    .key("id")
                    .mark("last_mail_at = now()");
            assertThatThrownBy(mailing::start).hasMessageContaining("row security");
            try (Sweep sweep =
                    mailing.force().forEachRow(row -> calls.incrementAndGet()).start()) {
                assertThat(sweep.join().failed()).isEqualTo(5);
            }
            assertThat(calls).hasValue(50);
        } finally {
            database.execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "last_mail_at IS NULL AND (email = E'it\\'s?' OR email = E'x\\'y')",
                "last_mail_at IS NULL AND email IN (e'it\\'s?', 'x''y') /* a /* b */ ; c */",
                "last_mail_at IS NULL AND email <> E'a\\'; ?' AND email NOT LIKE 'p%' -- a ' ?",
                "last_mail_at IS NULL AND email IN (E'it\\'s?', $a$x'y$a$, U&'\\0041?', N'?')"
            })
    void condition_withLiteralsOfAllKinds_findsAllRows(String condition) throws InterruptedException {
        database.execute(
                "UPDATE subscription SET email = E'it\\'s?' WHERE id = 1; UPDATE subscription SET email = E'x\\'y'"
                        + " WHERE id = 2");
        try (Sweep sweep = database.mailing().where(condition).start()) {
            assertThat(sweep.join().done()).isEqualTo(2);
        }
        assertThat(
                        database.text(
                                "SELECT string_agg(id::text, ' ' ORDER BY id) FROM subscription WHERE last_mail_at IS NOT NULL"))
                .isEqualTo("1 2");
    }
}
