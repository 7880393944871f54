package dev.howdah.task;

import dev.howdah.fixtures.TestServer;

class TaskScheduleTest extends TaskScheduleCases {
    TaskScheduleTest() {
        super(TestServer.NEWEST);
    }
}
