package dev.howdah.daemon.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            host=h dbname=x                             | host=h dbname=x
            host=h password=geheim user=u               | host=h password=*** user=u
            password = 'ge''heim \\' x' user=u           | password = *** user=u
            PASSWORD='geheim                            | PASSWORD=***
            sslpassword=geheim                          | sslpassword=***
            postgresql://u:geheim@h/x                   | postgresql://u:***@h/x
            postgresql://u:ge@he/im@h/x?sslmode=require | postgresql://u:***@h/x?sslmode=require
            postgresql://u@h:5432/x                     | postgresql://u@h:5432/x
            postgresql://h/x?user=u&password=geheim&a=b | postgresql://h/x?user=u&password=***&a=b
            """)
    void address_howeverWritten_showsNoPassword(String address, String shown) {
        assertThat(Secrets.hidden(address)).isEqualTo(shown).doesNotContain("heim");
    }
}
