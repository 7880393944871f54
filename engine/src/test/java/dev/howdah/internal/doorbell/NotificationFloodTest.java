package dev.howdah.internal.doorbell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Any role that may connect can notify on any channel: what a doorbell makes of a flood. */
@PostgresTest
class NotificationFloodTest {
    private final TestDatabase database;

    NotificationFloodTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void rings_manyOfTheSame_areOne() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch goOn = new CountDownLatch(1);
        try (Doorbell doorbell = new Doorbell(Database.of(database.uri()), "bell")) {
            doorbell.add(payload -> payload.startsWith("known"), payload -> {
                heard.add(payload);
                if (payload.equals("known first")) waitFor(goOn);
            });
            doorbell.start();
            await().atMost(Patience.LIMIT).until(doorbell::listening);
            database.execute("NOTIFY bell, 'known first'");
            await().atMost(Patience.LIMIT).until(() -> heard.contains("known first"));
            database.execute("DO 'BEGIN FOR i IN 1..300 LOOP NOTIFY bell, $$known second$$; COMMIT; END LOOP; END'");
            goOn.countDown();
            database.execute("NOTIFY bell, 'known third'");
            await().atMost(Patience.LIMIT).until(() -> heard.contains("known third"));
            assertThat(Collections.frequency(heard, "known second")).isBetween(1, 5);
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) throw new AssertionError("nobody lets it go on");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void rings_unknownOrLong_areNotHeard() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        try (Doorbell doorbell = new Doorbell(Database.of(database.uri()), "bell")) {
            doorbell.add(payload -> !payload.startsWith("unknown"), heard::add);
            doorbell.start();
            await().atMost(Patience.LIMIT).until(doorbell::listening);
            database.execute("DO $$ BEGIN FOR i IN 1..20000 LOOP"
                    + " PERFORM pg_notify('bell', 'unknown ' || i), pg_notify('bell', rpad('long ' || i, 1000, '.'));"
                    + " END LOOP; END $$");
            database.execute("NOTIFY bell, 'last'");
            await().atMost(Patience.LIMIT).until(() -> heard.contains("last"));
            assertThat(heard).containsOnly("", "last");
        }
    }

    @Test
    void listener_throws_listensOn() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        try (Doorbell doorbell = new Doorbell(Database.of(database.uri()), "bell")) {
            doorbell.add(payload -> true, payload -> {
                if (payload.equals("bad")) throw new IllegalStateException("thrown by the test");
                heard.add(payload);
            });
            doorbell.start();
            await().atMost(Patience.LIMIT).until(doorbell::listening);
            database.execute("NOTIFY bell, 'bad'");
            await().atMost(Patience.LIMIT).until(() -> {
                database.execute("NOTIFY bell, 'good'");
                return heard.contains("good");
            });
        }
    }
}
