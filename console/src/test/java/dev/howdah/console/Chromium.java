package dev.howdah.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Chromium for tests, which has to be there: Debian's package chromium has it. */
final class Chromium implements AutoCloseable {
    private static final Path PATH = Path.of("/usr/bin/chromium");

    private final Playwright playwright;
    private final Browser browser;

    /** Starts it; without it the tests of the class are left out. */
    Chromium() {
        Assumptions.assumeTrue(
                Files.isExecutable(PATH), "there is no Chromium here, so the console is not tried in a browser");
        // As all that Playwright waits for otherwise; it would be 5 s.
        PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(PATH)
                        .setArgs(List.of("--no-sandbox", "--disable-background-networking", "--disable-gpu")));
    }

    Browser browser() {
        return browser;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
