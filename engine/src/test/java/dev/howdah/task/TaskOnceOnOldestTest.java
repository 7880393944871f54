package dev.howdah.task;

import dev.howdah.fixtures.TestServer;

/** {@code once} on the oldest PostgreSQL that is served. */
class TaskOnceOnOldestTest extends TaskOnceCases {
    TaskOnceOnOldestTest() {
        super(TestServer.majors().get(0));
    }
}
