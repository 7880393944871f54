package dev.howdah.task;

import dev.howdah.fixtures.TestServer;

class TaskFunctionsOnOldestTest extends TaskFunctionsCases {
    TaskFunctionsOnOldestTest() {
        super(TestServer.majors().get(0));
    }
}
