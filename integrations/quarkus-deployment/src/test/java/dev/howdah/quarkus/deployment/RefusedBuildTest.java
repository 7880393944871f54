package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.beans.JobHandler;
import io.quarkus.test.QuarkusUnitTest;
import java.sql.Connection;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A method that cannot handle jobs is refused when the application is built. */
@Tag("long")
class RefusedBuildTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = TestApplication.with(Wrong.class)
            .assertException(e -> assertThat(e)
                    .hasStackTraceContaining(
                            "Method Wrong.handle(Connection) has a parameter of the type java.sql.Connection"));

    /** Has no transaction. */
    static class Wrong {
        @JobHandler("wrong")
        void handle(Connection connection) {}
    }

    @Test
    void build_fails() {
        Assertions.fail("the application was built");
    }
}
