package dev.howdah.internal;

import dev.howdah.Database;
import dev.howdah.DatabaseAddressException;
import dev.howdah.fixtures.Fuzz;
import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.internal.sql.TransactionControl;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** No text that a user or a row may hold causes anything but the exception that is meant for wrong text. */
class ParserFuzzTest {
    private static final Map<String, String> NO_FILES = Map.of("HOME", "/nonexistent", "PGHOST", "127.0.0.1");

    @Test
    void connectionStrings_mutated_areReadOrRefused() {
        Fuzz.run(
                List.of(
                        "postgresql://me:p%40ss@db.example:5432,[::1]:5433/shop?sslmode=require&connect_timeout=3",
                        "postgres:///x?host=/tmp&port=1&options=-c%20work_mem%3D1",
                        "host=localhost port=5432,5433 user='a b' password='it\\'s' dbname=x target_session_attrs=any",
                        "hostaddr=127.0.0.1 keepalives_idle=3 application_name=\\x",
                        "jdbc:postgresql://h1,h2:2/db?user=me&ssl=true&targetServerType=primary"),
                input -> {
                    try {
                        String shown = Database.of(input, NO_FILES).toString();
                        Database.of(shown, NO_FILES);
                    } catch (DatabaseAddressException expected) {
                        // It says what is wrong.
                    }
                });
    }

    @Test
    void schedules_mutated_areReadOrRefused() {
        Instant from = Instant.parse("2024-02-28T23:59:59Z");
        ZoneId zone = ZoneId.of("Europe/Berlin");
        Fuzz.run(
                List.of(
                        "*/5 3-7,22 1,L * MON-FRI",
                        "0 0 29 2 *",
                        "@hourly",
                        "1-59/7 * * * * *",
                        "0 0 L * 5#3",
                        "0 9 15W * ?"),
                input -> {
                    try {
                        CronSchedule.parse(input).next(from, zone);
                    } catch (IllegalArgumentException expected) {
                        // It says what is wrong.
                    }
                });
        Fuzz.run(List.of("Europe/Berlin", "UTC+03:30", "+05:45", "CET", "PST8PDT", "../etc/localtime"), input -> {
            try {
                ZoneNames.zone(input);
            } catch (IllegalArgumentException expected) {
                // It says what is wrong.
            }
        });
    }

    @Test
    void sql_mutated_isScannedToItsEnd() {
        Fuzz.run(
                List.of(
                        "SELECT 1; COMMIT AND CHAIN /* /* nested */ */; ROLLBACK TO SAVEPOINT s",
                        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; BEGIN",
                        "DO $x$ BEGIN COMMIT; END $x$; SELECT E'it\\'s', U&'d!0061t' UESCAPE '!', $1, \"a\"\"b\" -- end",
                        "PREPARE TRANSACTION 'x'; START TRANSACTION ISOLATION LEVEL SERIALIZABLE; ((;))"),
                input -> {
                    TransactionControl.find(input, true);
                    TransactionControl.find(input, false);
                });
    }
}
