package dev.howdah.operations.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PayloadTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "customer=7 | {\"customer\": 7}",
                "customer = -7.5 | {\"customer\": -7.5}",
                "customer=\"7\" | {\"customer\": \"7\"}",
                "invoice=INV-81934 | {\"invoice\": \"INV-81934\"}",
                "address.city=New York | {\"address\": {\"city\": \"New York\"}}",
                "paid=true | {\"paid\": true}",
                "name=a \"b\" \\ | {\"name\": \"a \\\"b\\\" \\\\\"}",
                "zip=007 | {\"zip\": \"007\"}",
                "tags=[\"a\"] | {\"tags\": [\"a\"]}",
                "{\"a=b\": 1} | {\"a=b\": 1}",
                "\"a=b\" | \"a=b\"",
                "7 | 7"
            })
    void fieldWithAValue_isJson_andJsonStaysAsItIs(String text, String json) {
        assertThat(PayloadText.json(text)).isEqualTo(json);
    }
}
