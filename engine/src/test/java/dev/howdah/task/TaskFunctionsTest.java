package dev.howdah.task;

import dev.howdah.fixtures.TestServer;

class TaskFunctionsTest extends TaskFunctionsCases {
    TaskFunctionsTest() {
        super(TestServer.NEWEST);
    }
}
