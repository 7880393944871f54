package dev.howdah.task;

import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.Tag;

/** {@code once} on the oldest PostgreSQL that is served. */
@Tag("long")
class TaskOnceOnOldestTest extends TaskOnceCases {
    TaskOnceOnOldestTest() {
        super(TestServer.majors().get(0));
    }
}
