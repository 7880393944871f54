package dev.howdah.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.console.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogProviderTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final LogProvider provider = provider(out, true);

    private static LogProvider provider(ByteArrayOutputStream out, boolean isJson) {
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        return new LogProvider(() -> to, isJson);
    }

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

    /** A program that has the screen for itself puts another stream in the place of the standard error. */
    @Test
    void events_goToTheStreamOfTheMoment() {
        for (boolean isJson : new boolean[] {false, true}) {
            ByteArrayOutputStream first = new ByteArrayOutputStream();
            ByteArrayOutputStream second = new ByteArrayOutputStream();
            AtomicReference<PrintStream> to =
                    new AtomicReference<>(new PrintStream(first, true, StandardCharsets.UTF_8));
            Logger log = new LogProvider(to::get, isJson).getLoggerFactory().getLogger("top");
            log.warn("before");
            to.set(new PrintStream(second, true, StandardCharsets.UTF_8));
            log.warn("while the screen is taken");
            assertThat(first.toString(StandardCharsets.UTF_8))
                    .contains("before")
                    .hasLineCount(1);
            assertThat(second.toString(StandardCharsets.UTF_8))
                    .contains("while")
                    .hasLineCount(1);
        }
    }

    @Test
    void event_ofOneOfSeveralTables_namesIt() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        LogProvider lines = provider(text, false);
        Logger log = lines.getLoggerFactory().getLogger("dev.howdah.task");
        for (String database : List.of("shop", "crm")) {
            lines.getMDCAdapter().put("database", database);
            lines.getMDCAdapter().put("table", "public.task");
            log.error("task 1 has failed");
        }
        lines.getMDCAdapter().clear();
        log.error("no place");
        assertThat(text.toString(StandardCharsets.UTF_8).lines())
                .satisfiesExactly(
                        first -> assertThat(first).endsWith("ERROR task 1 has failed"),
                        second -> assertThat(second).endsWith("ERROR crm, public.task: task 1 has failed"),
                        third -> assertThat(third).endsWith("ERROR no place"));
    }

    @Test
    void textOfOthers_isOneLine_andNoCommandOfATerminal() throws Exception {
        String hostile = "x\n2026-11-28 22:00:00.000 ERROR forged\u001b]0;owned\u0007\u202eend";
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        Logger log = provider(text, false).getLoggerFactory().getLogger("dev.howdah.job");
        log.error("job 7 ({}) failed", hostile, new IllegalStateException("y".repeat(1_100) + hostile));
        List<String> written = text.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(written.get(0))
                .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} ERROR job 7 .*")
                .contains("(x\\n2026-11-28 22:00:00.000 ERROR forged\\x1B]0;owned\\x07\\u202Eend)");
        assertThat(written.subList(1, written.size())).isNotEmpty().allMatch(each -> each.startsWith("\t"));
        assertThat(text.toString(StandardCharsets.UTF_8)).doesNotContain("\u001b", "\u202e", "\u0007");
        logger("x").warn("{}", hostile);
        assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("\u001b", "\u202e", "\u0007");
        assertThat(only().get("message")).isEqualTo(hostile);
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
                .contains("LogProviderTest.java");
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
