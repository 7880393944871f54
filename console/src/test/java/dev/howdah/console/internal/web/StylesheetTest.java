package dev.howdah.console.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The colours of the stylesheet have enough contrast in both themes, by the formula of WCAG 2. */
class StylesheetTest {
    private static final List<String> TEXTS = List.of(
            "text",
            "dim",
            "accent",
            "run",
            "done",
            "retry",
            "fail",
            "pause",
            "wait",
            "sql-key",
            "sql-text",
            "sql-number");

    private static String css() throws IOException {
        try (InputStream in = StylesheetTest.class.getResourceAsStream("/dev/howdah/console/assets/console.css")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Map<String, String> tokens(String css, String selector) {
        int at = css.indexOf(selector + " {");
        Map<String, String> tokens = new LinkedHashMap<>();
        Matcher each = Pattern.compile("--([a-z-]+): (#[0-9a-f]+);").matcher(css.substring(at, css.indexOf('}', at)));
        while (each.find()) tokens.put(each.group(1), each.group(2));
        return tokens;
    }

    private static double luminance(String colour) {
        String hex = colour.substring(1);
        if (hex.length() == 3) hex = hex.replaceAll("(.)", "$1$1");
        double[] parts = new double[3];
        for (int i = 0; i < 3; i++) {
            double value = Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16) / 255.0;
            parts[i] = value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    }

    private static double contrast(Map<String, String> theme, String one, String other) {
        double first = luminance(String.valueOf(theme.get(one)));
        double second = luminance(String.valueOf(theme.get(other)));
        return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
    }

    @Test
    void colours_haveTheContrastOfTextsAndControls() throws IOException {
        String css = css();
        Map<String, String> light = tokens(css, ":root");
        Map<String, String> dark = tokens(css, ":root[data-theme=\"dark\"]");
        assertThat(tokens(css, ":root:not([data-theme=\"light\"])"))
                .as("dark by the system")
                .isEqualTo(dark);
        for (Map<String, String> theme : List.of(light, dark))
            for (String ground : List.of("bg", "panel")) {
                for (String each : TEXTS)
                    assertThat(contrast(theme, each, ground))
                            .as("%s on %s %s", each, ground, theme.get(ground))
                            .isGreaterThanOrEqualTo(4.5);
                assertThat(contrast(theme, "control", ground))
                        .as("borders on %s", ground)
                        .isGreaterThanOrEqualTo(3);
            }
    }
}
