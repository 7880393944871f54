package dev.howdah.task;

import dev.howdah.fixtures.TestServer;

/** {@code once} on the PostgreSQL that Howdah brings along. */
class TaskOnceTest extends TaskOnceCases {
    TaskOnceTest() {
        super(TestServer.NEWEST);
    }
}
