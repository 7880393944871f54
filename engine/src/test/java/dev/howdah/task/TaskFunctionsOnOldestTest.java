package dev.howdah.task;

import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.Tag;

@Tag("long")
class TaskFunctionsOnOldestTest extends TaskFunctionsCases {
    TaskFunctionsOnOldestTest() {
        super(TestServer.majors().get(0));
    }
}
