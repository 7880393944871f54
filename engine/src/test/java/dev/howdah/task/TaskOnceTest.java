package dev.howdah.task;

import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.Tag;

/** {@code once} on the PostgreSQL that Howdah brings along. */
@Tag("long")
class TaskOnceTest extends TaskOnceCases {
    TaskOnceTest() {
        super(TestServer.NEWEST);
    }
}
