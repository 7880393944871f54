package dev.howdah.reach.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Places that tasks may reach. */
class ReachPlacesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    https://api.example             | https://api.example/v1             | true
                    https://api.example             | https://API.example./v1            | true
                    https://api.example             | http://api.example/v1              | false
                    https://api.example             | https://api.example:444/v1         | false
                    https://api.example:*           | https://api.example:444/v1         | true
                    https://api.example=billing,app | https://api.example/v1             | true
                    https://api.example=billing     | https://api.example/v1             | false
                    https://api.example/v1/*        | https://api.example/v1/x           | true
                    https://api.example/v1/*        | https://api.example/v2/x           | false
                    https://api.example/v1/*        | https://api.example/v1             | false
                    https://api.example/v1/*        | https://api.example/v1/../v2       | false
                    https://api.example/v1/*        | https://api.example/v1/%2e%2e/v2   | false
                    https://api.example/v1/*        | https://api.example/v1/x;y         | false
                    https://api.example/v1/*        | https://api.example/v1/%252e%2E/v2 | false
                    https://api.example/v1/*        | https://api.example/v1/x%25252fy   | false
                    https://api.example/v1/*        | https://api.example/v1/x%3by       | false
                    https://api.example/v1/*        | https://api.example/v1/x%0d%0aHost | false
                    https://api.example/v1/*        | https://api.example/v1/%00         | false
                    https://api.example/v1/*        | https://api.example/v1/%c0%ae%c0%ae | false
                    https://api.example/v1/*        | https://api.example/v1/x%25y%20%C3%A9 | true
                    https://api.example/v1/*        | https://api.example/v1/%25%32%65%25%32%65/v2 | false
                    https://api.example/v1/*        | https://api.example/v1/%252%65%252%65/v2 | false
                    https://api.example/v1/*        | https://api.example/v1/x%25%32%66y | false
                    https://api.example/v1/*        | https://api.example/v1/x%255%63y | false
                    https://api.example/v1/*        | https://api.example/v1/x%25%33%62y | false
                    https://api.example/v1/*        | https://api.example/v1/x%25%30%30 | false
                    https://api.example/v1/*        | https://api.example/v1/%e0%80%ae%e0%80%ae/v2 | false
                    https://api.example/v1/*        | https://api.example/v1/%f0%80%80%ae%f0%80%80%ae/v2 | false
                    https://api.example/v1/*        | https://api.example/v1/%25e0%80%af | false
                    https://api.example/v1/*        | https://api.example/v1/x%e9 | false
                    https://api.example/v1/*        | https://api.example/v1/x%c2%85 | false
                    https://api.example/v1/*        | https://api.example/v1/x%2525252525252525252525252 | false
                    https://api.example/v1/*        | https://api.example/v1/100%25/%2525/a..b/... | true
                    https://api.example/v1/*        | https://api.example/v1/.x/%E2%80%A6 | true
                    https://api.example/v1          | https://api.example/v1?x=1         | true
                    https://api.example/v1          | https://api.example/v1/            | false
                    https://*.example               | https://a.b.example                | true
                    https://*.example               | https://example                    | false
                    https://*.example               | https://a.example.evil             | false
                    https://*                       | https://10.0.0.1                   | true
                    http://[2001:db8::7]            | http://[2001:db8::7]/x             | true
                    http://[2001:DB8:0:0::7]        | http://[2001:db8::7]/x             | true
                    http://[::1]                    | HTTP://[0:0:0:0:0:0:0:1]/x         | true
                    http://[::1]                    | http://[::2]                       | false
                    http://[2001:db8:0:1::]         | http://[2001:db8:0:1:0:0:0:0]      | true
                    http://127.0.0.1                | http://[::ffff:127.0.0.1]          | true
                    http://api.example.             | http://api.example                 | true
                    http://*.example.               | http://a.example.                  | true
                    HTTPS://API.example             | hTTpS://api.EXAMPLE                | true
                    smtp://mail.example             | smtp://mail.example:587            | true
                    ssh://r1.example                | ssh://root@r1.example              | true
                    exec:backup=app                 | exec:backup?arg=x&arg=y            | true
                    exec:backup                     | exec:other                         | false
                    """)
    void target_ofAList_isAllowed(String list, String remote, boolean allowed) throws ReachFailure {
        assertThat(ReachPlaces.of(List.of(list)).has("app", Target.of(remote))).isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://",
                "https://api.example:0",
                "https://api.example:99999",
                "https://api.example=",
                "https://api.example=a,,b",
                "https://app:secret@api.example",
                "https://api.example/?x",
                "ssh://r1/path",
                "exec:/bin/sh",
                "exec:",
                "ftp://x",
                "http://[::1::]",
                "http://[1:2]"
            })
    void place_thatIsNone_isRefusedWithoutItsPassword(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReachPlaces.of(List.of(text)))
                .withMessageContaining("has to be https://HOST")
                .withMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sftp://h.example/out/../../etc/passwd", "https://h.example/out/%2E%2e/x"})
    void path_thatLeadsElsewhere_isRefusedWithoutALineThatAllowsAll(String remote) {
        assertThatExceptionOfType(ReachFailure.class)
                .isThrownBy(() -> ReachPlaces.of(List.of("sftp://h.example/out/*", "https://h.example/out/*"))
                        .check("app", Target.of(remote)))
                .satisfies(e -> assertThat(e.result().error()).contains("its path has"))
                .satisfies(e -> assertThat(e.result().hint()).isNull());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host=db.example",
                "",
                "postgresql://db.example",
                "postgres://x",
                "jdbc:postgresql://db.example/x",
                "user=a:b"
            })
    void address_ofAPostgres_isNoTarget(String remote) {
        assertThat(Target.hasScheme(remote)).isFalse();
    }
}
