package dev.howdah.task;

import dev.howdah.fixtures.TestServer;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** On the oldest PostgreSQL whose tasks are served. */
@Tag("long")
class TaskTriggerOnOldestTest extends TaskTriggerCases {
    TaskTriggerOnOldestTest() {
        super(oldest());
    }

    private static TestServer oldest() {
        List<Integer> older = TestServer.older();
        return TestServer.of(older.isEmpty() ? TestServer.majors().get(0) : older.get(0));
    }
}
