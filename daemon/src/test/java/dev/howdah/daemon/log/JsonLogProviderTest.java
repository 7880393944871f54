package dev.howdah.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.console.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class JsonLogProviderTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final JsonLogProvider provider = new JsonLogProvider(new PrintStream(out, true, StandardCharsets.UTF_8));

    private Logger logger(String name) {
        return provider.getLoggerFactory().getLogger(name);
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private Map<String, String> only() throws Exception {
        assertThat(lines()).hasSize(1);
        return Json.texts(lines().get(0));
    }

    @Test
    void event_isOneObjectWithItsContext() throws Exception {
        provider.getMDCAdapter().put("queue", "mail");
        provider.getMDCAdapter().put("message", "not the message");
        logger("dev.howdah.job").warn("job {} has \"failed\"\nand more, {}", 7, "déjà vu \u0000");
        Map<String, String> event = only();
        assertThat(event)
                .containsEntry("level", "WARN")
                .containsEntry("logger", "dev.howdah.job")
                .containsEntry("thread", Thread.currentThread().getName())
                .containsEntry("message", "job 7 has \"failed\"\nand more, déjà vu \u0000")
                .containsEntry("queue", "mail")
                .hasSize(6);
        assertThat(Instant.parse(String.valueOf(event.get("time")))).isBefore(Instant.now());
    }

    @Test
    void throwable_whoseMessageThrows_isWrittenAllTheSame() throws Exception {
        Exception hostile = new Exception() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException("no message");
            }
        };
        logger("x").error("failed", new IllegalArgumentException("bad", hostile));
        assertThat(only().get("error"))
                .startsWith("java.lang.IllegalArgumentException: bad\n")
                .contains("JsonLogProviderTest.java");
    }

    @Test
    void levels_areThoseOfTheTextLog() {
        logger("org.eclipse.jetty.server.Server").info("no");
        logger("io.javalin.Javalin").error("no");
        logger("dev.howdah").debug("no");
        logger("io.javalin").warn("yes");
        logger("dev.howdah").info("yes");
        assertThat(lines()).hasSize(2).allMatch(line -> line.contains("\"yes\""));
    }
}
