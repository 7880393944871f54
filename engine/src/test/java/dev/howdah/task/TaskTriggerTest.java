package dev.howdah.task;

import dev.howdah.fixtures.TestServer;

class TaskTriggerTest extends TaskTriggerCases {
    TaskTriggerTest() {
        super(TestServer.shared());
    }
}
