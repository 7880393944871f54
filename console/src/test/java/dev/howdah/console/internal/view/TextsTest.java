package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP 503: <html><head><title>503 Busy</title></head><body><hr>nginx</body></html>|HTTP 503: 503 Busy; nginx",
                "502 <!DOCTYPE HTML PUBLIC '-//W3C//DTD'><HTML><h1>Bad|502 Bad",
                "no element <a> here, 1 < 2|no element <a> here, 1 < 2",
                "answered <html|answered",
                "at the gateway: <html><head><style>h1 {}</style></head><p>a &amp; b</p|at the gateway: a & b",
            })
    void pageOfAnotherServer_isNamedByItsWords(String error, String line) {
        assertThat(Texts.errorLine(error)).isEqualTo(line);
    }
}
