package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code howdah token} and {@code howdah audit}. */
@PostgresTest
class TokenCommandsTest {
    private final TestDatabase database;

    TokenCommandsTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun run(String command, String... words) {
        List<String> all = new ArrayList<>(List.of(command.split(" ")));
        all.addAll(List.of("--url", database.uri()));
        all.addAll(List.of(words));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    @Test
    void token_addedListedAndRevoked_isInTheAuditLog() {
        assertThat(run("token list").out()).doesNotContain("ann");
        CommandLineRun added = run("token add", "ann", "--role", "operator", "--expires", "90d");
        assertThat(added.exitCode()).as(added.err()).isZero();
        assertThat(added.out()).matches("hd_[0-9a-f]{40}\\n");
        assertThat(run("token add", "ann", "--role", "viewer").err()).contains("there is a token \"ann\" already");
        assertThat(run("token list", "--json").out())
                .contains("\"role\":\"operator\"")
                .contains("\"state\":\"accepted\"")
                .doesNotContain(added.out().strip());
        run("token add", "shop", "--role", "producer", "--queue", "mail", "--queue", "bills");
        assertThat(run("token list", "--json").out()).contains("\"queues\":[\"mail\",\"bills\"]");
        assertThat(run("token list").out()).contains("mail, bills");
        assertThat(run("token revoke", "ann").out()).isEqualTo("Token ann is revoked.\n");
        assertThat(run("token revoke", "ann").exitCode()).isEqualTo(1);
        assertThat(run("token list", "--json").out()).contains("\"state\":\"revoked\"");
        assertThat(run("audit", "--object", "tokens/ann", "--json").out().lines())
                .hasSize(4)
                .first()
                .asString()
                .contains("\"action\":\"tokens.revoke\"")
                .contains("\"outcome\":\"failed\"");
        assertThat(run("audit", "--from", "2020-01-01", "--sort", "oldest", "--json")
                        .out())
                .startsWith("{\"id\":1,");
        assertThat(run("audit", "--action", "tokens.add").out())
                .contains("done")
                .contains("tokens/ann");
    }

    @Test
    void token_withWrongWords_isRefused() {
        assertThat(run("token add", "x", "--role", "root").err())
                .contains(
                        "--role has to be one of worker, producer, sender, viewer, operator, submitter, administrator, not"
                                + " \"root\"");
        assertThat(run("token add", "x", "--role", "producer").err())
                .contains("--queue: queues has to name those to which a producer may add");
        assertThat(run("token add", "x", "--role", "viewer", "--queue", "mail").err())
                .contains("--queue: queues are for tokens of workers, producers and senders");
        assertThat(run("token add", "x", "--role", "viewer", "--expires", "2y").err())
                .contains("--expires has to be a period such as 30m, 12h or 90d");
        assertThat(run("audit", "--csv", "--sort", "oldest").out().lines().findFirst())
                .hasValue("id,at,actor,role,via,address,action,object,outcome,message,before,sent,after");
        assertThat(run("audit", "--csv", "--until", "2020-01-01").out()).hasLineCount(1);
        assertThat(run("audit", "--from", "monday").err()).contains("--from is no time: a time is written as");
        assertThat(run("audit", "--limit", "0").exitCode()).isEqualTo(2);
    }

    @Test
    void console_whereOthersReachIt_isRefusedWithoutLoginNameAndProxy() {
        String[] listen = {"--console-listen", "0.0.0.0"};
        assertThat(run("up", listen).err()).contains("so it needs logins: --console-login token");
        assertThat(run("up --console-login token", listen).err()).contains("needs --console-host");
        assertThat(run("up --console-login token --console-host ops.example", listen)
                        .err())
                .contains("needs --trusted-proxy");
        assertThat(run("up --console-base-path x").err()).contains("a base path is one such as /howdah");
    }
}
