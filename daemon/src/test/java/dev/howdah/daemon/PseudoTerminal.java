package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jline.utils.ScreenTerminal;

/** The program in a pseudo-terminal of the operating system, which {@code script} makes, and what is seen on its screen. */
final class PseudoTerminal implements AutoCloseable {
    private static final Duration PATIENCE = Patience.LIMIT;

    /** The last that the shell prints. */
    private static final String OVER = "all is over";

    private final Process script;
    private final Path device;
    private final ScreenTerminal screen;
    private final StringBuilder raw = new StringBuilder();

    private PseudoTerminal(Process script, Path device, int width, int height) {
        this.script = script;
        this.device = device;
        this.screen = new ScreenTerminal(width, height);
    }

    /** Whether this machine can make one. */
    static boolean isThere() {
        return Files.isExecutable(Path.of("/usr/bin/script"));
    }

    /** Runs the program; after it, the shell prints its exit code and the modes of the terminal. */
    static PseudoTerminal start(
            Path directory, int width, int height, Map<String, String> environment, String... arguments)
            throws IOException {
        Path device = directory.resolve("device");
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.howdah.daemon.Main"));
        words.addAll(List.of(arguments));
        String program = words.stream().map(PseudoTerminal::quoted).collect(Collectors.joining(" "));
        String shell = "stty rows " + height + " cols " + width + "; tty > " + quoted(device.toString())
                + "; trap : INT; " + program + "; echo \"exit $?\"; stty -a; echo '" + OVER + "'";
        ProcessBuilder builder = new ProcessBuilder("env", "--default-signal=INT", "script", "-qfc", shell, "/dev/null")
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("HOWDAH_") || name.startsWith("PG"));
        builder.environment().putAll(Map.of("TERM", "xterm-256color", "SHELL", "/bin/sh"));
        builder.environment().putAll(environment);
        PseudoTerminal terminal = new PseudoTerminal(builder.start(), device, width, height);
        Thread reader = new Thread(terminal::read, "pseudo-terminal");
        reader.setDaemon(true);
        reader.start();
        return terminal;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private void read() {
        try (Reader reader = new InputStreamReader(script.getInputStream(), StandardCharsets.UTF_8)) {
            char[] some = new char[4_096];
            for (int n = reader.read(some); n >= 0; n = reader.read(some)) {
                String text = new String(some, 0, n);
                synchronized (raw) {
                    raw.append(text);
                }
                screen.write(text);
            }
        } catch (IOException e) {
            synchronized (raw) {
                raw.append("\n[").append(e).append(']');
            }
        }
    }

    /** Everything that was sent to the terminal. */
    String raw() {
        synchronized (raw) {
            return raw.toString();
        }
    }

    /** The lines of the screen, without the blanks at their ends. */
    List<String> lines() {
        long[] cells = new long[screen.getWidth() * screen.getHeight()];
        int width = screen.getWidth();
        screen.dump(cells, null);
        List<String> lines = new ArrayList<>();
        for (int from = 0; from + width <= cells.length; from += width) {
            StringBuilder line = new StringBuilder();
            for (int i = from; i < from + width; i++) {
                int c = ScreenTerminal.cellCodePoint(cells[i]);
                if (c != 0) line.appendCodePoint(c);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /** Waits until the screen has that text. */
    void shows(String text) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(String.join("\n", lines())).contains(text));
    }

    /** Waits until the screen does not have that text. */
    void showsNo(String text) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(String.join("\n", lines())).doesNotContain(text));
    }

    /** Presses keys. */
    void type(String keys) throws IOException {
        script.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        script.getOutputStream().flush();
    }

    /** Gives the terminal another size. */
    void resize(int width, int height) throws IOException, InterruptedException {
        screen.setSize(width, height);
        Process stty = new ProcessBuilder(
                        "stty", "-F", Files.readString(device).strip(), "rows", "" + height, "cols", "" + width)
                .start();
        assertThat(stty.waitFor()).isZero();
    }

    /** Waits for the end of the program; its exit code and the modes of the terminal are part of what was sent. */
    String end() throws InterruptedException {
        assertThat(script.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("ends: %s", lines())
                .isTrue();
        await().atMost(PATIENCE).until(() -> raw().contains(OVER));
        return raw();
    }

    /** The program itself, below {@code script} and the shell. */
    ProcessHandle program() {
        return script.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        script.descendants().forEach(ProcessHandle::destroyForcibly);
        script.destroyForcibly();
    }
}
