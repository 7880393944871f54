package dev.howdah.daemon.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is done before a database is served: by a program that was told to pause, and where the database is a copy. */
@PostgresTest
class StartGuardTest {
    private static final String NOTED =
            "SELECT obj_description(to_regclass('howdah.served')) LIKE '%' || current_database() || ' with oid %'";

    private static StartGuard guard(boolean paused, boolean whenMoved) {
        return new StartGuard(paused, whenMoved, SchemaName.howdah());
    }

    private static boolean isPaused(TestDatabase database) {
        return "t".equals(database.value("SELECT to_regclass('howdah.paused') IS NOT NULL"));
    }

    @Test
    void database_servedAgain_isNotedAndGoesOn(TestDatabase database) throws SQLException {
        Database address = Database.of(database.uri());
        database.execute("SELECT 1");
        StartGuard first = guard(false, true);
        first.admit(address);
        assertThat(first.noteAll()).isFalse();
        database.execute("CREATE SCHEMA howdah");
        assertThat(first.noteAll()).isTrue();
        assertThat(database.value(NOTED)).isEqualTo("t");
        guard(false, true).admit(address);
        assertThat(isPaused(database)).isFalse();
    }

    @Test
    void copy_ofAServedDatabase_isPausedWhereThatIsAskedFor(TestDatabase database) throws SQLException {
        database.execute("CREATE SCHEMA howdah");
        guard(false, true).admit(Database.of(database.uri()));
        try (TestDatabase beside = TestDatabase.create(database.server())) {
            String others = "SELECT count(*) = 0 FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = '" + database.name() + "') s";
            Awaitility.await().until(() -> "t".equals(beside.value(others)));
            String copy = database.name() + "_copy";
            beside.execute("CREATE DATABASE " + copy + " TEMPLATE " + database.name());
            Database address = Database.of(beside.uri()).withDatabase(copy);
            try {
                StartGuard asked = guard(false, true);
                asked.admit(address);
                assertThat(mark(address)).startsWith("paused-when-moved: this is database " + copy + " with oid ");
                guard(false, true).admit(address);
                drop(address);
                guard(false, true).admit(address);
                asked.admit(address);
                assertThat(mark(address)).isNull();
            } finally {
                beside.execute("DROP DATABASE " + copy + " WITH (FORCE)");
            }
        }
    }

    private static @Nullable String mark(Database address) throws SQLException {
        try (Connection connection = address.connect()) {
            PauseMark mark = PauseMark.read(connection).mark();
            return mark == null ? null : mark.reason();
        }
    }

    private static void drop(Database address) throws SQLException {
        try (Connection connection = address.connect()) {
            assertThat(PauseMark.drop(connection)).isNotNull();
        }
    }
}
